// MariaDB with InnoDB as an engine.
//
// A lock is a row of the table method_lock: its name is in the column
// method_name, and whatever else the lock keeps stands in the other columns. If
// there is one that is called deadline, the lock's lease ends then. Or it is a
// row of the table method, which is there all the time: the lock is taken while
// some transaction has locked that row.
#ifndef MARIADB_ENGINE_H
#define MARIADB_ENGINE_H

#include "engines/engine.h"

extern const struct engine_kind mariadb_engine;

#endif
