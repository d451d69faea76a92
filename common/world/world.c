#include "world_state.h"

#include "base/units.h"
#include "actor.h"
#include "endless.h"
#include "possible.h"
#include "machine/clock.h"
#include "base/fail.h"
#include "quiescence.h"

#include <stdio.h>
#include <stdlib.h>

static void settle(struct world *world) {
    come_to_rest(world->clients, world->client_count, world->engine);
}

static void look(struct world *world) {
    shown_look(&world->shown, world->engine);
}

// Looks at this server alone: no other one can have changed.
static void look_at(struct world *world, int server) {
    int place = shown_place(&world->shown, server);

    if (place < 0)
        look(world);
    else
        shown_look_at(&world->shown, world->engine, place);
}

// Is the choice an operator's command, on a server whose lock the world shows?
static bool is_operated(const struct world *world,
                        const struct choice *choice) {
    return (choice->kind == CHOOSE_OPERATE ||
            choice->kind == CHOOSE_OPERATE_IN_VAIN) &&
           shown_place(&world->shown, choice->server) >= 0;
}

// Something was done to a server.
static void report_done(struct world *world, const struct choice *choice,
                        const char *text) {
    world_report_event(world, (struct event){
        .kind = EVENT_SERVER,
        .client = -1,
        .choice = choice,
        .operated = is_operated(world, choice),
        .text = text,
    });
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

    world_report_asked(world, &choice);
    actor_ask(client, &choice);
}

// Looks at the lock after the end of a connection, if locks can end with it.
static void look_at_end(struct world *world) {
    if (!world->engine->kind->acts_by_itself)
        return;
    settle(world);
    look(world);
}

// Was a message of this client's on its way while time passed, or is its timer
// overdue? In real time it may be.
static bool is_late(const struct world *world, const struct actor *client) {
    const struct wait *wait = waits_next(&client->waits);

    return world->setup.real_time || gate_pending(&client->gate, 0) ||
           (wait && wait->deadline_ns < clock_now());
}

static void report_time(struct world *world) {
    unsigned delayed = 0;

    for (int i = 0; i < world->client_count; i++)
        delayed |= (unsigned)is_late(world, &world->clients[i]) << i;
    world_report_event(world, (struct event){
        .kind = EVENT_CLOCK, .client = -1, .delayed = delayed});
}

static bool has_ended(const struct lock_state *before,
                      const struct lock_state *now) {
    return before->exists &&
           (!now->exists || lock_state_new_value(before, now));
}

// In real time: reports time if a lock has ended since the last look, so that
// the next request is not blamed for it.
static void notice_end(struct world *world) {
    struct lock_state lock = world->shown.lock, second = world->shown.second;

    if (!world->setup.real_time)
        return;
    look(world);
    if (has_ended(&lock, &world->shown.lock) ||
        has_ended(&second, &world->shown.second))
        report_time(world);
}

static void forward(struct world *world, struct choice choice) {
    int server = connection_of(world, choice)->way->server;

    notice_end(world);
    gate_forward(connection_of(world, choice));
    settle(world);
    look_at(world, server);
}

static void forward_refused(struct world *world, struct choice choice) {
    int server = connection_of(world, choice)->way->server;

    world_report_wire(world, EVENT_REFUSED, choice.client,
                      connection_of(world, choice));
    engine_refuse_writes(world->engine, server);
    forward(world, choice);
    engine_accept_writes(world->engine, server);
}

static void deliver(struct world *world, struct choice choice) {
    struct connection *connection = connection_of(world, choice);

    // A client that has given up does not get the answer.
    world_report_wire(world, connection->client.fd < 0 ? EVENT_CUT
                           : gate_delivers_answer(connection) ? EVENT_ANSWER
                                                              : EVENT_HEARD,
                      choice.client, connection);
    if (connection->client.fd >= 0)
        actor_woken(client_of(world, choice));
    gate_deliver(connection);
}

static void end_connection(struct world *world, struct choice choice,
                           enum event_kind kind,
                           void (*end)(struct connection *connection)) {
    struct connection *connection = connection_of(world, choice);

    world_report_wire(world, kind, choice.client, connection);
    connection->given_up = kind == EVENT_GAVE_UP;
    end(connection);
    look_at_end(world);
}

