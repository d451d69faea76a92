// A connection of the world's own to a MariaDB server, through its door.
//
// The client library would do the same, but every race would have to be linked
// with it, also where there is no MariaDB. And it connects to a name, not
// through a door.
#ifndef SQL_H
#define SQL_H

#include "base/fail.h"
#include "machine/door.h"
#include "packets.h"

#include <stdbool.h>

struct sql_session;

// Connects as root, who may do everything, to this database (NULL: none). NULL
// if that fails.
struct sql_session *sql_open(struct door *door, const char *database);
void sql_close(struct sql_session *sql);

// A statement can make the server write to its disk and wait for threads of its
// own. On a busy machine that can take longer than anything in Redis.
enum { SQL_PATIENCES = 6, SQL_PATIENCE_S = SQL_PATIENCES * PATIENCE_MS / 1000 };

// Sends a statement and hears the answer, which packets_free() frees. False if
// none comes within SQL_PATIENCE_S.
bool sql_ask(struct sql_session *sql, const char *statement,
             struct sql_answer *answer);

#endif
