// A session of the world's own with a ZooKeeper server, through its door.
//
// The client library would do the same, but with threads of its own. And every
// race would have to be linked with it, also where there is no ZooKeeper.
#ifndef ZOO_SESSION_H
#define ZOO_SESSION_H

#include "machine/door.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zoo_session;

// Opens a session with the longest time-out. NULL if that fails. `may_sleep`:
// the server is one of several, and may have to be woken (ensemble.c).
struct zoo_session *zoo_open(struct door *door, bool may_sleep);

// The server's version: "3.8.0". Empty if a second passes in which it
// says nothing.
void zoo_version(struct door *door, char *version, size_t size);

// The server's place among several, in its own words: "Mode: leader". A server
// that serves nobody has a sentence for that. Empty if it says nothing.
void zoo_mode(struct door *door, char *mode, size_t size);

// Has the server left the connection open?
bool zoo_is_open(struct zoo_session *session);

// Asks the server for nothing but an answer. False if none comes.
bool zoo_ping(struct zoo_session *session);

// Closes the connection without a word to the server.
void zoo_close(struct zoo_session *session);

// The names of a node's children, in the order of their numbers: a list that
// ends with NULL, which children_free() frees. NULL: there is no such node, or
// no answer; `error` says which (0: no answer).
char **zoo_children(struct zoo_session *session, const char *path,
                    int32_t *error);

// Everybody's rights to a node. To delete a node needs the right to its parent.
enum zoo_rights {
    ZOO_READ = 1,
    ZOO_GIVE_RIGHTS = 16,
    ZOO_ALL_RIGHTS = 31,
};

// Makes a node that stays; removes a node that has no children; sets what
// everybody may do with it. False if no answer comes; `error` is 0 if it is
// done.
bool zoo_create(struct zoo_session *session, const char *path, int32_t *error);
bool zoo_delete(struct zoo_session *session, const char *path, int32_t *error);
bool zoo_set_rights(struct zoo_session *session, const char *path,
                    enum zoo_rights rights, int32_t *error);

#endif
