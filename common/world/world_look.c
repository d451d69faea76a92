// Looking at a world, without changing it.
#include "world_state.h"

#include "base/units.h"
#include "machine/clock.h"
#include "base/fail.h"

bool world_waits_in_server(const struct world *world, int server) {
    for (int i = 0; i < world->client_count; i++)
        for (int n = 0; n < MAX_CONNECTIONS; n++) {
            const struct connection *connection =
                world->clients[i].gate.connections[n];
            if (connection && connection->stage == STAGE_BLOCKED &&
                (server < 0 || connection->way->server == server))
                return true;
        }
    return false;
}

bool world_busy(const struct world *world, int client) {
    return world->clients[client].asked;
}

bool world_is_ready(const struct world *world, int client) {
    return world->clients[client].ready;
}

bool world_lives(const struct world *world, int client) {
    return client >= 0 && client < world->client_count &&
           world->clients[client].process.state != PROCESS_NONE;
}

int world_servers(const struct world *world) {
    return world->engine->count;
}

int world_masters(const struct world *world) {
    return world->engine->masters;
}

bool world_server_runs(const struct world *world, int server) {
    return server >= 0 && server < world->engine->count &&
           engine_runs(world->engine, server);
}

bool world_runs(const struct world *world, int client) {
    return world->clients[client].process.state == PROCESS_RUNS;
}

bool world_has_quit(const struct world *world, int client) {
    return world->clients[client].quit;
}

void world_expect_answer(const struct world *world, int number) {
    const struct actor *client = &world->clients[number];

    if (client->asked && client->patience_ns == 0 &&
        client->process.state == PROCESS_RUNS &&
        !gate_pending(&client->gate, 0))
        fail("client %s is still busy with %s and sends nothing: it has "
             "to answer without time going by", client->name,
             operation_word(client->operation));
}

enum operation world_operation(const struct world *world, int client) {
    return world->clients[client].operation;
}

enum result world_result(const struct world *world, int client) {
    return world->clients[client].result;
}

// Does the client wait for an answer there? It may have given up.
static bool is_awaited(const struct connection *connection) {
    return connection && connection->client.fd >= 0 &&
           connection->stage != STAGE_QUIET;
}

int64_t world_gives_up_ns(const struct world *world, int client,
                          int connection) {
    const struct connection *found =
        gate_connection(&world->clients[client].gate, connection);
    int64_t limit_ns = clock_limit(world->clients[client].clock_slot,
                                   connection);

    return is_awaited(found) && limit_ns > 0 ? found->since_ns + limit_ns : -1;
}

int world_open_connections(const struct world *world, int client) {
    const struct gate *gate = &world->clients[client].gate;
    int open = 0;

    for (int i = 0; i < MAX_CONNECTIONS; i++)
        open += gate->connections[i] && gate->connections[i]->client.fd >= 0;
    return open;
}

unsigned world_clock_reads(const struct world *world, int client) {
    return clock_reads(world->clients[client].clock_slot);
}

char *world_content(struct world *world, int server) {
    return engine_content(world->engine, server, world->place,
                          &world->shown.locks[server]);
}

int world_depth(const struct world *world, int client) {
    return world->clients[client].depth[0];
}

int world_pending(const struct world *world, int client, int except) {
    const struct connection *connection =
        gate_pending(&world->clients[client].gate, except);
    return connection ? connection->number : 0;
}

int world_passable(const struct world *world, int client, int except) {
    for (int n = 1; n <= world->clients[client].gate.made; n++) {
        enum stage stage = world_stage(world, client, n);
        if (n != except && (stage == STAGE_HELD || stage == STAGE_ANSWERED))
            return n;
    }
    return 0;
}

int world_first_to_give_up(const struct world *world, int client) {
    int64_t first_ns = INT64_MAX;
    int first = 0;

    for (int n = 1; n <= world->clients[client].gate.made; n++) {
        int64_t ns = world_gives_up_ns(world, client, n);
        if (ns >= 0 && ns < first_ns) {
            first_ns = ns;
            first = n;
        }
    }
    return first;
}

