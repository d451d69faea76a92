// A client of the world: a real process, the gate in front of its servers, its
// lines of the client protocol (docs/protocol.md), and its waits.
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

    bool rests;     // it was at rest at the last look, and nothing happened
                    // to it since
    uint64_t mark;  // tasks_sleep()'s mark at that time
    uint64_t turns; // and tasks.turns
    bool woken;     // a message was sent to it, and it has not run since
    int64_t woken_ns; // real time of that message
    bool seems_deaf; // the last look found that it has not run for long
    bool deaf;       // it does not run for its messages: another process of
                     // the guest reads them
    bool ready;     // its line "ready" has come
    unsigned knows; // optional words of the protocol, by bit
    bool asked;     // an operation is under way
    bool sleeps;    // it waits for the lock and sleeps; reported
    bool answered;  // the operation has ended; not reported yet
    bool crashed;   // its process has crashed; not reported yet
    bool troubled;  // something has happened since its last attempt began: to
                    // it, to a server, or while its message was on the way. Or
                    // it could not reach all servers then
    bool quit;      // its process has ended by itself then, while nobody asked
    char quit_how[16]; // "exited with 1"; empty: it was reported
    char endless[64]; // how it comes to no end, if it does; not reported yet
    struct steps {
        int64_t since_ns;
        int since; // steps since that time, for a second at least
        int all;
    } steps;
    int64_t suspended_since_ns; // -1: its machine is not suspended
    int64_t computed_ns; // processor time when the world began to wait for it
    bool one_life; // if not (many_lives), a crash ends the run, and no steps
                   // are counted
    enum operation operation;
    enum result result;
    char reason[CLIENT_LINE];
    bool real_time;
    const char *keys[CLIENT_LOCKS]; // of its locks; NULL: it has no second
    bool turned; // its program opens the second one first
    // Of the operation that is under way, or of the last one:
    int lock_number;
    int thread;
    int64_t lease_ns; // for this acquire, or for all after this reopen; 0: the
                      // lock's usual one
    int64_t patience_ns; // the longest wait of this acquire; 0: none

    int lease_ms;     // the lock's usual lease
    int depth[CLIENT_LOCKS]; // entries without a release
    bool leaving[CLIENT_LOCKS]; // its last release had no answer (depth.h)
    int owner[CLIENT_LOCKS]; // the thread that has got in
};

struct actor_setup {
    const char *program; // a guest's is a shell command
    unsigned slot;       // its own, of the clock
    const struct host *host;         // on which it runs; NULL: this machine
    struct fork_server *fork_server; // there, with the program loaded; or NULL
    bool guest;
    bool real_time;
    bool one_life;
    struct engine *engine;
    const int *servers; // behind its gate, by number
    int server_count;
    const char *key;
    const char *second_key; // NULL: it uses one lock only
    bool turned; // and its program opens that one first
    int lease_ms;
    const char *const *hidden; // words that its environment must not contain
};

// Removes all variables that configure clients and servers from this process's
// environment. They may have been set for a client that was started by hand.
void actor_clear_environment(const struct engine_kind *engine);

// Makes the folder for the sockets of the client with this name, and writes its
// path.
void actor_folder(char path[SANDBOX_PATH_SIZE], const char *name);

// Starts a client. Returns before the client is ready. `client` must not move
// in memory.
void actor_start(struct actor *client, const char *name,
                 const struct actor_setup *setup);

// Starts a fork server for such clients with this name. A guest's is forked
// where it says that it is loaded, and only for this slot.
void actor_load(struct fork_server *fork_server, const char *name,
                const struct actor_setup *setup);

// It is inside no lock.
void actor_forget_holds(struct actor *client);

// Kills the client with all its processes. Its requests stay at the gate.
void actor_kill(struct actor *client);

// The same without waiting for its end, for a client of a world that ends.
void actor_discard(struct actor *client);

// Stops the client and suspends its machine; ends the suspension, if there is
// one. Its monotonic clock has stood still then, and what it waits for on that
// clock is put off. The client itself is stopped still.
void actor_suspend(struct actor *client, int64_t now_ns);
void actor_end_suspension(struct actor *client, int64_t now_ns);

// Tells the client to start an operation: the choice's operation, lock, thread,
// lease and patience. If the client does not know the word for it ("enter-for",
// "wait"), the operation ends at once with RESULT_CANNOT.
void actor_ask(struct actor *client, const struct choice *choice);

// The client's operation has ended: returns how deep inside it is now
// (depth.h).
int actor_conclude(struct actor *client);

// Notes that the client may run now: actor_rests() has to look again.
void actor_stir(struct actor *client);

// Notes that a message will wake the client: it does not rest before it has
// run. (The end of a connection on which it waits does the same; the gate notes
// that itself, see hung_up.)
void actor_woken(struct actor *client);

// Does the client rest: is every thread blocked on a connection, in a wait, or
// until the next line comes? Always true of a client that is stopped or dead.
bool actor_rests(struct actor *client);

// Looks at the requests that servers have answered since the last report.
// Returns the connection of the one that reached a server first, or NULL.
// *number becomes the number of its client.
struct connection *actors_next_ran(struct actor *clients, int count,
                                   int *number);

// The number of these requests, without those that waited in a server.
int actors_count_ran(const struct actor *clients, int count);

#endif
