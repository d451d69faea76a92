// Detour from road_mysql_row_lease: it reads, and writes when the lock is free.
//
// Most attempts find the lock busy, and a read costs less than a write. So a
// waiter reads until nobody has the lock, and then writes its row, all in one
// transaction, so that nothing can happen in between. But a plain SELECT locks
// nothing. And by default (REPEATABLE READ) every SELECT of a transaction shows
// what the first one has shown. The row of a holder that has left long ago is
// still there, and its deadline passes, whoever has the lock now.
//
// Engine: mariadb
//
// Still open: a waiter goes by what it saw when it began to wait.
//     ./scenarios/old_snapshot
// Still open: two clients that look at the same time both write.
//     ./scenarios/missing_row
//     ./scenarios/double_takeover
#include "lock.h"

#include "mysql.h"
#include "token.h"
#include "wait.h"

#include <stdlib.h>
#include <string.h>

enum { PAUSE_MS = 100 };

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

// Waits until nobody has the lock. Each look costs no more than a read.
static enum lock_result look(struct lock *lock, int patience_ms) {
    long long end_ms = now_ms() + patience_ms;

    for (;;) {
        struct sql_result result = sql_call(
            lock->sql,
            "SELECT owner FROM method_lock"
            " WHERE method_name = %s AND deadline >= UTC_TIMESTAMP(3)",
            lock->name);
        long long left_ms = end_ms - now_ms();
        if (result.type != SQL_ROWS)
            return failed(result.type);
        if (result.rows == 0)
            return LOCK_OK;
        if (left_ms <= 0)
            return LOCK_BUSY;
        wait_ms(NULL, left_ms < PAUSE_MS ? (int)left_ms : PAUSE_MS);
    }
}

static enum lock_result write_row(struct lock *lock) {
    token_new(lock->token);
    struct sql_result result = sql_call(
        lock->sql,
        "REPLACE INTO method_lock"
        " VALUES (%s, %s, 1,"
        " UTC_TIMESTAMP(3) + INTERVAL %d * 1000 MICROSECOND)",
        lock->name, lock->token, lock->lease_ms);
    return result.type == SQL_DONE ? LOCK_OK : failed(result.type);
}

enum lock_result lock_wait(struct lock *lock, int patience_ms) {
    if (lock->count > 0)
        return set_count(lock, lock->count + 1);

    struct sql_result result = sql_call(lock->sql, "BEGIN");
    if (result.type != SQL_DONE)
        return failed(result.type);
    enum lock_result found = look(lock, patience_ms);
    if (found == LOCK_OK)
        found = write_row(lock);
    result = sql_call(lock->sql, found == LOCK_OK ? "COMMIT" : "ROLLBACK");
    if (result.type != SQL_DONE)
        return failed(result.type);
    lock->count = found == LOCK_OK;
    return found;
}

enum lock_result lock_acquire(struct lock *lock) {
    return lock_wait(lock, 0);
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