// Breaks the connections on one way, or on all (NULL), and makes no new ones.
static void break_ways(struct world *world, int client, struct way *way) {
    struct gate *gate = &world->clients[client].gate;

    for (int n = 1; n <= gate->made; n++) {
        struct connection *connection = gate_connection(gate, n);
        if (!connection || (way && connection->way != way))
            continue;
        if (connection->pushed || connection->listens ||
            connection->stage != STAGE_QUIET)
            world_report_wire(world, EVENT_CUT, client, connection);
    }
    if (way)
        gate_shut_way(way);
    else
        gate_shut(gate);
}

static void isolate(struct world *world, struct choice choice) {
    break_ways(world, choice.client, NULL);
    look_at_end(world);
    world_add_event(world, EVENT_ISOLATED, choice.client, NULL);
}

static void report_way(struct world *world, enum event_kind kind,
                       struct choice choice) {
    world_report_event(world, (struct event){
        .kind = kind,
        .client = choice.client,
        .one_way = true,
        .server = choice.server,
    });
}

static void isolate_from(struct world *world, struct choice choice) {
    break_ways(world, choice.client,
               gate_way_to(&client_of(world, choice)->gate, choice.server));
    report_way(world, EVENT_ISOLATED, choice);
}

static void reconnect_to(struct world *world, struct choice choice) {
    gate_reopen_way(gate_way_to(&client_of(world, choice)->gate,
                                choice.server));
    report_way(world, EVENT_RECONNECTED, choice);
}

// A replica takes the place of the first server, whose data it has.
static void reach(struct world *world, struct choice choice) {
    struct actor *client = client_of(world, choice);
    struct way *way = &client->gate.ways[0];
    char text[64];

    snprintf(text, sizeof text, "%s reaches server %d%s", client->name,
             choice.server + 1, world->shown.servers[0] == choice.server
             ? "" : ", whose lock is shown from here on");
    break_ways(world, choice.client, way);
    gate_lead_to(way, choice.server,
                 engine_door(world->engine, choice.server));
    gate_reopen_way(way);
    world->shown.servers[0] = choice.server;
    look(world);
    report_done(world, &choice, text);
}

static void wake(struct world *world, struct choice choice) {
    world_add_event(world, EVENT_WOKE, choice.client, NULL);
    actor_woken(client_of(world, choice));
    waits_end_next(&client_of(world, choice)->waits);
}

static void advance(struct world *world, int64_t ns) {
    engine_pass_time(world->engine, ns);
    if (world->engine->kind->acts_by_itself ||
        world_waits_in_server(world, -1))
        settle(world);
    look(world);
    report_time(world);
}

static void skew(struct world *world, struct choice choice) {
    clock_skew(client_of(world, choice)->clock_slot, choice.ns);
    world_report_event(world, (struct event){
        .kind = EVENT_SKEWED, .client = choice.client, .ns = choice.ns});
}

static void operate(struct world *world, struct choice choice) {
    char *text = engine_operate(world->engine, choice.server, choice.text,
                                choice.kind == CHOOSE_OPERATE_IN_VAIN);

    settle(world);
    look(world);
    report_done(world, &choice, text);
    free(text);
}

// "the server" when there is one, "server 2" of several.
static void report_server(struct world *world, const struct choice *choice,
                          const char *what) {
    char text[128];

    if (world->engine->count == 1)
        snprintf(text, sizeof text, "the server %s", what);
    else
        snprintf(text, sizeof text, "server %d %s", choice->server + 1, what);
    look(world);
    report_done(world, choice, text);
}

static void age(struct world *world, int server) {
    int place = shown_place(&world->shown, server);

    if (place >= 0)
        shown_age(&world->shown, place);
}

static void stir_all(struct world *world) {
    for (int i = 0; i < world->client_count; i++)
        actor_stir(&world->clients[i]);
}

static void each_way(struct world *world, int server,
                     struct backlog *backlog) {
    for (int i = 0; i < world->client_count; i++) {
        struct way *way = gate_way_to(&world->clients[i].gate, server);
        if (way && backlog)
            gate_hold_back(way, backlog);
        else if (way)
            gate_let_through(way);
    }
}

