// A private redis-server: started for the run, in the sandbox, without a port,
// its wall clock the world's. Without other options it keeps nothing on disk.
#ifndef INSTANCE_H
#define INSTANCE_H

#include "machine/loop.h"
#include "machine/process.h"
#include "machine/sandbox.h"

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <sys/types.h>

enum { MAX_SYNCED = 16 };

struct instance {
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
void instance_open(struct instance *server, int number);

// Starts the program that REDIS_SERVER names, or redis-server, and returns
// when it answers. Fails the world when there is none, or one older than 7.
void instance_start(struct instance *server);

// Fails the world: this server has ended by itself, or does not answer.
_Noreturn void instance_fail(struct instance *server);

// SIGKILL. It can be started again, with what its disk has kept.
void instance_kill(struct instance *server);

// Its disk, while it is down: nothing is left; what it has written so far is
// safe; what it has written since is lost, as with the power.
void instance_wipe_disk(struct instance *server);
void instance_sync_disk(struct instance *server);
void instance_lose_unsynced(struct instance *server);

// Makes it forget all keys, scripts and functions.
void instance_forget(struct instance *server);

// The answer to a command that was appended on the world's own connection. The
// caller frees it.
redisReply *instance_hear(struct instance *server);

// A command on the world's own connection. The caller frees the answer, which
// is never NULL: a server that does not answer fails the world.
redisReply *instance_ask(struct instance *server, const char *format,
                         ...);

// The same for a command, given by words, that waits for what passes through
// the loop.
redisReply *instance_ask_slowly(struct instance *server,
                                const char *command);

#endif
