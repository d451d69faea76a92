#include "world_parts.h"

#include "base/units.h"
#include "actor.h"
#include "possible.h"
#include "machine/clock.h"
#include "machine/cores.h"
#include "base/fail.h"
#include "quiescence.h"
#include "machine/sandbox.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- telling -----------------------------------------------------------------

static void tell(struct world *world, struct event event) {
    event.time_ns = clock_now();
    event.lock = world->lock;
    event.second = world->second;
    world->setup.watcher(world->setup.argument, &event);
}

void world_tell(struct world *world, enum event_kind kind, int client,
                const char *text) {
    tell(world, (struct event){.kind = kind, .client = client, .text = text});
}

static void tell_of(struct world *world, enum event_kind kind, int client) {
    world_tell(world, kind, client, NULL);
}

static void tell_wire(struct world *world, enum event_kind kind, int client,
                      const struct connection *connection) {
    bool pushed = connection->pushed;
    bool ran = connection->stage == STAGE_ANSWERED;
    bool sent = !pushed && connection->stage != STAGE_QUIET;

    tell(world, (struct event){
        .kind = kind,
        .client = client,
        .connection = connection->number,
        .request = sent ? &connection->request : NULL,
        .answer = ran || pushed ? &connection->answer : NULL,
        .elsewhere = world->clients[client].server != world->primary,
        .late = kind == EVENT_RAN && connection->given_up,
        .waited = kind == EVENT_RAN && connection->waited,
        .together = kind == EVENT_RAN && world->together,
        .resource = sent && engine_writes_resource(&connection->request),
    });
}

// Asks the server what it has under the lock's key. A server that is stopped
// cannot answer: then the world keeps what it saw last.
static void look(struct world *world) {
    struct engine *engine = &world->engine;
    int server = world->primary;

    if (!engine_runs(engine, server) && !engine_is_dead(engine, server))
        return;
    world->lock = engine_look(engine, server, world->setup.key);
    if (world->two_locks)
        world->second = engine_look(engine, server, world->second_key);
    world->looked_ns = clock_now();
}

static void age(struct lock_state *lock, int64_t passed_ms) {
    if (!lock->exists || lock->ttl_ms < 0)
        return;
    lock->ttl_ms -= passed_ms;
    if (lock->ttl_ms < 0)
        *lock = (struct lock_state){.ttl_ms = -1, .alone = lock->alone};
}

// What a server that was stopped has under the key before it works on what it
// was sent meanwhile: what it had before, unless the lease has ended.
static void look_at_stopped(struct world *world) {
    int64_t passed_ms = (clock_now() - world->looked_ns) / MILLISECOND;

    age(&world->lock, passed_ms);
    age(&world->second, passed_ms);
    world->looked_ns = clock_now();
}

// Is the choice an operator's command, on the server whose lock the world
// shows?
static bool is_operated(const struct world *world,
                        const struct choice *choice) {
    return (choice->kind == CHOOSE_OPERATE ||
            choice->kind == CHOOSE_OPERATE_IN_VAIN) &&
           choice->server == world->primary;
}

// Something was done to a server.
static void tell_done(struct world *world, const struct choice *choice,
                      const char *text) {
    tell(world, (struct event){.kind = EVENT_SERVER,
                               .client = -1,
                               .choice = choice,
                               .operated = is_operated(world, choice),
                               .text = text});
}

// --- reporting ---------------------------------------------------------------

static void settle(struct world *world) {
    come_to_rest(world->clients, world->client_count, &world->engine);
}

// Is the client's server up, and can the client reach it?
static bool is_reachable(const struct world *world, int number) {
    const struct actor *client = &world->clients[number];

    return gate_is_open(&client->gate) &&
           engine_runs(&world->engine, client->server);
}

