// A session with ZooKeeper: libzookeeper with a waiting end.
//
// The library has threads of its own. One speaks with the server. It also says
// "I am alive" when nothing else was said for a third of the session's time,
// and connects again when the connection is lost. Another one calls the program
// when something has happened. Here that thread raises a flag, and a lock
// sleeps until it is up (zk_wait()).
#ifndef ZOOKEEPER_H_OF_LOCKS
#define ZOOKEEPER_H_OF_LOCKS

#include "lock.h"

#include <stdbool.h>
#include <stddef.h>

struct zookeeper;

enum zk_result {
    ZK_OK,
    ZK_NO_NODE,     // there is no such node
    ZK_NODE_EXISTS, // there is one already
    ZK_BAD_VERSION, // it was written since
    ZK_EXPIRED,     // the session is over, and what hung on it is gone;
                    // nothing was done
    ZK_NONE,        // no answer came: it may have happened
    ZK_ERROR,       // the server refused
};

// A queue is a node whose children have a number at the end of their names. The
// path of the queue leaves room for such a name in the path of a child.
enum { ZK_QUEUE_SIZE = 192, ZK_PATH_SIZE = 256 };

// A node's place in its queue, by the numbers.
struct zk_place {
    int before;              // so many nodes are before it
    char next[ZK_PATH_SIZE]; // the path of the last of these; empty: none
};

// Begins a session with the servers that the environment names in
// ZOOKEEPER_HOSTS (host:port,host:port…; 127.0.0.1:2181 if it is not set). The
// server ends it when it has heard nothing of us for `session_ms`. NULL if an
// address is not one; the first call shows whether a server is there.
// lock_reason() explains a failure. Only one thread at a time may use a
// session.
struct zookeeper *zk_open(int session_ms);

// Ends the session, and with it its ephemeral nodes; frees it. NULL is fine.
void zk_close(struct zookeeper *zk);

// The session's number, another one for each; 0: it is over. The next call
// below then begins a new one.
long long zk_session(struct zookeeper *zk);

// Is there a connection, and is this its session, as far as this side knows?
// Without a connection it is not known whether the session still lives.
bool zk_is_connected(struct zookeeper *zk, long long session);

// The lock's result for a result of ZooKeeper: `gone`, if the node is not
// there, or the session in which it was.
enum lock_result zk_answer(enum zk_result result, enum lock_result gone);

// Makes a node that stays, unless it is there already. Refuses a path that
// fills ZK_QUEUE_SIZE: it was cut off.
enum zk_result zk_ensure(struct zookeeper *zk, const char *path);

// Makes a node that is gone when the session is over (create -e -s). The server
// puts a number at the end of its name, greater than those of all nodes before
// in the same queue. `node` is its path without the number; when the answer has
// come, with it; empty if the server refused. Makes the queue if it is not
// there.
enum zk_result zk_join_queue(struct zookeeper *zk, char node[ZK_PATH_SIZE]);

// Looks into the queue for the node whose path begins like this, and completes
// the path.
enum zk_result zk_find(struct zookeeper *zk, char node[ZK_PATH_SIZE]);

// Removes the node. If its path has no number, because the answer to
// zk_join_queue() never came, it is looked for first. When it is certainly not
// there any more, `node` is empty. If `node` is empty before: ZK_NO_NODE, and
// nothing is sent.
enum zk_result zk_leave_queue(struct zookeeper *zk, char node[ZK_PATH_SIZE]);

// The number at the end of a name.
long long zk_number(const char *path);

// Writes to a node, if it has this version; ZK_ANY_VERSION: whatever it has.
enum { ZK_ANY_VERSION = -1 };
enum zk_result zk_set(struct zookeeper *zk, const char *path,
                      const char *value, int version);

// A node's value, at most size - 1 bytes of it, and its version: how often it
// was written.
enum zk_result zk_get(struct zookeeper *zk, const char *path, char *value,
                      size_t size, int *version);

// Is the node there that was made in this session?
enum zk_result zk_exists(struct zookeeper *zk, const char *path,
                         long long session);

// The node's place in its queue. ZK_NO_NODE if it is not there any more.
enum zk_result zk_get_place(struct zookeeper *zk, const char *node,
                            struct zk_place *place);

// The same, and zk_wait() ends when a node of the queue comes or goes.
enum zk_result zk_watch_queue(struct zookeeper *zk, const char *node,
                              struct zk_place *place);

// Is the node there? Then zk_wait() ends when it changes or is gone.
enum zk_result zk_watch(struct zookeeper *zk, const char *path);

// Sleeps until what was watched last has happened, the session is over, or so
// many milliseconds have passed.
void zk_wait(struct zookeeper *zk, int ms);

#endif