bool world_awaits(const struct world *world, int client) {
    const struct gate *gate = &world->clients[client].gate;

    for (int n = 1; n <= gate->made; n++)
        if (is_awaited(gate_connection(gate, n)))
            return true;
    return false;
}

int world_listens(const struct world *world, int client) {
    const struct gate *gate = &world->clients[client].gate;

    for (int n = 1; n <= gate->made; n++) {
        const struct connection *connection = gate_connection(gate, n);
        if (connection && (connection->listens ||
                           connection->stage == STAGE_BLOCKED))
            return n;
    }
    return 0;
}

bool world_has_subscribed(const struct world *world, int client,
                          int connection) {
    const struct connection *found =
        gate_connection(&world->clients[client].gate, connection);
    return found && found->listens;
}

enum stage world_stage(const struct world *world, int client, int connection) {
    const struct connection *found =
        gate_connection(&world->clients[client].gate, connection);
    if (!found)
        return STAGE_QUIET;
    return found->pushed ? STAGE_ANSWERED : found->stage;
}

int world_server_of(const struct world *world, int client, int connection) {
    const struct connection *found =
        gate_connection(&world->clients[client].gate, connection);
    return found ? found->way->server : -1;
}

bool world_may_change(struct world *world, int number, int connection) {
    const struct actor *client = &world->clients[number];
    const struct connection *held =
        gate_connection(&client->gate, connection);
    return held &&
           engine_may_change(world->engine, held->way->server,
                             &held->request, held->in_transaction);
}

bool world_would_change(struct world *world, int number, int connection) {
    const struct actor *client = &world->clients[number];
    const struct connection *held =
        gate_connection(&client->gate, connection);
    return held &&
           engine_would_change(world->engine, held->way->server,
                               &held->request, held->in_transaction);
}

bool world_reads(struct world *world, int number, int connection) {
    const struct connection *held =
        gate_connection(&world->clients[number].gate, connection);
    return held &&
           engine_reads(world->engine, held->way->server, &held->request,
                        held->in_transaction, world->place);
}

int64_t world_next_wait(const struct world *world, int client) {
    const struct wait *wait = waits_next(&world->clients[client].waits);
    return wait ? wait->deadline_ns : -1;
}

int world_waits(const struct world *world, int client) {
    const struct actor *actor = &world->clients[client];
    int waits = 0;

    for (int i = 0; i < MAX_WAITS; i++)
        waits += actor->waits.each[i].announced;
    return waits;
}

unsigned world_waits_announced(const struct world *world, int client) {
    return world->clients[client].waits.announced;
}

bool world_waits_since(const struct world *world, int client,
                       unsigned announced) {
    const struct actor *actor = &world->clients[client];
    const struct wait *next = waits_next(&actor->waits);

    for (int i = 0; next && i < MAX_WAITS; i++) {
        const struct wait *wait = &actor->waits.each[i];
        if (wait->announced && wait->number <= announced &&
            wait->deadline_ns == next->deadline_ns)
            return false;
    }
    return next != NULL;
}

int64_t world_next_server_wait(void) {
    return clock_next_server_wait();
}

int64_t world_lease_end(const struct world *world) {
    const struct lock_state *lock = &world->shown.lock;

    // A key still exists in the millisecond in which it has 0 left.
    return lock->exists && lock->ttl_ms >= 0
               ? world->shown.lock_ns + (lock->ttl_ms + 1) * MILLISECOND
               : -1;
}

int64_t world_now(void) {
    return clock_now();
}

bool world_has_met_others(struct world *world) {
    return engine_has_met_others(world->engine);
}

const char *world_place(const struct world *world) {
    return world->place;
}

const char *world_operators_words(struct world *world, const char *command) {
    return engine_operators_words(world->engine, command, world->place);
}

const char *world_version(const struct world *world) {
    return world->engine->kind->version(world->engine);
}

const char *world_server_title(const struct world *world) {
    return world->engine->kind->title;
}