static void report_result(struct world *world, int number) {
    struct actor *client = &world->clients[number];

    if (!client->answered)
        return;
    client->answered = false;
    int depth = actor_conclude(client);
    tell(world, (struct event){
        .kind = EVENT_RESULT,
        .client = number,
        .reachable = is_reachable(world, number),
        .waits = actor_next_wait(client) != NULL,
        .elsewhere = client->server != world->primary,
        .operation = client->operation,
        .result = client->result,
        .lock_number = client->lock_number,
        .thread = client->thread,
        .ns = client->lease_ns,
        .patience_ns = client->patience_ns,
        .depth = depth,
        .text = client->reason,
    });
}

static void report_requests(struct world *world, int number) {
    const struct gate *gate = &world->clients[number].gate;

    for (int n = 1; n <= gate->made; n++) {
        struct connection *connection = gate_connection(gate, n);
        if (!connection || connection->stage != STAGE_HELD || connection->told)
            continue;
        connection->told = true;
        tell_wire(world, EVENT_REQUEST, number, connection);
    }
}

// What its servers sent to it, or keep.
static void report_late(struct world *world, int number) {
    const struct gate *gate = &world->clients[number].gate;

    for (int n = 1; n <= gate->made; n++) {
        struct connection *connection = gate_connection(gate, n);
        if (connection && connection->pushed && !connection->pushed_told) {
            connection->pushed_told = true;
            tell_wire(world, EVENT_PUSHED, number, connection);
        }
        if (connection && connection->stage == STAGE_WAITING &&
            !connection->told) {
            connection->told = true;
            tell_wire(world, EVENT_WAITS, number, connection);
        }
    }
}

// Reports what has happened since the last choice. First the requests that ran,
// in the order in which they reached a server, and what servers sent by
// themselves. Then what each client has said and sent, client by client: in
// which order they did it, nobody can know.
static void report(struct world *world) {
    struct connection *ran;

    world->together =
        actors_count_ran(world->clients, world->client_count) > 1;
    for (int number; (ran = actors_next_ran(world->clients,
                                            world->client_count, &number));) {
        ran->told = true;
        tell_wire(world, EVENT_RAN, number, ran);
    }
    for (int i = 0; i < world->client_count; i++)
        report_late(world, i);
    for (int i = 0; i < world->client_count; i++) {
        report_result(world, i);
        report_requests(world, i);
    }
}

// --- choices -----------------------------------------------------------------

static struct actor *client_of(struct world *world, struct choice choice) {
    return &world->clients[choice.client];
}

static struct connection *connection_of(struct world *world,
                                        struct choice choice) {
    return gate_connection(&client_of(world, choice)->gate, choice.connection);
}

static void ask(struct world *world, struct choice choice) {
    struct actor *client = client_of(world, choice);

    tell(world, (struct event){.kind = EVENT_ASKED,
                               .client = choice.client,
                               .reachable = is_reachable(world, choice.client),
                               .operation = choice.operation,
                               .lock_number = choice.lock,
                               .thread = choice.thread > 1 ? choice.thread : 1,
                               .ns = choice.ns,
                               .patience_ns = choice.patience_ns,
                               .depth = client->depth[choice.lock] +
                                        client->leaving[choice.lock]});
    actor_ask(client, &choice);
}

static void forward(struct world *world, struct choice choice) {
    struct actor *client = client_of(world, choice);

    gate_forward(connection_of(world, choice));
    settle(world);
    if (!gate_connection(&client->gate, choice.connection))
        actor_stir(client); // the server has closed it
    look(world);
}

static void forward_refused(struct world *world, struct choice choice) {
    int server = client_of(world, choice)->server;

    tell_wire(world, EVENT_REFUSED, choice.client,
              connection_of(world, choice));
    engine_refuse_writes(&world->engine, server);
    forward(world, choice);
    engine_accept_writes(&world->engine, server);
}

static void deliver(struct world *world, struct choice choice) {
    struct connection *connection = connection_of(world, choice);

    // A client that has given up does not get the answer.
    tell_wire(world, connection->client.fd < 0 ? EVENT_CUT
                     : connection->pushed      ? EVENT_HEARD
                                               : EVENT_ANSWER,
              choice.client, connection);
    if (connection->client.fd >= 0)
        actor_told(client_of(world, choice));
    gate_deliver(connection);
}

