#include "world.h"

#include "../units.h"
#include "client.h"
#include "clock.h"
#include "fail.h"
#include "redis_server.h"
#include "sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct world {
    struct world_setup setup;
    struct redis_server server;
    struct lock_state lock; // as last looked at
    struct client clients[MAX_CLIENTS];
    int client_count;
};

// --- telling -----------------------------------------------------------------

static void tell(struct world *world, struct event event) {
    event.time_ns = clock_now();
    event.lock = world->lock;
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
    bool ran = connection->stage == STAGE_ANSWERED;
    tell(world, (struct event){
        .kind = kind,
        .client = client,
        .connection = connection->number,
        .request = &connection->request,
        .answer = ran ? &connection->answer : NULL,
    });
}

// The server's view is asked for where it can have changed.
static void look(struct world *world) {
    if (world->server.own)
        world->lock = redis_server_look(&world->server, world->setup.key);
    else
        world->lock = (struct lock_state){.ttl_ms = -1};
}

// --- coming to rest ----------------------------------------------------------

static bool all_rest(struct world *world) {
    for (int i = 0; i < world->client_count; i++)
        if (!client_rests(&world->clients[i]))
            return false;
    return true;
}

static bool server_works(const struct world *world) {
    for (int i = 0; i < world->client_count; i++)
        for (int j = 0; j < MAX_CONNECTIONS; j++) {
            const struct connection *c = world->clients[i].gate.connections[j];
            if (c && c->stage == STAGE_RUNNING)
                return true;
        }
    return false;
}

_Noreturn static void stuck(struct world *world) {
    for (int i = 0; i < world->client_count; i++) {
        struct client *client = &world->clients[i];
        if (!client_rests(client))
            world_fail("client %s neither answers nor sends anything (%s), "
                       "for %d s", client->name,
                       client->ready ? operation_word(client->operation)
                                     : "before it was ready",
                       PATIENCE_MS / 1000);
    }
    world_fail("the server did not answer within %d s", PATIENCE_MS / 1000);
}

static void settle(struct world *world) {
    struct timespec start, now;

    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        while (loop_turn(0))
            continue;
        if (!server_works(world) && all_rest(world) && !loop_turn(0))
            return;
        // A few microseconds are the usual case; a thread that ends without a
        // word is noticed at the next look.
        loop_turn(50);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - start.tv_sec > PATIENCE_MS / 1000)
            stuck(world);
    }
}

static int depth_after(const struct client *client) {
    if (client->operation == OPERATION_ENTER && client->result == RESULT_OK)
        return client->depth + 1;
    if (client->operation == OPERATION_LEAVE && client->result == RESULT_OK)
        return client->depth > 0 ? client->depth - 1 : 0;
    if (client->operation == OPERATION_LEAVE && client->result == RESULT_LOST)
        return 0;
    return client->depth;
}

