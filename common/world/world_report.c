// Events: reports of all that happens in a world, to its watcher.
#include "world_state.h"

#include "base/units.h"
#include "actor.h"
#include "machine/clock.h"

#include <stdio.h>

void world_report_event(struct world *world, struct event event) {
    event.time_ns = clock_now();
    event.lock = world->shown.lock;
    event.second = world->shown.second;
    event.masters = world->shown.count > 1 ? world->shown.locks : NULL;
    world->setup.watcher(world->setup.argument, &event);
}

void world_add_event(struct world *world, enum event_kind kind, int client,
                     const char *text) {
    world_report_event(world, (struct event){
        .kind = kind, .client = client, .text = text});
}

void world_report_wire(struct world *world, enum event_kind kind, int client,
                       const struct connection *connection) {
    bool ran = connection->stage == STAGE_ANSWERED;
    bool pushed = connection->pushed &&
                  (connection->stage == STAGE_QUIET ||
                   kind == EVENT_PUSHED || kind == EVENT_HEARD);
    bool sent = !pushed && connection->stage != STAGE_QUIET;

    world_report_event(world, (struct event){
        .kind = kind,
        .client = client,
        .connection = connection->number,
        .request = sent ? &connection->request : NULL,
        .answer = pushed ? &connection->push
                  : ran  ? &connection->answer : NULL,
        .server = connection->way->server,
        .elsewhere = shown_place(&world->shown, connection->way->server) < 0,
        .late = kind == EVENT_RAN && connection->given_up,
        .waited = kind == EVENT_RAN && connection->was_blocked,
        .together = kind == EVENT_RAN && world->together,
        .gained = kind == EVENT_RAN &&
                  shown_gained(&world->shown, connection->way->server),
        .write = world->engine->kind->look_at_write(&connection->request,
                                      sent && ran ? &connection->answer : NULL),
    });
}

// Has this client a server whose lock is not shown?
static bool is_elsewhere(const struct world *world, int number) {
    const struct gate *gate = &world->clients[number].gate;

    for (int i = 0; i < gate->way_count; i++)
        if (shown_place(&world->shown, gate->ways[i].server) < 0)
            return true;
    return false;
}

// The number of the client's running servers that it can reach.
static int count_reachable(const struct world *world, int number) {
    const struct gate *gate = &world->clients[number].gate;
    int reachable = 0;

    for (int i = 0; i < gate->way_count; i++)
        reachable += gate_way_is_open(&gate->ways[i]) &&
                     engine_serves(world->engine, gate->ways[i].server);
    return reachable;
}

static bool is_reachable(const struct world *world, int number) {
    return count_reachable(world, number) >=
           lock_state_majority(world->clients[number].gate.way_count);
}

bool world_reaches_all(const struct world *world, int number) {
    return count_reachable(world, number) ==
           world->clients[number].gate.way_count;
}

void world_report_asked(struct world *world, const struct choice *choice) {
    const struct actor *client = &world->clients[choice->client];

    world_report_event(world, (struct event){
        .kind = EVENT_ASKED,
        .client = choice->client,
        .reachable = is_reachable(world, choice->client),
        .all_reachable = world_reaches_all(world, choice->client),
        .operation = choice->operation,
        .lock_number = choice->lock,
        .thread = choice->thread > 1 ? choice->thread : 1,
        .ns = choice->ns,
        .patience_ns = choice->patience_ns,
        .depth = client->depth[choice->lock] + client->leaving[choice->lock],
    });
}

// (A timer that ends after a lease renews nothing.)
static bool has_timer(const struct actor *client) {
    const struct wait *wait = waits_next(&client->waits);

    return wait && wait->deadline_ns <
                       world_now() + (int64_t)client->lease_ms * MILLISECOND;
}