static void end_connection(struct world *world, struct choice choice,
                           enum event_kind kind,
                           void (*end)(struct connection *connection)) {
    struct connection *connection = connection_of(world, choice);

    tell_wire(world, kind, choice.client, connection);
    connection->given_up = kind == EVENT_GAVE_UP;
    end(connection);
}

static void break_all(struct world *world, struct choice choice) {
    struct gate *gate = &client_of(world, choice)->gate;

    for (int n = 1; n <= gate->made; n++) {
        struct connection *connection = gate_connection(gate, n);
        if (connection && (connection->pushed || connection->listens ||
                           connection->stage != STAGE_QUIET))
            tell_wire(world, EVENT_CUT, choice.client, connection);
    }
    gate_shut(gate);
}

static void isolate(struct world *world, struct choice choice) {
    break_all(world, choice);
    tell_of(world, EVENT_ISOLATED, choice.client);
}

static void reach(struct world *world, struct choice choice) {
    struct actor *client = client_of(world, choice);
    char text[64];

    snprintf(text, sizeof text, "%s reaches server %d%s", client->name,
             choice.server + 1, world->primary == choice.server
             ? "" : ", whose lock is shown from here on");
    break_all(world, choice);
    gate_lead_to(&client->gate, engine_door(&world->engine, choice.server));
    gate_reopen(&client->gate);
    client->server = world->primary = choice.server;
    look(world);
    tell_done(world, &choice, text);
}

static void wake(struct world *world, struct choice choice) {
    tell_of(world, EVENT_WOKE, choice.client);
    actor_told(client_of(world, choice));
    actor_wake(client_of(world, choice));
}

// Time has passed. Was something of this client's on its way, or is a timer of
// its overdue? In real time nobody can say that it is not.
static bool is_late(const struct world *world, const struct actor *client) {
    const struct wait *wait = actor_next_wait(client);

    return world->setup.real_time || gate_pending(&client->gate, 0) ||
           (wait && wait->deadline_ns < clock_now());
}

static void advance(struct world *world, int64_t ns) {
    unsigned delayed = 0;

    clock_move(ns);
    look(world);
    for (int i = 0; i < world->client_count; i++)
        delayed |= (unsigned)is_late(world, &world->clients[i]) << i;
    tell(world, (struct event){.kind = EVENT_CLOCK, .client = -1,
                               .delayed = delayed});
}

static void skew(struct world *world, struct choice choice) {
    clock_skew(client_of(world, choice)->clock_slot, choice.ns);
    tell(world, (struct event){.kind = EVENT_SKEWED,
                               .client = choice.client,
                               .ns = choice.ns});
}

static void operate(struct world *world, struct choice choice) {
    char *text = engine_operate(&world->engine, choice.server, choice.text,
                                choice.kind == CHOOSE_OPERATE_IN_VAIN);

    settle(world);
    look(world);
    tell_done(world, &choice, text);
    free(text);
}

// "the server" when there is one, "server 2" of several.
static void tell_server(struct world *world, const struct choice *choice,
                        const char *what) {
    char text[128];

    if (world->engine.count == 1)
        snprintf(text, sizeof text, "the server %s", what);
    else
        snprintf(text, sizeof text, "server %d %s", choice->server + 1, what);
    look(world);
    tell_done(world, choice, text);
}

