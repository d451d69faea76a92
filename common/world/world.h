// The world around the clients: servers, gates, clock, processes.
//
// It makes one choice at a time and then comes to rest. Every thread of every
// client is blocked then, on a connection that the gate holds, in a wait, or
// until its next line comes. And no server has a request to work on. So
// whatever happens next is a choice again, and the same choices always lead to
// the same world.
#ifndef WORLD_H
#define WORLD_H

#include "choice.h"
#include "event.h"
#include "engines/engine.h"
#include "gate.h"

#include <stdbool.h>

struct world;

// Called with everything that happens, in order.
typedef void watcher(void *argument, const struct event *event);

// Stands for the key in world_setup.at.
#define WORLD_KEY_HOLE "%s"

struct world_setup {
    const struct engine_kind *engine;
    const char *program; // the client; a guest's is a shell command
    bool guest;
    bool many_lives;     // world_rewind() will be used; not with real_time
    bool many_stories;   // world_begin_again() may be; not with real_time
    bool looks_ahead;    // EVENT_PUBLISHED is reported, too
    bool real_time;      // clients and servers have the machine's clock
    const char *key; // of clients with two locks the other one ends in "2"
    const char *at;  // under which key a lock really lies: "mutex:%s"; NULL:
                     // under its own
    int lease_ms;
    const char *const *hidden; // words that no client may find in its
                               // environment; NULL ends them
    const char *server_options; // "--appendonly yes", by words
    int masters; // servers that know nothing of each other, at least one
    watcher *watcher;
    void *argument;
};

// Builds a world with its masters and no clients. The objects to which the
// setup points must live as long as the world. A process has one world at a
// time.
struct world *world_open(const struct world_setup *setup);
void world_close(struct world *world);

// Takes the world back to its beginning: no clients, nothing on the server,
// time zero.
void world_rewind(struct world *world);

// Could a new world use these servers? It could if everything that was done to
// them can be undone: the keys of clients; in some engines also a restart.
bool world_is_untouched(struct world *world);

// Makes an untouched world a new one with this setup. False if that needs other
// servers.
bool world_begin_again(struct world *world, const struct world_setup *setup);

// Starts a client, and returns its number, from 0, when it is ready. Its
// requests until then pass at once and are not reported. A client does not get
// ready if a server blocks its request while another client may be inside.
int world_add_client(struct world *world, const char *name, enum opened opened);
bool world_is_ready(const struct world *world, int client);

// Reports that this client, which is not ready, comes to no end. False if it
// does not: it only waits.
bool world_report_endless(struct world *world, int client);

// Starts a replica of the first server and returns when it has all its data.
// Returns its number; the first server is 0, other masters follow.
int world_add_replica(struct world *world);

// Makes the choice and comes to rest. Fails the world if the choice is not
// possible: ask world_objection() first.
void world_do(struct world *world, struct choice choice);

// Reports an event of the story (EVENT_NOTE and the like) to the watcher.
void world_add_event(struct world *world, enum event_kind kind, int client,
                     const char *text);

// Does a request wait in this server (-1: in any)?
bool world_waits_in_server(const struct world *world, int server);

// Is the client in the middle of an operation?
bool world_busy(const struct world *world, int client);

// Is there a client with this number that is not dead?
bool world_lives(const struct world *world, int client);

// Has its process ended by itself, while nobody asked it? A library may do that
// when it loses its lock.
bool world_has_quit(const struct world *world, int client);

// The number of servers; the number of those that were masters from the start.
// Does this one run: neither dead nor stopped?
int world_servers(const struct world *world);
int world_masters(const struct world *world);
bool world_server_runs(const struct world *world, int server);

// Does the client run: neither stopped nor dead?
bool world_runs(const struct world *world, int client);

// Fails the world if the client is in the middle of an operation, could go on
// and does not: then it waits for something other than its server.
void world_expect_answer(const struct world *world, int client);

// The client's last operation, and the result of that.
enum operation world_operation(const struct world *world, int client);
enum result world_result(const struct world *world, int client);

// The number of the client's connections.
int world_open_connections(const struct world *world, int client);

// The number of times that the client has read its clock.
unsigned world_clock_reads(const struct world *world, int client);

// The time at which the client gives up the wait for an answer on this
// connection; -1: never, or it is not known. (The kernel counts such limits in
// real time, so a choice ends them.)
int64_t world_gives_up_ns(const struct world *world, int client,
                          int connection);

// All keys of this master: see engine_content(). The caller frees the text.
char *world_content(struct world *world, int server);

// How deep the client is inside its first lock.
int world_depth(const struct world *world, int client);

// The number of the client's first connection on which a request or an answer
// is on its way, leaving out number `except` (0: none). 0 if there is none.
int world_pending(const struct world *world, int client, int except);

// The same for a message that can go on now: not one that is in a server.
int world_passable(const struct world *world, int client, int except);

// The connection on which the client will give up first; 0: none is known.
int world_first_to_give_up(const struct world *world, int client);

// Does the client wait for an answer on any connection?
bool world_awaits(const struct world *world, int client);

// The stage of the connection's request; STAGE_ANSWERED, too, if a pushed
// message is on its way to the client.
enum stage world_stage(const struct world *world, int client, int connection);

// The connection's server; -1: the connection is gone.
int world_server_of(const struct world *world, int client, int connection);

// The first connection on which the client hears news of the lock: it has
// subscribed there, or its request waits in the server. 0: none.
int world_listens(const struct world *world, int client);

// Has the client subscribed on this connection?
bool world_has_subscribed(const struct world *world, int client,
                          int connection);

// Could the request that is held on this connection change the lock if it ran
// now?
bool world_may_change(struct world *world, int client, int connection);

// The same, but a script is tried: false if it would only read now.
bool world_would_change(struct world *world, int client, int connection);

// Would it only read the value under the first lock's key?
bool world_reads(struct world *world, int client, int connection);

// The earliest deadline of the client's waits; -1 if it does not wait.
int64_t world_next_wait(const struct world *world, int client);

// The number of the client's waits; the number that it has announced so far.
// Has it begun all waits of the earliest deadline after the first `announced`?
int world_waits(const struct world *world, int client);
unsigned world_waits_announced(const struct world *world, int client);
bool world_waits_since(const struct world *world, int client,
                       unsigned announced);

// The first time at which a server ends the wait of a command in it; -1 if
// there is none.
int64_t world_next_server_wait(void);

// The end of the lock's lease: the first instant at which the key is gone. -1
// if there is no lock, or if its lease has no end.
int64_t world_lease_end(const struct world *world);

int64_t world_now(void);

// In real time: waits up to `us` microseconds for something to happen, comes
// to rest, and reports.
void world_wait(struct world *world, int us);

// Has a process spoken to a server past the gates? See engine_has_met_others().
bool world_has_met_others(struct world *world);

// The key under which the first lock lies.
const char *world_place(const struct world *world);

// An operator's words for this command of Redis's about the first lock: see
// engine.h.
const char *world_operators_words(struct world *world, const char *command);

// "redis 7.0.15"; "Redis".
const char *world_version(const struct world *world);
const char *world_server_title(const struct world *world);

#endif