static void report_result(struct world *world, int number) {
    struct actor *client = &world->clients[number];

    if (!client->answered)
        return;
    client->answered = false;
    int depth = actor_conclude(client);
    world_report_event(world, (struct event){
        .kind = EVENT_RESULT,
        .client = number,
        .reachable = is_reachable(world, number),
        .all_reachable = world_reaches_all(world, number),
        .waits = has_timer(client),
        .pending = client->gate.unheard || gate_pending(&client->gate, 0),
        .elsewhere = is_elsewhere(world, number),
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

// Reports that a client sleeps: it waits for the lock and has nothing on its
// way.
static void report_sleep(struct world *world, int number) {
    struct actor *client = &world->clients[number];

    if (!client->asked || client->patience_ns == 0 || client->sleeps ||
        !world_runs(world, number) || gate_pending(&client->gate, 0) ||
        !(waits_next(&client->waits) || gate_blocks(&client->gate)))
        return;
    client->sleeps = true;
    world_report_event(world, (struct event){
        .kind = EVENT_SLEEPS,
        .client = number,
        .operation = client->operation,
        .lock_number = client->lock_number,
        .thread = client->thread,
        .patience_ns = client->patience_ns,
    });
}

static void report_requests(struct world *world, int number) {
    const struct gate *gate = &world->clients[number].gate;

    for (int n = 1; n <= gate->made; n++) {
        struct connection *connection = gate_connection(gate, n);
        if (!connection || connection->stage != STAGE_HELD ||
            connection->reported)
            continue;
        connection->reported = true;
        connection->since_ns = world_now();
        world->clients[number].sleeps = false;
        world_report_wire(world, EVENT_REQUEST, number, connection);
    }
}

// Reports messages that servers pushed to the client, and requests that wait in
// them.
static void report_late(struct world *world, int number) {
    const struct gate *gate = &world->clients[number].gate;

    for (int n = 1; n <= gate->made; n++) {
        struct connection *connection = gate_connection(gate, n);
        if (connection && connection->pushed && !connection->push_reported) {
            connection->push_reported = true;
            world_report_wire(world, EVENT_PUSHED, number, connection);
        }
        if (connection && world->setup.looks_ahead &&
            connection->last_push.bytes && !connection->last_push_reported) {
            connection->last_push_reported = true;
            world_report_event(world, (struct event){
                .kind = EVENT_PUBLISHED,
                .client = number,
                .connection = connection->number,
                .answer = &connection->last_push,
            });
        }
        if (connection && connection->stage == STAGE_BLOCKED &&
            !connection->reported) {
            connection->reported = true;
            world_report_wire(world, EVENT_WAITS, number, connection);
        }
    }
}

static void report_crash(struct world *world, int number) {
    struct actor *client = &world->clients[number];
    char how[32];

    if (!client->crashed)
        return;
    client->crashed = false;
    snprintf(how, sizeof how, "signal %d", client->process.ended_by);
    world_add_event(world, EVENT_CRASHED, number, how);
}

static void report_quit(struct world *world, int number) {
    struct actor *client = &world->clients[number];
    char how[sizeof client->quit_how];

    if (!*client->quit_how)
        return;
    memcpy(how, client->quit_how, sizeof how);
    *client->quit_how = '\0';
    actor_forget_holds(client); // an answer may have come just before its end
    world_add_event(world, EVENT_QUIT, number, how);
}

bool world_report_endless(struct world *world, int number) {
    struct actor *client = &world->clients[number];
    char how[sizeof client->endless];

    if (!*client->endless)
        return false;
    snprintf(how, sizeof how, "%s", client->endless);
    *client->endless = '\0';
    world_add_event(world, EVENT_ENDLESS, number, how);
    return true;
}

static void report_client(struct world *world, int number) {
    report_result(world, number);
    report_requests(world, number);
    report_sleep(world, number);
    report_crash(world, number);
    report_quit(world, number);
    world_report_endless(world, number);
}

// Reports first the requests that ran, in the order in which they reached a
// server, and the pushed messages. Then follow the results and requests of each
// client, client by client: their order in time is not known.
void world_report(struct world *world) {
    struct connection *ran;

    world->together =
        actors_count_ran(world->clients, world->client_count) > 1;
    for (int number; (ran = actors_next_ran(world->clients,
                                            world->client_count, &number));) {
        ran->reported = true;
        world_report_wire(world, EVENT_RAN, number, ran);
    }
    shown_report(&world->shown);
    for (int i = 0; i < world->client_count; i++)
        report_late(world, i);
    for (int i = 0; i < world->client_count; i++)
        if (world->clients[i].quit) // its end lets others in
            report_client(world, i);
    for (int i = 0; i < world->client_count; i++)
        report_client(world, i);
}