static void do_to_server(struct world *world, struct choice choice) {
    struct engine *engine = &world->engine;
    char text[64];

    switch (choice.kind) {
    case CHOOSE_KILL_SERVER:
        engine_kill(engine, choice.server);
        settle(world);
        tell_server(world, &choice, "is killed");
        break;
    case CHOOSE_START_SERVER:
        engine_start(engine, choice.server);
        tell_server(world, &choice, "starts again");
        break;
    case CHOOSE_STOP_SERVER:
        tell_server(world, &choice, "is stopped");
        engine_stop(engine, choice.server);
        break;
    case CHOOSE_CONTINUE_SERVER:
        look_at_stopped(world);
        tell_server(world, &choice, "continues");
        engine_continue(engine, choice.server);
        settle(world);
        look(world);
        break;
    case CHOOSE_SKEW_SERVER:
        engine_skew(engine, choice.server, choice.ns);
        snprintf(text, sizeof text, "has its clock moved by %+lld s",
                 (long long)(choice.ns / SECOND));
        tell_server(world, &choice, text);
        break;
    case CHOOSE_SYNC_DISK:
        engine_sync_disk(engine, choice.server);
        tell_server(world, &choice, "has everything safe on its disk");
        break;
    case CHOOSE_LOSE_UNSYNCED:
        engine_lose_unsynced(engine, choice.server);
        tell_server(world, &choice,
                    "finds what it wrote last gone from its disk");
        break;
    case CHOOSE_WIPE_DISK:
        engine_wipe_disk(engine, choice.server);
        tell_server(world, &choice, "finds its disk empty");
        break;
    case CHOOSE_HOLD_REPLICATION:
        engine_hold_replication(engine, choice.server);
        tell_server(world, &choice, "hears nothing from server 1");
        break;
    default:
        fail("not something that is done to a server");
    }
}

// Marks the clients that may run because of this choice. A choice about a
// server may make every client run; a choice about a client, that one. But no
// client notices by itself that its command reaches the server or that time
// passes.
static void stir(struct world *world, struct choice choice) {
    bool unheard = choice.kind == CHOOSE_FORWARD ||
                   choice.kind == CHOOSE_REFUSE ||
                   choice.kind == CHOOSE_ADVANCE;

    for (int i = 0; i < world->client_count; i++)
        if (choice_names_server(choice.kind) ||
            (choice.client == i && !unheard))
            actor_stir(&world->clients[i]);
}

void world_do(struct world *world, struct choice choice) {
    const char *objection = world_objection(world, &choice);

    if (objection)
        fail("what comes next is not possible: %s", objection);
    tell(world, (struct event){.kind = EVENT_CHOICE, .client = -1,
                               .choice = &choice});
    stir(world, choice);
    switch (choice.kind) {
    case CHOOSE_ASK:
        ask(world, choice);
        break;
    case CHOOSE_FORWARD:
        forward(world, choice);
        break;
    case CHOOSE_REFUSE:
        forward_refused(world, choice);
        break;
    case CHOOSE_DELIVER:
        deliver(world, choice);
        break;
    case CHOOSE_CUT:
        end_connection(world, choice, EVENT_CUT, gate_cut);
        break;
    case CHOOSE_GIVE_UP:
        end_connection(world, choice, EVENT_GAVE_UP, gate_abandon);
        break;
    case CHOOSE_ADVANCE:
        advance(world, choice.ns);
        break;
    case CHOOSE_WAKE:
        wake(world, choice);
        break;
    case CHOOSE_SKEW:
        skew(world, choice);
        break;
    case CHOOSE_KILL:
        actor_kill(client_of(world, choice));
        tell_of(world, EVENT_KILLED, choice.client);
        break;
    case CHOOSE_STOP:
        process_stop(&client_of(world, choice)->process);
        tell_of(world, EVENT_STOPPED, choice.client);
        break;
    case CHOOSE_CONTINUE:
        process_continue(&client_of(world, choice)->process);
        tell_of(world, EVENT_CONTINUED, choice.client);
        break;
    case CHOOSE_ISOLATE:
        isolate(world, choice);
        break;
    case CHOOSE_RECONNECT:
        gate_reopen(&client_of(world, choice)->gate);
        tell_of(world, EVENT_RECONNECTED, choice.client);
        break;
    case CHOOSE_REACH:
        reach(world, choice);
        break;
    case CHOOSE_OPERATE:
    case CHOOSE_OPERATE_IN_VAIN:
        operate(world, choice);
        break;
    default:
        do_to_server(world, choice);
        break;
    }
    settle(world);
    report(world);
}

void world_wait(struct world *world, int us) {
    for (int i = 0; i < world->client_count; i++)
        actor_stir(&world->clients[i]);
    loop_turn(us);
    settle(world);
    report(world);
}

