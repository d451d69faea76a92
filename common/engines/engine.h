// An engine: the servers that hold the locks, as the rest of the project knows
// them.
//
// An engine's own half is a table of functions, struct engine_kind, which a
// room below this one fills in (engines/redis). Gate, choices, judge, trace and
// schedules call the functions below it, and know no engine's name. The
// alternative was one program for each engine; then a race would mean something
// else on each of them.
//
// An engine is the servers of one world: the first, other masters that know
// nothing of it or of each other, and replicas of the first. They are numbered
// from 0 in the order in which they were started. A function that fails ends
// the run (base/fail.h); world/possible.h checks before whether a server is in
// a state for it.
#ifndef ENGINE_H
#define ENGINE_H

#include "base/environment.h"
#include "daemon.h"
#include "lock_state.h"
#include "message.h"
#include "requests.h"
#include "resource.h"

#include <stdbool.h>
#include <stdint.h>

enum { ENGINE_MASTERS = 8, MAX_REPLICAS = 3 };
enum { MAX_SERVERS = ENGINE_MASTERS + MAX_REPLICAS };

// The state that every engine has. An engine's own struct begins with it.
struct engine {
    const struct engine_kind *kind;
    int count;
    int masters; // the first of them
    struct daemon *servers[MAX_SERVERS];
};

// The address of a server for a client: a socket, and a port of the loopback if
// it is not 0.
struct address {
    const char *socket;
    int port;
};

enum { ENGINE_VARIABLES = 4 };

// A command that an operator types.
struct operator_command {
    const char *text; // NULL: the list ends
    bool in_vain;     // the server has to refuse it
};

// --- the table ---------------------------------------------------------------

struct engine_kind {
    const char *name; // "redis", as the head of a lock.c says it
    const char *title; // "Redis", as a sentence says it

    // The protocol between clients and servers.
    const struct wire_format *wire;

    // Clients connect to a port of the loopback: their library cannot use a
    // socket.
    bool by_port;

    // The server has several threads. After a stop they read their sockets in
    // an unknown order. So commands to a stopped server wait in a queue outside
    // (world/backlog.h). Servers that speak with each other are never stopped.
    bool unordered_after_stop;

    // The server works by itself when a connection ends or time passes: the
    // world has to ask whether it is done.
    bool acts_by_itself;

    // A story may give its server options.
    bool takes_options;

    // The server looks for leases that have ended at intervals only.
    bool ends_in_rounds;

    // A server whose disk was emptied refuses each client with a later
    // transaction than its own last one.
    bool refuses_the_ahead;

    // Starts the first server with these options ("--appendonly yes", by
    // words); ends all servers and frees the engine.
    struct engine *(*open)(const char *options);
    void (*close)(struct engine *engine);

    // Start one more server and register it (engine_register_server()). A
    // replica has a full copy when this returns. NULL: there can be none.
    void (*add_master)(struct engine *engine);
    void (*add_replica)(struct engine *engine);

    // Prepares the masters for many kills and starts. NULL: there is nothing to
    // prepare.
    void (*starts_often)(struct engine *engine);

    // Prepares the masters for a search, which uses them in thousands of worlds
    // without a replica. NULL: a search cannot follow such a server.
    void (*serves_search)(struct engine *engine);

    // "redis 7.0.15": the first server's.
    const char *(*version)(const struct engine *engine);

    // Sets the variables by which a client finds its servers. Returns their
    // number, at most ENGINE_VARIABLES. They are good until the next call.
    int (*client_environment)(struct variable *environment,
                              const struct address *addresses, int count);

    // For one server: SIGKILL; a new start from its disk; has another process
    // than this one connected to it?
    void (*kill)(struct engine *engine, int number);
    void (*start)(struct engine *engine, int number);
    bool (*has_met_others)(struct engine *engine, int number);

    // Three fates of the disk: all written so far is safe; all written since is
    // lost (NULL: the server answers only after its disk); everything is lost.
    // The last two are for a server that is down.
    void (*sync_disk)(struct engine *engine, int number);
    void (*lose_unsynced)(struct engine *engine, int number);
    void (*wipe_disk)(struct engine *engine, int number);

    // Makes a running server refuse every command that writes, with an error,
    // while it answers commands that only read; ends that. NULL:
    // it has no such setting. A server with finishes_first would first finish
    // the commands that wait in it: so this is no choice while there are any.
    bool finishes_first;
    void (*refuse_writes)(struct engine *engine, int number);
    void (*accept_writes)(struct engine *engine, int number);

    // Is the server done with all its work: requests, waits that can end,
    // leases that have ended? Clients have `idle` connections to it without a
    // request; `works`: there are others. An engine that can wait for the
    // server's rest returns true then.
    bool (*catch_up)(struct engine *engine, int number, int idle, bool works);

    // Cuts this replica off from the first server.
    void (*hold_replication)(struct engine *engine, int number);

    // Moves the clock in the steps that the servers need. NULL: in one step.
    void (*pass_time)(struct engine *engine, int64_t ns);

    // Types an operator's command, by words. Returns the answer as a trace
    // shows it; the caller frees it. `why` becomes the reason of a refusal, or
    // empty.
    char *(*operate)(struct engine *engine, int number, const char *command,
                     char *why, size_t size);

    // Translates an operator's command from Redis's words, in which stories are
    // written, for the lock under that key; KEY stands for it. NULL: there is
    // no such command, or nothing to which it applies. The text is static.
    // Without this function: the same words.
    const char *(*operators_words)(struct engine *engine, const char *command,
                                   const char *key);

