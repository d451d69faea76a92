// Road: a row that is there all the time, and is locked.
//
// Engine: mariadb
//
// A database has locks of its own: SELECT … FOR UPDATE locks the rows that it
// finds until the end of the transaction. Another transaction that wants the
// same row waits in the server, and the server itself goes on with it when the
// first one commits. When a connection ends, the server undoes its transaction:
// so the lock of a dead client is free at once, and needs no lease. The method
// is put into the table beforehand, and there is an index on its name.
//
// Still open: a holder that hangs keeps the lock.
//     ./scenarios/hung_worker
// Still open: the lock ends with its connection, and the work goes on.
//     ./scenarios/connection_dies
// Still open: a waiter whose connection breaks loses its place.
//     ./scenarios/subscription_dies
// Still open: the server counts patience in whole seconds.
//     ./scenarios/milliseconds_last_too_long
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

static const char find[] =
    "SELECT method_name FROM method WHERE method_name = %s";

// The row of this method, if it is not there yet. To look for it waits for
// nobody; an INSERT would wait until nobody has locked the row.
static bool put_row(struct lock *lock) {
    struct sql_result found = sql_call(lock->sql, find, lock->name);

    if (found.type != SQL_ROWS || found.rows > 0)
        return found.type == SQL_ROWS;
    return sql_call(lock->sql, "INSERT IGNORE INTO method VALUES (%s)",
                    lock->name).type == SQL_DONE;
}

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    (void)lease_ms;
    lock->name = strdup(key);
    lock->sql = sql_open();
    if (lock->sql && sql_call(lock->sql, table).type == SQL_DONE &&
        put_row(lock))
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
        if (result->rows == 0) { // nothing is locked then
            lock_explain("the table has no row for this method");
            return give_up(lock, LOCK_ERROR);
        }
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