static void stop_server(struct world *world, int server) {
    engine_stop(world->engine, server);
    if (!world->engine->kind->unordered_after_stop)
        return;
    world->backlog = backlog_open();
    each_way(world, server, world->backlog);
}

// A server that goes on first does its own work, because time has passed. Then
// the entries of its backlog come in, one after the other.
static void end_backlog(struct world *world, int server, bool comes_in) {
    if (!world->backlog)
        return;
    settle(world);
    while (comes_in && gate_pass_backlog(world->backlog)) {
        stir_all(world);
        settle(world);
    }
    each_way(world, server, NULL);
    backlog_close(world->backlog);
    world->backlog = NULL;
}

static void follow_servers(struct world *world) {
    for (int i = 0; i < world->client_count; i++)
        gate_follow_servers(&world->clients[i].gate);
}

static void kill_server(struct world *world, const struct choice *choice) {
    engine_kill(world->engine, choice->server);
    follow_servers(world);
    end_backlog(world, choice->server, false);
    settle(world);
    report_server(world, choice, "is killed");
}

static void continue_server(struct world *world, const struct choice *choice) {
    age(world, choice->server);
    report_server(world, choice, "continues");
    engine_continue(world->engine, choice->server);
    end_backlog(world, choice->server, true);
    settle(world);
    look(world);
}

static void skew_server(struct world *world, const struct choice *choice) {
    char text[64];

    engine_skew(world->engine, choice->server, choice->ns);
    snprintf(text, sizeof text, "has its clock moved by %+lld s",
             (long long)(choice->ns / SECOND));
    report_server(world, choice, text);
}

// For choices that need one call and a report.
static void do_and_report(struct world *world, const struct choice *choice,
                          void (*act)(struct engine *engine, int server),
                          const char *what) {
    act(world->engine, choice->server);
    report_server(world, choice, what);
}

static void do_to_server(struct world *world, const struct choice *choice) {
    switch (choice->kind) {
    case CHOOSE_KILL_SERVER:
        kill_server(world, choice);
        break;
    case CHOOSE_START_SERVER:
        do_and_report(world, choice, engine_start, "starts again");
        follow_servers(world);
        break;
    case CHOOSE_STOP_SERVER:
        report_server(world, choice, "is stopped");
        stop_server(world, choice->server);
        break;
    case CHOOSE_CONTINUE_SERVER:
        continue_server(world, choice);
        break;
    case CHOOSE_SKEW_SERVER:
        skew_server(world, choice);
        break;
    case CHOOSE_SYNC_DISK:
        do_and_report(world, choice, engine_sync_disk,
                      "has everything safe on its disk");
        break;
    case CHOOSE_LOSE_UNSYNCED:
        do_and_report(world, choice, engine_lose_unsynced,
                      world->engine->kind->lose_unsynced
                        ? "finds what it wrote last gone from its disk"
                        : "finds on its disk all that clients were told");
        break;
    case CHOOSE_WIPE_DISK:
        do_and_report(world, choice, engine_wipe_disk, "finds its disk empty");
        break;
    case CHOOSE_HOLD_REPLICATION:
        do_and_report(world, choice, engine_hold_replication,
                      "hears nothing from server 1");
        break;
    default:
        fail("not something that is done to a server");
    }
}

// Choices that change the way between a client and its servers.
static void do_to_way(struct world *world, struct choice choice) {
    switch (choice.kind) {
    case CHOOSE_ISOLATE: isolate(world, choice); break;
    case CHOOSE_RECONNECT:
        gate_reopen(&client_of(world, choice)->gate);
        world_add_event(world, EVENT_RECONNECTED, choice.client, NULL);
        break;
    case CHOOSE_ISOLATE_FROM: isolate_from(world, choice); break;
    case CHOOSE_RECONNECT_TO: reconnect_to(world, choice); break;
    case CHOOSE_REACH: reach(world, choice); break;
    default:
        fail("not something that is done to a client");
    }
}

static void do_to_connection(struct world *world, struct choice choice) {
    switch (choice.kind) {
    case CHOOSE_FORWARD: forward(world, choice); break;
    case CHOOSE_REFUSE: forward_refused(world, choice); break;
    case CHOOSE_DELIVER: deliver(world, choice); break;
    case CHOOSE_CUT: end_connection(world, choice, EVENT_CUT, gate_cut); break;
    case CHOOSE_GIVE_UP:
        end_connection(world, choice, EVENT_GAVE_UP, gate_abandon);
        break;
    default:
        fail("not something that is done to a connection");
    }
}

