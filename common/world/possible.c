#include "possible.h"

#include "actor.h"
#include "world_state.h"

#include "machine/clock.h"

#include <stdarg.h>
#include <stdio.h>

static const char *object(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

static const char *object(const char *format, ...) {
    static char objection[128];
    va_list args;

    va_start(args, format);
    vsnprintf(objection, sizeof objection, format, args);
    va_end(args);
    return objection;
}

// --- the wire ----------------------------------------------------------------

static const char *of_wire(const struct world *world,
                           const struct choice *choice) {
    const struct actor *client = &world->clients[choice->client];
    const struct connection *connection =
        gate_connection(&client->gate, choice->connection);
    enum stage stage = connection ? connection->stage : STAGE_QUIET;
    bool refuses = choice->kind == CHOOSE_REFUSE;

    if ((choice->kind == CHOOSE_FORWARD || refuses) && stage != STAGE_HELD)
        return object("%s has sent nothing on connection %d", client->name,
                      choice->connection);
    if (choice->kind == CHOOSE_DELIVER && stage != STAGE_ANSWERED &&
        !(connection && connection->pushed))
        return object("%s has no answer on its way on connection %d",
                      client->name, choice->connection);
    if (choice->kind == CHOOSE_CUT && connection && connection->listens)
        return NULL;
    if (stage == STAGE_QUIET && choice->kind != CHOOSE_DELIVER)
        return object("%s has nothing on its way on connection %d",
                      client->name, choice->connection);
    if (refuses && !world->engine->kind->refuse_writes)
        return object("the server cannot be told to refuse writes");
    if (refuses && world->engine->kind->finishes_first &&
        world_waits_in_server(world, connection->way->server))
        return object("server %d refuses nothing while it keeps a command",
                      connection->way->server + 1);
    if (refuses && !engine_runs(world->engine, connection->way->server))
        return object("server %d is stopped or dead, and refuses nothing",
                      connection->way->server + 1);
    return NULL;
}

// --- clients -----------------------------------------------------------------

static const char *of_operation(const struct actor *client,
                                const struct choice *choice) {
    int locks = client->keys[1] ? CLIENT_LOCKS : 1;

    if (client->process.state == PROCESS_STOPPED)
        return object("%s is stopped", client->name);
    if (client->asked)
        return object("%s is still busy", client->name);
    if (choice->lock < 0 || choice->lock >= locks)
        return object("%s has no lock %d: it was opened with %d", client->name,
                      choice->lock + 1, locks);
    if (choice->thread < 0 || choice->thread > CLIENT_THREADS)
        return object("%s has no thread %d: they are 1 to %d", client->name,
                      choice->thread, CLIENT_THREADS);
    return NULL;
}

static const char *of_wait(const struct actor *client) {
    const struct wait *wait = waits_next(&client->waits);

    if (!wait)
        return object("%s waits for nothing", client->name);
    if (client->suspended_since_ns >= 0)
        return object("%s's machine is suspended", client->name);
    if (wait->deadline_ns > clock_now())
        return object("%s does not wake yet", client->name);
    return NULL;
}

// The choices about one of the client's servers.
static const char *of_way(const struct actor *client,
                          const struct choice *choice) {
    const struct gate *gate = &client->gate;
    const struct way *way = gate_way_to(gate, choice->server);
    int number = choice->server + 1;

    if (choice->kind == CHOOSE_REACH)
        return way && way != &gate->ways[0]
                   ? object("%s has a way to server %d already", client->name,
                            number)
                   : NULL;
    if (!way)
        return object("%s has no way to server %d", client->name, number);
    bool open = gate_way_is_open(way);
    if (choice->kind == CHOOSE_ISOLATE_FROM && !open)
        return object("%s is cut off from server %d already", client->name,
                      number);
    if (choice->kind == CHOOSE_RECONNECT_TO && open)
        return object("%s is not cut off from server %d", client->name, number);
    return NULL;
}

static bool is_cut_off_from_some(const struct gate *gate) {
    for (int i = 0; i < gate->way_count; i++)
        if (!gate_way_is_open(&gate->ways[i]))
            return true;
    return false;
}

static const char *of_client(const struct actor *client,
                             const struct choice *choice) {
    bool stopped = client->process.state == PROCESS_STOPPED;
    bool reaches = gate_is_open(&client->gate);

    if (client->process.state == PROCESS_NONE)
        return object("%s is dead", client->name);
    switch (choice->kind) {
    case CHOOSE_ASK:
        return of_operation(client, choice);
    case CHOOSE_WAKE:
        return of_wait(client);
    case CHOOSE_STOP:
    case CHOOSE_SUSPEND:
        return stopped ? object("%s is stopped already", client->name) : NULL;
    case CHOOSE_CONTINUE:
        return stopped ? NULL : object("%s is not stopped", client->name);
    case CHOOSE_ISOLATE:
        return reaches ? NULL : object("%s is cut off already", client->name);
    case CHOOSE_RECONNECT:
        return is_cut_off_from_some(&client->gate)
                   ? NULL : object("%s is not cut off", client->name);
    case CHOOSE_REACH:
    case CHOOSE_ISOLATE_FROM:
    case CHOOSE_RECONNECT_TO:
        return of_way(client, choice);
    default:
        return NULL;
    }
}

// --- servers -----------------------------------------------------------------

static const char *of_server(const struct engine *engine,
                             const struct choice *choice) {
    int number = choice->server + 1;

    if (number < 1 || number > engine->count)
        return object("there is no server %d", number);
    bool dead = engine_is_dead(engine, choice->server);
    bool runs = engine_runs(engine, choice->server);
    switch (choice->kind) {
    case CHOOSE_REACH:
        return NULL;
    case CHOOSE_HOLD_REPLICATION:
        return number == 1 ? object("server %d replicates nobody", number)
                           : NULL;
    case CHOOSE_START_SERVER:
    case CHOOSE_WIPE_DISK:
    case CHOOSE_LOSE_UNSYNCED:
        if (dead)
            return NULL;
        return object(runs ? "server %d runs"
                      : "server %d is stopped, and not dead", number);
    default:
        break;
    }
    if (dead)
        return object("server %d does not run", number);
    switch (choice->kind) {
    case CHOOSE_CONTINUE_SERVER:
        return runs ? object("server %d is not stopped", number) : NULL;
    case CHOOSE_STOP_SERVER:
        if (engine->kind->unordered_after_stop && engine->count > 1)
            return object("server %d cannot be stopped: it would do in no "
                          "order what the others sent it meanwhile", number);
        return runs ? NULL : object("server %d is stopped already", number);
    case CHOOSE_OPERATE:
    case CHOOSE_OPERATE_IN_VAIN:
        return runs ? NULL : object("server %d is stopped", number);
    default:
        return NULL;
    }
}

const char *world_objection(const struct world *world,
                            const struct choice *choice) {
    const struct actor *client = &world->clients[0];
    const char *objection;

    if (choice_names_client(choice->kind)) {
        if (choice->client < 0 || choice->client >= world->client_count)
            return object("there is no client %d", choice->client + 1);
        client = &world->clients[choice->client];
    }
    if (choice_names_connection(choice->kind))
        return of_wire(world, choice);
    switch (choice->kind) {
    case CHOOSE_REACH:
        objection = of_server(world->engine, choice);
        return objection ? objection : of_client(client, choice);
    case CHOOSE_ADVANCE:
        return choice->ns > 0 ? NULL : object("time goes forward");
    default:
        return choice_names_client(choice->kind)
                   ? of_client(client, choice)
                   : of_server(world->engine, choice);
    }
}

// --- everything --------------------------------------------------------------

struct offer {
    const struct world *world;
    void (*take)(void *argument, const struct choice *choice);
    void *argument;
};

static void offer(const struct offer *to, struct choice choice) {
    if (!world_objection(to->world, &choice))
        to->take(to->argument, &choice);
}

static void offer_operations(const struct offer *to, struct choice choice) {
    for (int o = OPERATION_ENTER; o <= OPERATION_REOPEN; o++)
        for (choice.lock = 0; choice.lock < CLIENT_LOCKS; choice.lock++)
            for (int t = 1; t <= CLIENT_THREADS; t++) {
                choice.operation = (enum operation)o;
                choice.thread = t;
                offer(to, choice);
            }
}

static void offer_connections(const struct offer *to, struct choice choice) {
    enum { MOST_CONNECTIONS = 9 }; // a schedule has one digit for them

    for (int c = 1; c <= MOST_CONNECTIONS; c++) {
        choice.connection = c;
        offer(to, choice);
    }
}

static void offer_servers(const struct offer *to, struct choice choice) {
    for (int s = 0; s < to->world->engine->count; s++) {
        choice.server = s;
        offer(to, choice);
    }
}

static void offer_kind(const struct offer *to, struct choice choice) {
    switch (choice.kind) {
    case CHOOSE_ASK:
        offer_operations(to, choice);
        break;
    case CHOOSE_REACH:
    case CHOOSE_ISOLATE_FROM:
    case CHOOSE_RECONNECT_TO:
        offer_servers(to, choice);
        break;
    default:
        if (choice_names_connection(choice.kind))
            offer_connections(to, choice);
        else if (choice_names_server(choice.kind))
            offer_servers(to, choice);
        else
            offer(to, choice);
    }
}

void world_each_possible(const struct world *world,
                         void (*take)(void *argument,
                                      const struct choice *choice),
                         void *argument) {
    const struct offer to = {world, take, argument};

    for (int kind = 0; kind <= CHOOSE_HOLD_REPLICATION; kind++) {
        struct choice choice = {.kind = (enum choice_kind)kind, .ns = 1};
        int clients = choice_names_client(choice.kind) ? world->client_count
                                                       : 1;
        for (choice.client = 0; choice.client < clients; choice.client++)
            offer_kind(&to, choice);
    }
}
