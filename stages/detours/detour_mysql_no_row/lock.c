// Detour from road_mysql_for_update: the row is made when it is first needed.
//
// It is tedious to put every method into the table beforehand. So a client that
// does not find the row inserts it, in the same transaction. If the INSERT
// fails, another client was faster, and the row is there as it should be. But
// FOR UPDATE of a row that is not there locks only the gap where it would be,
// and two transactions can lock the same gap. Then each INSERT waits for the
// other transaction. InnoDB notices the deadlock and undoes the whole
// transaction of one client, which goes on as if it had the lock.
//
// Engine: mariadb
//
// Still open: of two clients that come first, both get in.
//     ./scenarios/missing_row
#include "lock.h"

#include "mysql.h"

#include <stdlib.h>
#include <string.h>

struct lock {
    struct sql *sql;
    char *name;
    int count; // entries that were not left; 0: no transaction
};

static const char table[] =
    "CREATE TABLE IF NOT EXISTS method ("
    " method_name VARCHAR(64) PRIMARY KEY) ENGINE = InnoDB";

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    (void)lease_ms;
    lock->name = strdup(key);
    lock->sql = sql_open();
    if (lock->sql && sql_call(lock->sql, table).type == SQL_DONE &&
        sql_call(lock->sql, "SET innodb_lock_wait_timeout = 1").type ==
            SQL_DONE)
        return lock;
    lock_close(lock);
    return NULL;
}

static enum lock_result failed(enum sql_type type) {
    return type == SQL_NONE ? LOCK_UNKNOWN : LOCK_ERROR;
}

// A transaction without the row has nothing worth keeping.
static enum lock_result give_up(struct lock *lock, enum lock_result result) {
    enum sql_type type = sql_call(lock->sql, "ROLLBACK").type;

    return type == SQL_DONE ? result : failed(type);
}

// The answer to the SELECT in a new transaction.
static enum lock_result understand(struct lock *lock,
                                   const struct sql_result *result) {
    switch (result->type) {
    case SQL_ROWS:
        if (result->rows == 0) // the first time. If it fails, it is there
            sql_call(lock->sql, "INSERT INTO method VALUES (%s)", lock->name);
        lock->count = 1;
        return LOCK_OK;
    case SQL_TIMEOUT: return give_up(lock, LOCK_BUSY);
    case SQL_NONE:    return LOCK_UNKNOWN;
    default:          return give_up(lock, LOCK_ERROR);
    }
}

// BEGIN in a transaction would end the one that there is: a nested call is only
// counted.
static enum lock_result enter_again(struct lock *lock) {
    lock->count = sql_is_open(lock->sql) ? lock->count + 1 : 0;
    return lock->count > 0 ? LOCK_OK : LOCK_LOST;
}

enum lock_result lock_acquire(struct lock *lock) {
    if (lock->count > 0)
        return enter_again(lock);

    struct sql_result result = sql_call(lock->sql, "BEGIN");
    if (result.type != SQL_DONE)
        return failed(result.type);
    result = sql_call(lock->sql,
                      "SELECT method_name FROM method WHERE method_name = %s"
                      " FOR UPDATE NOWAIT", lock->name);
    return understand(lock, &result);
}

enum lock_result lock_wait(struct lock *lock, int patience_ms) {
    if (lock->count > 0)
        return enter_again(lock);

    struct sql_result result = sql_call(
        lock->sql, "SET innodb_lock_wait_timeout = %d",
        (patience_ms + 999) / 1000);
    if (result.type == SQL_DONE)
        result = sql_call(lock->sql, "BEGIN");
    if (result.type != SQL_DONE)
        return failed(result.type);
    result = sql_call_kept(lock->sql, patience_ms,
                           "SELECT method_name FROM method"
                           " WHERE method_name = %s FOR UPDATE", lock->name);
    return understand(lock, &result);
}

enum lock_result lock_release(struct lock *lock) {
    if (lock->count == 0 || !sql_is_open(lock->sql)) {
        lock->count = 0;
        return LOCK_LOST;
    }
    if (--lock->count > 0)
        return LOCK_OK;

    struct sql_result result = sql_call(lock->sql, "COMMIT");
    return result.type == SQL_DONE ? LOCK_OK : failed(result.type);
}

bool lock_held(struct lock *lock) {
    return sql_is_open(lock->sql);
}

void lock_close(struct lock *lock) {
    sql_close(lock->sql);
    free(lock->name);
    free(lock);
}