// --- life --------------------------------------------------------------------

// "lock2"; where a library puts something before the name, "prefix:lock2".
static char *second_key(const char *key) {
    size_t size = strlen(key) + sizeof "2";
    char *second = must_have(malloc(size));

    snprintf(second, size, "%s2", key);
    return second;
}

struct world *world_open(const struct world_setup *setup) {
    struct world *world = must_have(calloc(1, sizeof *world));

    world->setup = *setup;
    world->second_key = second_key(setup->key);
    actor_clear_environment();
    // When a server is gone, writing to it must fail and not end this process.
    signal(SIGPIPE, SIG_IGN);
    if (!setup->real_time)
        core_stay();
    sandbox_open();
    clock_open(!setup->real_time);
    engine_open(&world->engine,
                setup->server_options ? setup->server_options : "");
    look(world);
    if (setup->many_lives) {
        engine_starts_often(&world->engine);
        struct variable first_clock[CLOCK_VARIABLES + 1];
        clock_environment(first_clock, 0, NULL);
        actor_fork_server(&world->fork_server, setup->program, setup->guest,
                          first_clock);
    }
    return world;
}

void world_rewind(struct world *world) {
    process_reap();
    for (int i = 0; i < world->client_count; i++) {
        actor_discard(&world->clients[i]);
        gate_shut(&world->clients[i].gate);
    }
    world->client_count = 0;
    world->two_locks = false;
    clock_rewind(1);
    if (world->engine.count > 1 || !engine_runs(&world->engine, 0))
        fail("only a world with one server that runs can be rewound");
    engine_forget(&world->engine);
    world->primary = 0;
    look(world);
}

void world_close(struct world *world) {
    for (int i = 0; i < world->client_count; i++) {
        actor_kill(&world->clients[i]);
        gate_shut(&world->clients[i].gate);
    }
    if (world->setup.many_lives)
        fork_server_close(&world->fork_server);
    engine_close(&world->engine);
    sandbox_close();
    free(world->second_key);
    free(world);
}

int world_add_replica(struct world *world) {
    int number = engine_add_replica(&world->engine);
    char text[64];

    snprintf(text, sizeof text, "server %d replicates server 1", number + 1);
    world_tell(world, EVENT_SERVER, -1, text);
    return number;
}

// A client that only loads its scripts needs a few.
enum { MOST_TO_GET_READY = 1000 };

static void let_get_ready(struct world *world, struct actor *client) {
    struct connection *connection = gate_pending(&client->gate, 0);

    if (!connection)
        fail("client %s waits before it says that it is ready",
             client->name);
    int number = connection->number;
    gate_forward(connection);
    settle(world); // the server may also close the connection
    connection = gate_connection(&client->gate, number);
    actor_stir(client);
    if (connection && connection->stage == STAGE_ANSWERED)
        gate_deliver(connection);
}

int world_add_client(struct world *world, const char *name, bool two_locks) {
    int number = world->client_count;
    struct actor *client = &world->clients[number];

    if (number == MAX_CLIENTS)
        fail("more than %d clients in one world", MAX_CLIENTS);
    const struct actor_setup setup = {
        .program = world->setup.program,
        .fork_server = world->setup.many_lives ? &world->fork_server : NULL,
        .guest = world->setup.guest,
        .real_time = world->setup.real_time,
        .server = engine_door(&world->engine, world->primary),
        .key = world->setup.key,
        .second_key = two_locks ? world->second_key : NULL,
        .lease_ms = world->setup.lease_ms,
        .hidden = world->setup.hidden,
    };
    actor_start(client, name, &setup);
    client->server = world->primary;
    world->two_locks = world->two_locks || two_locks;
    world->client_count++;
    settle(world);
    for (int passed = 0; !client->ready; settle(world)) {
        if (passed++ == MOST_TO_GET_READY)
            fail("client %s has sent %d commands and does not say that it is "
                 "ready", client->name, MOST_TO_GET_READY);
        let_get_ready(world, client);
    }
    return number;
}