    // Operators' commands. They fill the server's memory, so that it throws out
    // locks, and make room again; make it refuse writes, and end that; promote
    // a replica. NULL: there is no such command.
    const struct operator_command *full_memory;
    const char *refusal, *acceptance, *promotion;

    // Does the server answer clients? One that has lost the others of its
    // ensemble does not. NULL: it does while it runs.
    bool (*serves)(struct engine *engine, int number);

    // A new replica's words in a trace: "replicates server 1".
    const char *replication;

    // The time within which the servers elect a new leader themselves:
    // `promotion` only asks the replica for its state. 0: they elect none.
    int64_t election_ns;

    // Removes everything that clients have stored on the masters. NULL: it
    // cannot, and each world has new masters.
    void (*forget)(struct engine *engine);

    // Does forget() also undo a kill and a start (of servers without options),
    // a refusal of writes, this command of an operator? NULL: no command.
    bool forgets_restarts, forgets_refusals;
    bool (*forgets_command)(const char *command);

    // The lock, and requests that could change it: see the functions below.
    struct lock_state (*look)(struct engine *engine, int number,
                              const char *key);
    char *(*content)(struct engine *engine, int number, const char *key,
                     const struct lock_state *lock);
    bool (*may_change)(struct engine *engine, int number,
                       const struct message *request, bool in_transaction);
    bool (*would_change)(struct engine *engine, int number,
                         const struct message *request, bool in_transaction);
    bool (*reads)(struct engine *engine, int number,
                  const struct message *request, bool in_transaction,
                  const char *key);

    // The outcome of a write to the resource (docs/protocol.md); of any other
    // request, none. answer == NULL: no answer has come.
    enum write (*look_at_write)(const struct message *request,
                                const struct message *answer);

    // For a search, in an engine that serves_search: the effect of requests on
    // a server's memory of its clients.
    const struct request_rules *requests;

    // Scripts that clients store on a server. From now on the number of a
    // script depends only on its text, and the names of all scripts are
    // forgotten. New ones are learned, or not (at first they are).
    void (*number_scripts_by_text)(void);
    void (*forget_scripts)(void);
    void (*learn_scripts)(bool on);
};

// --- for an engine's own room ------------------------------------------------

// Registers a server that runs; it must not move in memory. Returns its number.
int engine_register_server(struct engine *engine, struct daemon *server);

// --- for all other rooms -----------------------------------------------------

// A function that has the name of one in the table does the same, for a server
// that exists.

// Starts another master, with the options of the first, and before any replica.
// Returns its number.
int engine_add_master(struct engine *engine);

// Starts a replica of the first server and returns its number when it has a
// full copy.
int engine_add_replica(struct engine *engine);

// Does this server run: neither dead nor stopped? Is it dead?
bool engine_runs(const struct engine *engine, int number);
bool engine_is_dead(const struct engine *engine, int number);

// Does it run, and answer clients?
bool engine_serves(struct engine *engine, int number);

// The door through which this process connects to the server.
struct door *engine_door(struct engine *engine, int number);

// Has another process than this one connected to a server? (A server counts the
// connections that it has accepted. This asks the servers that run; the answers
// of those that have ended are stored.)
bool engine_has_met_others(struct engine *engine);

void engine_kill(struct engine *engine, int number);
void engine_start(struct engine *engine, int number);

// SIGSTOP and SIGCONT.
void engine_stop(struct engine *engine, int number);
void engine_continue(struct engine *engine, int number);

// Its wall clock is ahead by that much.
void engine_skew(struct engine *engine, int number, int64_t ns);

void engine_sync_disk(struct engine *engine, int number);
void engine_lose_unsynced(struct engine *engine, int number);
void engine_wipe_disk(struct engine *engine, int number);
void engine_refuse_writes(struct engine *engine, int number);
void engine_accept_writes(struct engine *engine, int number);
void engine_pass_time(struct engine *engine, int64_t ns);
bool engine_catch_up(struct engine *engine, int number, int idle, bool works);
void engine_hold_replication(struct engine *engine, int number);

// An operator's command, by words: "an operator: DEL lock -> 1". The caller
// frees it. Ends the run if the server refuses and should not, or with
// `in_vain` does not refuse: the rest of the story would mean something else.
char *engine_operate(struct engine *engine, int number, const char *command,
                     bool in_vain);

const char *engine_operators_words(struct engine *engine, const char *command,
                                   const char *key);

// The lock as an outsider sees it. Also makes the server notice that time
// has passed. A server that is down has nothing.
struct lock_state engine_look(struct engine *engine, int number,
                              const char *key);

// Everything that this server holds, a line "KEY TTL VALUE" for each key,
// sorted; the TTL in milliseconds, -1: none. `lock` is the state just seen
// under `key`. The caller frees it.
char *engine_content(struct engine *engine, int number, const char *key,
                     const struct lock_state *lock);

// Could this request change the lock, if it ran now? In a transaction only the
// command that ends it can.
bool engine_may_change(struct engine *engine, int number,
                       const struct message *request, bool in_transaction);

// The same, but a script is tried: false if it would only read now.
bool engine_would_change(struct engine *engine, int number,
                         const struct message *request, bool in_transaction);

// Would the request only read the value under the key?
bool engine_reads(struct engine *engine, int number,
                  const struct message *request, bool in_transaction,
                  const char *key);

// Forgets the names of all scripts, if the engine has scripts.
void engine_forget_scripts(const struct engine_kind *kind);

#endif
