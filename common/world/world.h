// The world around the clients: servers, gates, clock, processes.
//
// It makes one choice at a time and then comes to rest: every thread of every
// client is blocked, on a connection that the gate holds, in a wait, or until
// its next line comes; and no server has a request to work on. So whatever
// happens next is a choice again, and the same choices always lead to the same
// world.
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

struct world_setup {
    const struct engine_kind *engine;
    const char *program; // the client; a guest's is a shell command
    bool guest;
    bool many_lives;     // world_rewind() will be used; not with real_time
    bool many_stories;   // world_begin_again() may be; not with real_time
    bool looks_ahead;    // EVENT_PUBLISHED is reported, too
    bool real_time;      // clients and servers have the machine's clock
    const char *key; // of clients with two locks the other one ends in "2"
    int lease_ms;
    const char *hidden; // a word that no client may find in its environment
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

// Back to the beginning: no clients, nothing on the server, time zero.
void world_rewind(struct world *world);

// Could a new world use these servers? Nothing was done to them that they do
// not forget. (They forget what clients have stored; in some engines also a
// restart.)
bool world_is_untouched(struct world *world);

// Goes on with an untouched world as with a new one. False if a world of this
// setup would have other servers.
bool world_begin_again(struct world *world, const struct world_setup *setup);

// Starts a client, and returns its number, from 0, when it is ready. Its
// requests until then pass at once and are not reported. A client does not get
// ready if a server blocks its request while another client may be inside.
int world_add_client(struct world *world, const char *name, bool two_locks);
bool world_is_ready(const struct world *world, int client);

// Starts a replica of the first server and returns when it has all its data.
// Returns its number; the first server is 0, other masters follow.
int world_add_replica(struct world *world);

// Makes the choice and comes to rest. Fails the world if the choice is not
// possible: ask world_objection() first.
void world_do(struct world *world, struct choice choice);

// Reports an event of the story (EVENT_NOTE and the like) to the watcher.
void world_add_event(struct world *world, enum event_kind kind, int client,
                     const char *text);

// Does this server (-1: any) keep a request, which it may answer later?
bool world_waits_in_server(const struct world *world, int server);

// Is the client in the middle of an operation?
bool world_busy(const struct world *world, int client);

// Is there a client with this number that is not dead?
bool world_lives(const struct world *world, int client);

// How many servers there are; how many of them were masters from the start.
// Does this one run: neither dead nor stopped?
int world_servers(const struct world *world);
int world_masters(const struct world *world);
bool world_server_runs(const struct world *world, int server);

// Does it run: not stopped, not dead?
bool world_runs(const struct world *world, int client);

// Fails the world if the client is in the middle of an operation, could go on
// and does not: then it waits for something other than its server.
void world_expect_answer(const struct world *world, int client);

// The client's last operation, and the result of that.
enum operation world_operation(const struct world *world, int client);
enum result world_result(const struct world *world, int client);

// How many connections the client has.
int world_open_connections(const struct world *world, int client);

// How often the client has read its clock.
unsigned world_clock_reads(const struct world *world, int client);

// Until when the client waits for the answer that is on its way on this
// connection, before it gives up; -1: for ever, or nobody knows. The kernel
// counts such limits, and it knows only real time. So what ends them is a
// choice, as everything else.
int64_t world_gives_up_ns(const struct world *world, int client,
                          int connection);

// Everything that this master holds: see engine_content(). The caller frees it.
char *world_content(struct world *world, int server);

// How often the client has entered its first lock and not left.
int world_depth(const struct world *world, int client);

// The number of the client's first connection on which a request or an answer
// is on its way, leaving out number `except` (0: none). 0 if there is none.
int world_pending(const struct world *world, int client, int except);

// The same, but on which something can go on now: it is not in a server that
// has not answered it.
int world_passable(const struct world *world, int client, int except);

// The same, but on which the client will give up first; 0: on none, as far as
// anybody knows.
int world_first_to_give_up(const struct world *world, int client);

// Is there one on which it waits for an answer?
bool world_awaits(const struct world *world, int client);

// Where that connection's request is. STAGE_ANSWERED also if a message that the
// server has pushed is on its way to the client.
enum stage world_stage(const struct world *world, int client, int connection);

// The server to which that connection leads; -1: the connection is gone.
int world_server_of(const struct world *world, int client, int connection);

// The number of the first connection on which the client hears what happens: it
// has subscribed there, or the server keeps its request. 0: none.
int world_listens(const struct world *world, int client);

// Has it subscribed on this connection?
bool world_has_subscribed(const struct world *world, int client,
                          int connection);

// Could the request that is held on this connection change the lock if it ran
// now?
bool world_may_change(struct world *world, int client, int connection);

// The same, and a script is tried: false if it would only read, if it ran now.
bool world_would_change(struct world *world, int client, int connection);

// Would it only read what is under the first lock's key?
bool world_reads(struct world *world, int client, int connection);

// The earliest deadline of the client's waits; -1 if it does not wait.
int64_t world_next_wait(const struct world *world, int client);

// How many waits it has, and how many it has announced so far. Has it begun all
// waits of the earliest deadline after so many?
int world_waits(const struct world *world, int client);
unsigned world_waits_announced(const struct world *world, int client);
bool world_waits_since(const struct world *world, int client,
                       unsigned announced);

// Until when a server keeps the first of the commands that wait in it for
// something; -1 if it keeps none, or without a limit of its own.
int64_t world_next_server_wait(void);

// The end of the lock's lease: the first instant at which the key is gone. -1
// if there is no lock, or if its lease has no end.
int64_t world_lease_end(const struct world *world);

int64_t world_now(void);

// In real time: waits up to `us` microseconds for something to happen, comes
// to rest, and reports.
void world_wait(struct world *world, int us);

// Has somebody spoken to a server past the gates? See engine_has_met_others().
bool world_has_met_others(struct world *world);

// An operator's words for this command of Redis's: see engine.h.
const char *world_operators_words(struct world *world, const char *command,
                                  const char *key);

// "redis 7.0.15"
const char *world_version(const struct world *world);

#endif
