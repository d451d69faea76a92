// A replica of a mariadbd: MariaDB's ordinary asynchronous replication.
//
// The master writes each committed row to a log, and one of its threads sends
// the log to the replica. There one thread writes the log down, and another one
// makes the changes. Nobody waits for any of these, so a client has heard of
// its commit before the replica has. The world waits for them when they have
// work to do.
#ifndef REPLICA_H
#define REPLICA_H

#include "mariadbd.h"

// It begins to copy the server at this port of the loopback, with that part of
// the server's log that comes `after` this transaction ("": all of it). After a
// new start it goes on with it.
void replica_begin(struct mariadbd *replica, const char *after, int port);
void replica_go_on(struct mariadbd *replica);

// Has the replica all that its master has committed, or can it get no more: is
// the master down (NULL), or is it no replica any more? If it cannot do what
// the master has done, it fails the world.
bool replica_rests(struct mariadbd *replica, struct mariadbd *master);

// Has the replica applied all that it has received?
bool replica_did_all(struct mariadbd *replica);

#endif
