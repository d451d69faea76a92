// Road: a row in a database, under a unique key.
//
// Engine: mariadb
//
// A program that has a database already needs no other server for a lock. The
// table method_lock has a unique key on the method's name. So of all INSERTs of
// one name, one succeeds, and every other gets error 1062, until a DELETE takes
// the row away. InnoDB keeps the row on disk: it outlives the server's crash.
//
// Still open: only the holder's DELETE ever ends the lock, as in stage 1, and a
// row has no lease.
//     ./scenarios/crash_holding
//     ./scenarios/hung_worker
// Still open: the row does not say whose it is, so everybody can delete it.
//     ./scenarios/stranger_releases
#include "lock.h"

#include "mysql.h"

#include <stdlib.h>
#include <string.h>

struct lock {
    struct sql *sql;
    char *name;
};

static const char table[] =
    "CREATE TABLE IF NOT EXISTS method_lock ("
    " method_name VARCHAR(64) NOT NULL,"
    " UNIQUE KEY (method_name)) ENGINE = InnoDB";

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    (void)lease_ms;
    lock->name = strdup(key);
    lock->sql = sql_open();
    if (lock->sql && sql_call(lock->sql, table).type == SQL_DONE)
        return lock;
    lock_close(lock);
    return NULL;
}

enum lock_result lock_acquire(struct lock *lock) {
    struct sql_result result = sql_call(
        lock->sql, "INSERT INTO method_lock (method_name) VALUES (%s)",
        lock->name);

    switch (result.type) {
    case SQL_DONE:      return LOCK_OK;
    case SQL_DUPLICATE: return LOCK_BUSY;
    case SQL_NONE:      return LOCK_UNKNOWN;
    default:            return LOCK_ERROR;
    }
}

enum lock_result lock_release(struct lock *lock) {
    struct sql_result result = sql_call(
        lock->sql, "DELETE FROM method_lock WHERE method_name = %s",
        lock->name);

    switch (result.type) {
    case SQL_DONE: return result.rows == 1 ? LOCK_OK : LOCK_LOST;
    case SQL_NONE: return LOCK_UNKNOWN;
    default:       return LOCK_ERROR;
    }
}

void lock_close(struct lock *lock) {
    sql_close(lock->sql);
    free(lock->name);
    free(lock);
}