static void report_result(struct world *world, int number) {
    struct client *client = &world->clients[number];

    if (!client->answered)
        return;
    client->answered = false;
    client->depth = depth_after(client);
    tell(world, (struct event){
        .kind = EVENT_RESULT,
        .client = number,
        .operation = client->operation,
        .result = client->result,
        .depth = client->depth,
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

// What clients have said and sent since the last choice, in a fixed order:
// several threads may have come to rest in any.
static void report(struct world *world) {
    for (int i = 0; i < world->client_count; i++) {
        report_result(world, i);
        report_requests(world, i);
    }
}

// --- choices -----------------------------------------------------------------

static struct client *client_of(struct world *world, struct choice choice) {
    if (choice.client < 0 || choice.client >= world->client_count)
        world_fail("there is no client %d", choice.client);
    return &world->clients[choice.client];
}

static struct connection *connection_of(struct world *world,
                                        struct choice choice,
                                        enum stage stage) {
    struct client *client = client_of(world, choice);
    struct connection *connection =
        gate_connection(&client->gate, choice.connection);

    if (!connection || connection->stage != stage)
        world_fail("nothing of client %s is %s on connection %d", client->name,
                   stage == STAGE_HELD ? "held" : "answered",
                   choice.connection);
    return connection;
}

static void forward(struct world *world, struct choice choice) {
    struct connection *connection = connection_of(world, choice, STAGE_HELD);

    gate_forward(connection);
    settle(world);
    look(world);
    connection = gate_connection(&client_of(world, choice)->gate,
                                 choice.connection);
    if (connection && connection->stage == STAGE_ANSWERED)
        tell_wire(world, EVENT_RAN, choice.client, connection);
}

static void deliver(struct world *world, struct choice choice) {
    struct connection *connection =
        connection_of(world, choice, STAGE_ANSWERED);

    tell_wire(world, EVENT_ANSWER, choice.client, connection);
    gate_deliver(connection);
}

static void cut(struct world *world, struct choice choice) {
    struct client *client = client_of(world, choice);
    struct connection *connection =
        gate_connection(&client->gate, choice.connection);

    if (!connection)
        world_fail("client %s has no connection %d", client->name,
                   choice.connection);
    tell_wire(world, EVENT_CUT, choice.client, connection);
    gate_cut(connection);
}

static void isolate(struct world *world, struct choice choice) {
    const struct gate *gate = &client_of(world, choice)->gate;

    for (int n = 1; n <= gate->made; n++) {
        struct connection *connection = gate_connection(gate, n);
        if (connection && connection->stage != STAGE_QUIET)
            tell_wire(world, EVENT_CUT, choice.client, connection);
    }
    gate_shut(&client_of(world, choice)->gate);
    tell_of(world, EVENT_ISOLATED, choice.client);
}

static void wake(struct world *world, struct choice choice) {
    struct wait *wait = client_next_wait(client_of(world, choice));

    if (!wait || wait->deadline_ns > clock_now())
        world_fail("client %s has no wait that is over",
                   client_of(world, choice)->name);
    tell_of(world, EVENT_WOKE, choice.client);
    client_wake(wait);
}

static void advance(struct world *world, int64_t ns) {
    clock_move(ns);
    look(world);
    tell_of(world, EVENT_CLOCK, -1);
}

static void skew(struct world *world, struct choice choice) {
    clock_skew(client_of(world, choice)->clock_slot, choice.ns);
    tell(world, (struct event){.kind = EVENT_SKEWED,
                               .client = choice.client,
                               .ns = choice.ns});
}

static void kill_server(struct world *world) {
    redis_server_kill(&world->server);
    look(world);
    tell_of(world, EVENT_SERVER_KILLED, -1);
}

static void start_server(struct world *world) {
    redis_server_start(&world->server);
    look(world);
    tell_of(world, EVENT_SERVER_STARTED, -1);
}

void world_do(struct world *world, struct choice choice) {
    switch (choice.kind) {
    case CHOOSE_ASK:
        tell(world, (struct event){.kind = EVENT_ASKED,
                                   .client = choice.client,
                                   .operation = choice.operation,
                                   .depth = client_of(world, choice)->depth});
        client_ask(client_of(world, choice), choice.operation);
        break;
    case CHOOSE_FORWARD:
        forward(world, choice);
        break;
    case CHOOSE_DELIVER:
        deliver(world, choice);
        break;
    case CHOOSE_CUT:
        cut(world, choice);
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
        client_kill(client_of(world, choice));
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
    case CHOOSE_KILL_SERVER:
        kill_server(world);
        break;
    case CHOOSE_START_SERVER:
        start_server(world);
        break;
    }
    settle(world);
    report(world);
}

// --- life --------------------------------------------------------------------

struct world *world_open(const struct world_setup *setup) {
    struct world *world = calloc(1, sizeof *world);

    world->setup = *setup;
    sandbox_open();
    clock_open();
    redis_server_start(&world->server);
    look(world);
    return world;
}

void world_close(struct world *world) {
    for (int i = 0; i < world->client_count; i++) {
        client_kill(&world->clients[i]);
        gate_shut(&world->clients[i].gate);
    }
    if (world->server.own)
        redis_server_kill(&world->server);
    sandbox_close();
    free(world);
}

int world_add_client(struct world *world, const char *name) {
    int number = world->client_count;
    struct client *client = &world->clients[number];

    if (number == MAX_CLIENTS)
        world_fail("more than %d clients in one world", MAX_CLIENTS);
    client_start(client, name, world->setup.program, world->server.path,
                 world->setup.key, world->setup.lease_ms);
    world->client_count++;
    for (settle(world); !client->ready; settle(world)) {
        struct connection *connection = gate_pending(&client->gate, 0);
        if (!connection)
            stuck(world);
        gate_forward(connection);
        settle(world);
        gate_deliver(connection);
    }
    return number;
}

// --- looking -----------------------------------------------------------------

bool world_busy(const struct world *world, int client) {
    return world->clients[client].asked;
}

bool world_runs(const struct world *world, int client) {
    return world->clients[client].process.state == PROCESS_RUNS;
}

int world_depth(const struct world *world, int client) {
    return world->clients[client].depth;
}

int world_pending(const struct world *world, int client, int except) {
    const struct connection *connection =
        gate_pending(&world->clients[client].gate, except);
    return connection ? connection->number : 0;
}

enum stage world_stage(const struct world *world, int client, int connection) {
    const struct connection *found =
        gate_connection(&world->clients[client].gate, connection);
    return found ? found->stage : STAGE_QUIET;
}

bool world_may_change(struct world *world, int client, int connection) {
    const struct connection *held =
        gate_connection(&world->clients[client].gate, connection);
    return redis_server_may_change(&world->server, &held->request);
}

int64_t world_next_wait(struct world *world, int client) {
    const struct wait *wait = client_next_wait(&world->clients[client]);
    return wait ? wait->deadline_ns : -1;
}

int64_t world_lease_end(const struct world *world) {
    const struct lock_state *lock = &world->lock;

    // A key still exists in the millisecond in which it has 0 left.
    return lock->exists && lock->ttl_ms >= 0
               ? clock_now() + (lock->ttl_ms + 1) * MILLISECOND
               : -1;
}

int64_t world_now(const struct world *world) {
    (void)world;
    return clock_now();
}

const char *world_version(const struct world *world) {
    return world->server.version;
}
