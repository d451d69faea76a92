// A redis-server that is started for this run: in the sandbox, without a port,
// with the world's wall clock. Unless options say otherwise, it stores nothing
// on disk.
#ifndef INSTANCE_H
#define INSTANCE_H

#include "engines/daemon.h"
#include "machine/fork_server.h"

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <sys/types.h>

enum { MAX_SYNCED = 16 };

struct instance {
    struct daemon daemon;
    bool starts_often;              // set before a start: from the next one on
                                    // it is loaded once, and then forked
    struct fork_server fork_server; // for that
    char options[256];              // "--appendonly yes", by words
    redisContext *own;              // the world's own connection
    redisContext *operator;         // an operator's; NULL: not yet, or closed
    char typed[64];                 // his last command, for messages
    int replicas;                   // instance_note_replicas(); -1: not noted
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

// Fails the world: this server has ended by itself, or does not answer what was
// asked in this session (NULL: it takes no connection any more).
_Noreturn void instance_fail(struct instance *server,
                             const redisContext *session);

// Has the server accepted a connection that this process has not made? For a
// dead server: had it, before it was killed? (Not for a stopped one.)
bool instance_has_met_others(struct instance *server);

// SIGKILL. It can be started again, from its disk.
void instance_kill(struct instance *server);

// It runs, or is dead, and is not needed any more.
void instance_close(struct instance *server);

// Three fates of the disk: it is empty; all written so far is safe; all written
// since is lost, as without power. The first and the last are for a server that
// is down.
void instance_wipe_disk(struct instance *server);
void instance_sync_disk(struct instance *server);
void instance_lose_unsynced(struct instance *server);

// Makes the server forget all keys, scripts and functions, and restores the
// setting that instance_note_replicas() has noted.
void instance_forget(struct instance *server);

// The number of replicas that the server must have before it may write: its
// present value; sets it.
int instance_replicas(struct instance *server);
void instance_want_replicas(struct instance *server, int count);

// Notes the first value, before an operator changes it.
void instance_note_replicas(struct instance *server);

// The answer to a command that was appended on the world's own connection. It
// has to be of this type (REDIS_REPLY_…). Any other type fails the world,
// because the world would see something untrue. So does a server that does not
// answer. `question` is for the message. The caller frees the answer.
redisReply *instance_hear(struct instance *server, int type,
                          const char *question);

// Appends a command on the world's own connection and returns its answer, as
// above.
redisReply *instance_ask(struct instance *server, int type,
                         const char *format, ...);

// Fails the world: the server has answered the world's question with this.
_Noreturn void instance_fail_at(struct instance *server, const char *question,
                                const redisReply *reply);

// Connects the world anew if the server has closed its connection (an operator
// can make it).
void instance_stay_connected(struct instance *server);

#endif
