// A connection of the world's own to a MariaDB server, through its door.
//
// The client library would do the same, but every race would have to be linked
// with it, also where there is no MariaDB; and it connects to a name, not
// through a door.
#ifndef SQL_H
#define SQL_H

#include "machine/door.h"
#include "packets.h"

#include <stdbool.h>

struct sql;

// Connects as root to this database (NULL: none) of a server that asks nobody
// who he is. NULL if that fails.
struct sql *sql_open(struct door *door, const char *database);
void sql_close(struct sql *sql);

// Sends a statement; hears the answer, which packets_free() frees. False if
// none comes within our patience.
bool sql_send(struct sql *sql, const char *statement);
bool sql_hear(struct sql *sql, struct sql_answer *answer);
bool sql_ask(struct sql *sql, const char *statement, struct sql_answer *answer);

// The connection, to wait for an answer.
int sql_fd(const struct sql *sql);

#endif
