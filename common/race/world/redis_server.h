// A private redis-server: started for the run, in the sandbox, without a port,
// its wall clock the world's. Without other options it keeps nothing on disk.
#ifndef REDIS_SERVER_H
#define REDIS_SERVER_H

#include "loop.h"
#include "process.h"
#include "sandbox.h"

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <sys/types.h>

enum { MAX_SYNCED = 16 };

struct redis_server {
    int number; // 1 for the first
    struct process process;
    char path[SANDBOX_PATH_SIZE];   // its socket
    char folder[SANDBOX_PATH_SIZE]; // its files
    char options[256];              // "--appendonly yes", by words
    unsigned slot;                  // its line in the clock page
    struct watch log;
    char last_line[256];            // of what it says, for messages
    redisContext *own;              // the world's own connection
    char version[64];               // "redis 7.0.15"
    struct synced_file {
        char path[SANDBOX_PATH_SIZE + 64];
        off_t size;
    } synced[MAX_SYNCED];
    int synced_count;
};

// Gives it a name and a place, from its number. Must stay where it is.
void redis_server_open(struct redis_server *server, int number);

// Starts the program that REDIS_SERVER names, or redis-server, and returns
// when it answers. Fails the world when there is none, or one older than 7.
void redis_server_start(struct redis_server *server);

// Fails the world: this server has ended by itself, or does not answer.
_Noreturn void redis_server_fail(struct redis_server *server);

// SIGKILL. It can be started again, with what its disk has kept.
void redis_server_kill(struct redis_server *server);

// Its disk, while it is down: nothing is left; what it has written so far is
// safe; what it has written since is lost, as with the power.
void redis_server_wipe_disk(struct redis_server *server);
void redis_server_sync_disk(struct redis_server *server);
void redis_server_lose_unsynced(struct redis_server *server);

// Makes it forget all keys, scripts and functions.
void redis_server_forget(struct redis_server *server);

// The answer to a command that was appended on the world's own connection. The
// caller frees it.
redisReply *redis_server_hear(struct redis_server *server);

// A command on the world's own connection. The caller frees the answer, which
// is never NULL: a server that does not answer fails the world.
redisReply *redis_server_ask(struct redis_server *server, const char *format,
                             ...);

// The same for a command, given by words, that waits for what passes through
// the loop.
redisReply *redis_server_ask_slowly(struct redis_server *server,
                                    const char *command);

#endif
