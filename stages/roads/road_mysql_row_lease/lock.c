// Road: a row with an owner, a count and a deadline.
//
// Engine: mariadb
//
// A row alone (road_mysql_row) has no end and no owner. Here it has both. The
// deadline is by the server's clock, and the next client removes a row whose
// deadline is over. It is in UTC: local time jumps twice a year, and each
// connection can have another one. The owner is a random token, so that nobody
// else deletes or changes the row; the count is for nested calls. Waiting is a
// loop. Each step is one statement, and the unique key decides between two that
// come at once.
//
// Still open: the lease is a guess, as in stage 5. Work that takes longer than
// the lease goes on without a lock, and the holder does not know it.
//     ./scenarios/work_outlives_lease
//     ./scenarios/cut_off_holder
// Still open: rows that are gone are gone.
//     ./scenarios/restart_empty
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
    if (lock->sql && sql_call(lock->sql, table).type == SQL_DONE)
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

    struct sql_result result = sql_call(
        lock->sql,
        "DELETE FROM method_lock"
        " WHERE method_name = %s AND deadline < UTC_TIMESTAMP(3)",
        lock->name);
    if (result.type != SQL_DONE)
        return failed(result.type);

    token_new(lock->token);
    result = sql_call(
        lock->sql,
        "INSERT INTO method_lock"
        " VALUES (%s, %s, 1,"
        " UTC_TIMESTAMP(3) + INTERVAL %d * 1000 MICROSECOND)",
        lock->name, lock->token, lock->lease_ms);
    switch (result.type) {
    case SQL_DONE:
        lock->count = 1;
        return LOCK_OK;
    case SQL_DUPLICATE: return LOCK_BUSY;
    default:            return failed(result.type);
    }
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
