// What an outsider sees of a lock in MariaDB.
//
// A lock can be a row of the table method_lock; or the lock on a row of the
// table method, which a transaction has; or a name that a connection has locked
// (GET_LOCK), for which there is no row anywhere.
#ifndef MARIADB_LOOK_H
#define MARIADB_LOOK_H

#include "engines/lock_state.h"
#include "mariadbd.h"

struct lock_state look_at_lock(struct mariadbd *server, const char *key);

// How many rows this statement shows, with those that are not committed yet.
long long look_count_rows(struct mariadbd *server, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
