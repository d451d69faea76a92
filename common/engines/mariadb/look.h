// A lock in MariaDB, as an outsider sees it.
//
// A lock can be a row of the table method_lock. It can be a transaction's lock
// on a row of the table method. Or it is a name that a connection has locked
// (GET_LOCK): for a name there is no row anywhere.
#ifndef MARIADB_LOOK_H
#define MARIADB_LOOK_H

#include "engines/lock_state.h"
#include "mariadbd.h"

// The connection that has the lock, where it is no row of its own: by the
// number that a trace shows. 0: nobody has it.
int look_find_owner(struct mariadbd *server, const char *key);

struct lock_state look_at_lock(struct mariadbd *server, const char *key);

// The number of rows that this statement shows, with uncommitted ones.
long long look_count_rows(struct mariadbd *server, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
