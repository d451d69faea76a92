// A private redis-server: started for the run, in the sandbox, without a port
// and without persistence, its wall clock the world's. And what only this
// kind of server knows: its version, how it shows a lock, which requests
// write.
#ifndef REDIS_SERVER_H
#define REDIS_SERVER_H

#include "lock_state.h"
#include "loop.h"
#include "message.h"
#include "process.h"
#include "sandbox.h"

struct redis_server {
    struct process process;
    char path[SANDBOX_PATH_SIZE]; // its socket
    unsigned slot;                // its line in the clock page
    struct watch log;
    char last_line[256];        // of its log, for messages
    struct redisContext *own;   // the world's own connection
    char version[64];           // "redis 7.0.15"
};

// Starts the program that REDIS_SERVER names, or redis-server, and returns
// when it answers. Must stay where it is. Fails the world when there is none,
// or one older than 6.0.
void redis_server_start(struct redis_server *server);

// SIGKILL. It can be started again, and is then empty.
void redis_server_kill(struct redis_server *server);

// Looks at the lock. Also makes the server notice that time has passed, which
// it would otherwise do at its next tick.
struct lock_state redis_server_look(struct redis_server *server,
                                    const char *key);

// Could this request change the lock, as things stand? True for every command
// that the server itself lists as writing, scripts included, but for SETNX and
// SET NX of a key that exists.
bool redis_server_may_change(struct redis_server *server,
                             const struct message *request);

#endif