static void do_to_client(struct world *world, struct choice choice) {
    struct actor *client = client_of(world, choice);

    switch (choice.kind) {
    case CHOOSE_ASK: ask(world, choice); break;
    case CHOOSE_WAKE: wake(world, choice); break;
    case CHOOSE_SKEW: skew(world, choice); break;
    case CHOOSE_KILL:
        actor_kill(client);
        look_at_end(world);
        world_add_event(world, EVENT_KILLED, choice.client, NULL);
        break;
    case CHOOSE_STOP:
        process_stop(&client->process);
        world_add_event(world, EVENT_STOPPED, choice.client, NULL);
        break;
    case CHOOSE_SUSPEND:
        actor_suspend(client, world_now());
        world_add_event(world, EVENT_STOPPED, choice.client, "suspended");
        break;
    case CHOOSE_CONTINUE:
        actor_end_suspension(client, world_now());
        process_continue(&client->process);
        world_add_event(world, EVENT_CONTINUED, choice.client, NULL);
        break;
    default: do_to_way(world, choice); break;
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

// A server with options may write files, and forget() removes none.
static bool has_options(const struct world *world) {
    const char *options = world->setup.server_options;

    return options && *options;
}

// Does the choice leave something on a server that forget() does not remove?
static bool spoils(const struct world *world, const struct choice *choice) {
    const struct engine_kind *kind = world->engine->kind;

    switch (choice->kind) {
    case CHOOSE_REFUSE:
        return !kind->forgets_refusals;
    case CHOOSE_OPERATE:
        return !kind->forgets_command || !kind->forgets_command(choice->text);
    case CHOOSE_KILL_SERVER:
    case CHOOSE_START_SERVER:
    case CHOOSE_SYNC_DISK:
    case CHOOSE_LOSE_UNSYNCED:
    case CHOOSE_WIPE_DISK:
        return !kind->forgets_restarts || has_options(world);
    default:
        return choice_names_server(choice->kind);
    }
}

// A client may end its own process because of such a choice.
static bool troubles(const struct world *world, const struct choice *choice,
                     int client) {
    switch (choice->kind) {
    case CHOOSE_ASK:
    case CHOOSE_WAKE:
    case CHOOSE_FORWARD:
    case CHOOSE_DELIVER:
        return false;
    case CHOOSE_ADVANCE: // with a message on its way
        return gate_pending(&world->clients[client].gate, 0) != NULL;
    default:
        return choice_names_server(choice->kind) || choice->client == client;
    }
}

static void note_trouble(struct world *world, const struct choice *choice) {
    for (int i = 0; i < world->client_count; i++)
        if (troubles(world, choice, i))
            world->clients[i].troubled = true;
    if (choice->kind == CHOOSE_ASK && choice->operation == OPERATION_ENTER)
        world->clients[choice->client].troubled =
            !world_reaches_all(world, choice->client);
}

void world_do(struct world *world, struct choice choice) {
    const char *objection = world_objection(world, &choice);

    if (objection)
        fail("what comes next is not possible: %s", objection);
    world_report_event(world, (struct event){
        .kind = EVENT_CHOICE, .client = -1, .choice = &choice});
    stir(world, choice);
    note_trouble(world, &choice);
    world->touched = world->touched || spoils(world, &choice);
    if (choice.kind == CHOOSE_ADVANCE)
        advance(world, choice.ns);
    else if (choice.kind == CHOOSE_OPERATE ||
             choice.kind == CHOOSE_OPERATE_IN_VAIN)
        operate(world, choice);
    else if (choice_names_connection(choice.kind))
        do_to_connection(world, choice);
    else if (choice_names_client(choice.kind))
        do_to_client(world, choice);
    else
        do_to_server(world, &choice);
    settle(world);
    if (choice_names_client(choice.kind))
        endless_count(&world->clients[choice.client], world_now());
    world_report(world);
}

void world_wait(struct world *world, int us) {
    stir_all(world);
    loop_turn(us);
    settle(world);
    world_report(world);
}
