// A session with ZooKeeper: libzookeeper with a waiting end.
//
// The library has threads of its own. One speaks with the server: it also says
// "I am alive" when nothing else was said for a third of the session's time, and
// connects again when the connection is lost. Another one calls the program
// when something has happened. Here what has happened raises a flag (wait.h),
// so that a lock waits for a node in the same way as for everything else.
#ifndef ZOOKEEPER_H_OF_LOCKS
#define ZOOKEEPER_H_OF_LOCKS

#include "wait.h"

#include <stdbool.h>
#include <stddef.h>

struct zookeeper;

enum zk_result {
    ZK_OK,
    ZK_NO_NODE,     // there is no such node
    ZK_NODE_EXISTS, // there is one already
    ZK_BAD_VERSION, // somebody has written to it since
    ZK_EXPIRED,     // the session is over, and what hung on it is gone;
                    // nothing was done
    ZK_NONE,        // no answer came: it may have happened
    ZK_ERROR,       // the server refused
};

enum { ZK_PATH_SIZE = 256, ZK_CHILDREN = 64 };

// The children of a node: their paths, in the order of the numbers at their
// ends.
struct zk_children {
    int count;
    char path[ZK_CHILDREN][ZK_PATH_SIZE];
};

// Begins a session with the servers that the environment names in
// ZOOKEEPER_HOSTS (host:port,host:port…; 127.0.0.1:2181 if it is not set). The
// server ends it when it has heard nothing of us for `session_ms`. NULL if the
// name is none; whether a server is there, the first call shows. What fails is
// explained by lock_reason(). Only one thread at a time may call what follows.
struct zookeeper *zk_open(int session_ms);

// Ends the session, and with it its ephemeral nodes; frees it. NULL is fine.
void zk_close(struct zookeeper *zk);

// The session's number, another one for each; 0: it is over. The next call
// below then begins a new one.
long long zk_session(struct zookeeper *zk);

// Is there a connection, as far as this side knows? Without one nobody can say
// whether the server still keeps the session.
bool zk_is_connected(struct zookeeper *zk);

// Makes a node that stays, unless it is there already.
enum zk_result zk_ensure(struct zookeeper *zk, const char *path);

// Makes a node that is gone when the session is over, with a number put at the
// end of its name: greater than those of all its parent's children before.
// `made` is the whole path.
enum zk_result zk_create_ephemeral_sequential(struct zookeeper *zk,
                                              const char *path,
                                              char made[ZK_PATH_SIZE]);

// The number at the end of such a name.
long long zk_number(const char *path);

enum zk_result zk_delete(struct zookeeper *zk, const char *path);

// Writes to a node, if it has this version; ZK_ANY_VERSION: whatever it has.
enum { ZK_ANY_VERSION = -1 };
enum zk_result zk_set(struct zookeeper *zk, const char *path,
                      const char *value, int version);

// What a node has, at most size - 1 bytes of it, and its version: how often it
// was written.
enum zk_result zk_get(struct zookeeper *zk, const char *path, char *value,
                      size_t size, int *version);

enum zk_result zk_get_children(struct zookeeper *zk, const char *path,
                               struct zk_children *children);

// Is the node there?
enum zk_result zk_exists(struct zookeeper *zk, const char *path);

// The same, and from now on the flag is raised when it changes or is gone.
enum zk_result zk_watch(struct zookeeper *zk, const char *path);

// The same for the children of a node: raised when one comes or goes.
enum zk_result zk_watch_children(struct zookeeper *zk, const char *path,
                                 struct zk_children *children);

// Raised by what is watched, and when the session is over. Lower it before
// watching.
struct flag *zk_flag(struct zookeeper *zk);

#endif
