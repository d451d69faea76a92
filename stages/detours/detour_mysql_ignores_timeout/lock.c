// Detour from road_mysql_row_lease: only COMMIT is asked whether it has worked.
//
// Removing a dead row and inserting one's own belong together, so they are one
// transaction. A transaction is all or nothing, so it seems enough to look at
// the answer to COMMIT. In PostgreSQL it is: there a transaction with an error
// cannot be committed any more. Here most errors undo one statement only. One
// of them is 1205, for a statement that has waited too long for a locked row.
// COMMIT then commits what is left, and succeeds.
//
// Engine: mariadb
//
// Still open: a client that has waited too long gets in without a row.
//     ./scenarios/statement_timeout
#include "lock.h"

#include "mysql.h"
#include "token.h"

#include <stdlib.h>
#include <string.h>

struct lock {
    struct sql *sql;
    char *name;
    int lease_ms;
    int count;              // entries that were not left; 0: not inside
    char token[TOKEN_SIZE]; // of the last hold
};

static const char table[] =
    "CREATE TABLE IF NOT EXISTS method_lock ("
    " method_name VARCHAR(64) NOT NULL,"
    " owner VARCHAR(64) NOT NULL,"
    " count INT NOT NULL,"
    " deadline DATETIME(3) NOT NULL,"
    " UNIQUE KEY (method_name)) ENGINE = InnoDB";

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    lock->name = strdup(key);
    lock->lease_ms = lease_ms;
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

// Sets the count of a hold that is still ours, and the lease begins anew.
static enum lock_result set_count(struct lock *lock, int count) {
    struct sql_result result = sql_call(
        lock->sql,
        "UPDATE method_lock SET count = %d,"
        " deadline = UTC_TIMESTAMP(3) + INTERVAL %d * 1000 MICROSECOND"
        " WHERE method_name = %s AND owner = %s"
        " AND deadline >= UTC_TIMESTAMP(3)",
        count, lock->lease_ms, lock->name, lock->token);

    if (result.type != SQL_DONE)
        return failed(result.type);
    lock->count = result.rows == 1 ? count : 0;
    return result.rows == 1 ? LOCK_OK : LOCK_LOST;
}

enum lock_result lock_acquire(struct lock *lock) {
    if (lock->count > 0)
        return set_count(lock, lock->count + 1);

    struct sql_result result = sql_call(lock->sql, "BEGIN");
    if (result.type != SQL_DONE)
        return failed(result.type);
    result = sql_call(
        lock->sql,
        "DELETE FROM method_lock"
        " WHERE method_name = %s AND deadline < UTC_TIMESTAMP(3)",
        lock->name);
    if (result.type == SQL_NONE)
        return LOCK_UNKNOWN;
    token_new(lock->token);
    result = sql_call(
        lock->sql,
        "INSERT INTO method_lock"
        " VALUES (%s, %s, 1,"
        " UTC_TIMESTAMP(3) + INTERVAL %d * 1000 MICROSECOND)",
        lock->name, lock->token, lock->lease_ms);
    if (result.type == SQL_NONE)
        return LOCK_UNKNOWN;
    if (result.type == SQL_DUPLICATE) {
        result = sql_call(lock->sql, "ROLLBACK");
        return result.type == SQL_DONE ? LOCK_BUSY : failed(result.type);
    }

    // All or nothing: COMMIT tells whether it has worked.
    result = sql_call(lock->sql, "COMMIT");
    if (result.type != SQL_DONE)
        return failed(result.type);
    lock->count = 1;
    return LOCK_OK;
}

enum lock_result lock_release(struct lock *lock) {
    if (lock->count > 1)
        return set_count(lock, lock->count - 1);

    struct sql_result result = sql_call(
        lock->sql,
        "DELETE FROM method_lock"
        " WHERE method_name = %s AND owner = %s"
        " AND deadline >= UTC_TIMESTAMP(3)",
        lock->name, lock->token);
    if (result.type != SQL_DONE)
        return failed(result.type);
    lock->count = 0;
    return result.rows == 1 ? LOCK_OK : LOCK_LOST;
}

void lock_close(struct lock *lock) {
    sql_close(lock->sql);
    free(lock->name);
    free(lock);
}
