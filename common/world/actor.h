// A client of the world: a real process, the gate in front of its server, the
// lines that it reads and writes (docs/protocol.md), and its waits.
#ifndef ACTOR_H
#define ACTOR_H

#include "choice.h"
#include "event.h"
#include "gate.h"
#include "waits.h"
#include "engines/engine.h"
#include "machine/loop.h"
#include "machine/fork_server.h"
#include "machine/process.h"

#include <stdbool.h>

// Room for one line. The protocol allows 500 bytes.
enum { CLIENT_LINE = 512 };

struct actor {
    char name[8];
    struct process process;
    struct gate gate;
    unsigned clock_slot;
    struct waits waits;
    struct watch output;
    char line[CLIENT_LINE]; // the first part of a line that is not complete
    size_t line_length;

    bool rests;     // it was seen at rest, and nothing was done to it since
    uint64_t mark;  // tasks_sleep()'s mark at that time
    uint64_t turns; // and tasks.turns
    bool woken;     // it was sent something, and has not yet run since
    int64_t woken_ns; // when, in real time
    bool seems_deaf; // the last look found that it has not run for long
    bool deaf;       // it has not run although it was sent something: another
                     // process of the guest reads that
    bool ready;     // it has said that it is ready
    unsigned knows; // it has said so of these words of the protocol, by bit
    bool asked;     // an operation is under way
    bool sleeps;    // it waits for the lock, sleeps, and this is reported
    bool answered;  // the operation has ended, and this is not reported yet
    bool crashed;   // its process has, and this is not reported yet
    bool may_crash; // otherwise that is the end of the run
    enum operation operation;
    enum result result;
    char reason[CLIENT_LINE];
    bool real_time;
    const char *second_key;
    // Of the operation that is under way, or of the last one:
    int lock_number;
    int thread;
    int64_t lease_ns; // for this acquire, or for all after this reopen; 0: the
                      // lock's usual one
    int64_t patience_ns; // how long this acquire may wait; 0: not at all

    int lease_ms;     // the lock's usual lease, as the client was told
    int depth[CLIENT_LOCKS]; // how often it has entered and not left
    bool leaving[CLIENT_LOCKS]; // its last release had no answer (depth.h)
    int owner[CLIENT_LOCKS]; // the thread that has got in
};

struct actor_setup {
    const char *program; // a guest's is a shell command
    struct fork_server *fork_server; // has the program loaded; or NULL
    bool guest;
    bool real_time;
    bool may_crash;
    struct engine *engine;
    const int *servers; // behind its gate, by number
    int server_count;
    const char *key;
    const char *second_key; // NULL: it uses one lock only
    int lease_ms;
    const char *hidden; // a word that it may not find in its environment
};

// Removes from this process's environment all variables by which the world
// configures clients and servers. Somebody may have set them for a client that
// was started by hand.
void actor_clear_environment(const struct engine_kind *engine);

// Starts a client. Returns before the client is ready. `client` must not move
// in memory.
void actor_start(struct actor *client, const char *name,
                 const struct actor_setup *setup);

// Starts a fork server for such clients.
void actor_fork_server(struct fork_server *fork_server, const char *program,
                       bool guest, const struct variable *environment);

// Kills the client, with everything that it has started. Requests that it had
// sent before are still at the gate.
void actor_kill(struct actor *client);

// The same without waiting until it is gone, for a client that nobody will look
// at again.
void actor_discard(struct actor *client);

// Tells the client to start an operation: the choice's operation, lock, thread,
// lease and patience. If it has not said that it knows the word for it
// ("enter-for", "wait"), it is not asked: the operation ends at once with
// RESULT_CANNOT.
void actor_ask(struct actor *client, const struct choice *choice);

// The client's operation has ended: returns how deep inside it is now
// (depth.h).
int actor_conclude(struct actor *client);

// Something was done that may make the client run: look again whether it rests.
void actor_stir(struct actor *client);

// The client is sent something that will wake it: it does not rest before it
// has run. (It is the same when a connection ends on which it waits: the gate
// notes that by itself, see hung_up.)
void actor_woken(struct actor *client);

// Does the client rest: is every thread blocked on a connection, in a wait, or
// until the next line comes? Always true of a client that is stopped or dead.
bool actor_rests(struct actor *client);

// Looks at the requests that servers have answered and that are not reported
// yet. Returns the connection of the one that reached a server first, or NULL.
// *number becomes the number of its client.
struct connection *actors_next_ran(struct actor *clients, int count,
                                   int *number);

// How many of these there are, but for those that a server had kept.
int actors_count_ran(const struct actor *clients, int count);

#endif
