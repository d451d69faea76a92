// The beginning and the end of a world, and of each client in it.
#include "world_state.h"

#include "base/fail.h"
#include "machine/clock.h"
#include "machine/cores.h"
#include "machine/sandbox.h"
#include "endless.h"
#include "quiescence.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void settle(struct world *world) {
    come_to_rest(world->clients, world->client_count, world->engine);
}

// "lock2"; where a library puts something before the name, "prefix:lock2".
// The words before and after the key, if it lies between such.
static char *between(const char *before, const char *key, const char *after) {
    size_t size = strlen(before) + strlen(key) + strlen(after) + 1;
    char *text = must_have(malloc(size));

    snprintf(text, size, "%s%s%s", before, key, after);
    return text;
}

static char *place_of(const char *at, const char *key) {
    const char *hole = at ? strstr(at, WORLD_KEY_HOLE) : NULL;

    if (!hole)
        return between("", at ? at : key, "");
    char *before = must_have(strndup(at, (size_t)(hole - at)));
    char *place = between(before, key, hole + strlen(WORLD_KEY_HOLE));
    free(before);
    return place;
}

static void name_keys(struct world *world) {
    const struct world_setup *setup = &world->setup;

    world->second_key = between("", setup->key, "2");
    world->place = place_of(setup->at, setup->key);
    world->second_place = place_of(setup->at, world->second_key);
}

static void forget_keys(struct world *world) {
    free(world->second_key);
    free(world->place);
    free(world->second_place);
}

static void show_masters(struct world *world) {
    struct shown *shown = &world->shown;

    *shown = (struct shown){.count = world->engine->masters,
                            .key = world->place};
    for (int i = 0; i < shown->count; i++) {
        shown->servers[i] = i;
        shown->seconds[i].ttl_ms = -1;
    }
    shown_look(&world->shown, world->engine);
}

static void take_setup(struct world *world, const struct world_setup *setup) {
    world->setup = *setup;
    if (!setup->server_options)
        world->setup.server_options = "";
    name_keys(world);
}

static struct world *make_world(const struct world_setup *setup) {
    struct world *world = must_have(calloc(1, sizeof *world));

    take_setup(world, setup);
    snprintf(world->program, sizeof world->program, "%s", setup->program);
    actor_clear_environment(setup->engine);
    // When a server is gone, writing to it must fail and not end this process.
    signal(SIGPIPE, SIG_IGN);
    if (!setup->real_time)
        core_stay();
    return world;
}

static void unload_program(struct world *world) {
    for (int i = 0; i < MAX_CLIENTS; i++)
        home_unload(&world->homes[i]);
    world->forks = false;
}

static void close_homes(struct world *world) {
    for (int i = 0; i < MAX_CLIENTS; i++)
        home_close(&world->homes[i]);
}

static void open_servers(struct world *world) {
    const struct world_setup *setup = &world->setup;

    world->engine = setup->engine->open(setup->server_options);
    for (int i = 1; i < setup->masters; i++)
        engine_add_master(world->engine);
    clock_await_clients();
    show_masters(world);
}

struct world *world_open(const struct world_setup *setup) {
    struct world *world = make_world(setup);

    sandbox_open();
    clock_open(!setup->real_time);
    open_servers(world);
    if (setup->many_stories && setup->guest)
        world->forks = true;
    else if (setup->many_stories && setup->engine->starts_often)
        setup->engine->starts_often(world->engine);
    if (setup->many_lives) {
        setup->engine->serves_search(world->engine);
        world->forks = true;
    }
    return world;
}

static void discard_clients(struct world *world) {
    for (int i = 0; i < world->client_count; i++) {
        actor_discard(&world->clients[i]);
        gate_shut(&world->clients[i].gate);
    }
    world->client_count = 0;
    for (int i = 0; i < MAX_CLIENTS; i++)
        world->homes[i].is_used = false;
}

void world_rewind(struct world *world) {
    process_reap();
    discard_clients(world);
    clock_rewind((unsigned)world->engine->masters);
    clock_await_clients();
    if (world->engine->count > world->engine->masters)
        fail("a world with a replica cannot be rewound");
    for (int i = 0; i < world->engine->masters; i++)
        if (!engine_runs(world->engine, i))
            fail("only a world whose servers run can be rewound");
    world->engine->kind->forget(world->engine);
    show_masters(world);
}

bool world_is_untouched(struct world *world) {
    for (int i = 0; i < world->engine->count; i++)
        if (!engine_runs(world->engine, i))
            return false;
    return !world->touched && !world->setup.real_time &&
           world->engine->kind->forget &&
           !world_has_met_others(world);
}

static bool has_servers_of(const struct world *world,
                           const struct world_setup *setup) {
    return world->setup.engine == setup->engine && !setup->real_time &&
           world->setup.masters == setup->masters &&
           strcmp(world->setup.server_options, setup->server_options) == 0;
}

// A guest may have done to a server what the server cannot forget. Its home is
// kept where it has a host: elsewhere nobody knows what it has written.
static void replace_servers(struct world *world,
                            const struct world_setup *setup) {
    discard_clients(world);
    process_reap();
    for (int i = 0; i < MAX_CLIENTS; i++)
        home_tidy(&world->homes[i]);
    world->engine->kind->close(world->engine);
    engine_forget_scripts(setup->engine);
    forget_keys(world);
    take_setup(world, setup);
    clock_rewind(0);
    open_servers(world);
}

// Has each client of this world run on a host?
static bool has_hosts(const struct world *world) {
    for (int i = 0; i < MAX_CLIENTS; i++)
        if (world->homes[i].is_used && !world->homes[i].has_host)
            return false;
    return true;
}

static bool is_for_same_guest(const struct world *world,
                              const struct world_setup *setup) {
    return world->setup.guest && setup->guest && has_hosts(world) &&
           !setup->real_time && !world->backlog &&
           setup->engine == world->setup.engine && setup->engine->forget &&
           strcmp(world->program, setup->program) == 0;
}

bool world_begin_again(struct world *world, const struct world_setup *setup) {
    if (is_for_same_guest(world, setup)) {
        replace_servers(world, setup);
        return true;
    }
    if (world->setup.guest || setup->guest || !has_servers_of(world, setup))
        return false;
    engine_forget_scripts(setup->engine);
    forget_keys(world);
    take_setup(world, setup);
    world_rewind(world);
    bool same = strcmp(world->program, setup->program) == 0;
    if (!same)
        unload_program(world);
    else
        world->forks = true;
    snprintf(world->program, sizeof world->program, "%s", setup->program);
    return true;
}

void world_close(struct world *world) {
    for (int i = 0; i < world->client_count; i++) {
        actor_kill(&world->clients[i]);
        gate_shut(&world->clients[i].gate);
    }
    close_homes(world);
    world->engine->kind->close(world->engine);
    engine_forget_scripts(world->setup.engine);
    process_reap();
    sandbox_close();
    forget_keys(world);
    free(world);
}

int world_add_replica(struct world *world) {
    int number = engine_add_replica(world->engine);
    world->touched = true;
    char text[64];

    snprintf(text, sizeof text, "server %d %s", number + 1,
             world->setup.engine->replication);
    world_add_event(world, EVENT_SERVER, -1, text);
    return number;
}

// (A client that loads its scripts needs a few requests.)
enum { MOST_TO_GET_READY = 1000 };

static bool server_blocks_request(const struct world *world, int client) {
    for (int n = 1; n <= world->clients[client].gate.made; n++)
        if (world_stage(world, client, n) == STAGE_BLOCKED)
            return true;
    return false;
}

// May a client hold something for which others have to wait?
static bool somebody_may_be_inside(const struct world *world) {
    for (int i = 0; i < world->client_count; i++)
        if (world_depth(world, i) > 0 || world_busy(world, i) ||
            world_result(world, i) == RESULT_UNKNOWN)
            return true;
    return false;
}

// False if the client can go on only after another client.
static bool let_get_ready(struct world *world, int client) {
    struct actor *actor = &world->clients[client];
    struct connection *connection = gate_pending(&actor->gate, 0);

    if (!connection && server_blocks_request(world, client) &&
        somebody_may_be_inside(world))
        return false;
    if (!connection)
        fail("client %s waits before it says that it is ready",
             actor->name);
    int number = connection->number;
    gate_forward(connection);
    settle(world); // the server may also close the connection
    connection = gate_connection(&actor->gate, number);
    actor_stir(actor);
    if (connection && connection->stage == STAGE_ANSWERED)
        gate_deliver(connection);
    return true;
}

// Can a copy of the client be forked, and is that worth it?
static bool may_fork(const struct world *world) {
    return world->forks && (!world->setup.guest || world->guest_is_loaded);
}

static void start(struct world *world, struct actor *client, const char *name,
                  enum opened opened) {
    struct home *home = home_find(world->homes, name,
                                  hosts_are_wanted(world->setup.guest));
    struct actor_setup setup = {
        .program = world->setup.program,
        .slot = clock_client_slot(*name),
        .guest = world->setup.guest,
        .real_time = world->setup.real_time,
        .one_life = !world->setup.many_lives,
        .engine = world->engine,
        .servers = world->shown.servers,
        .server_count = world->shown.count,
        .key = world->setup.key,
        .second_key = opened != OPENED_ONE ? world->second_key : NULL,
        .turned = opened == OPENED_TURNED,
        .lease_ms = world->setup.lease_ms,
        .hidden = world->setup.hidden,
    };

    home_prepare(home, &setup, may_fork(world));
    actor_start(client, name, &setup);
    if (home->fork_server.ended)
        world->forks = false;
    if (opened != OPENED_ONE)
        world->shown.second_key = world->second_place;
}

static void await_ready(struct world *world, int number) {
    struct actor *client = &world->clients[number];

    settle(world);
    for (int passed = 0; !client->ready; settle(world)) {
        if (passed++ == MOST_TO_GET_READY) {
            endless_start(client, MOST_TO_GET_READY);
            break;
        }
        if (!let_get_ready(world, number))
            break;
    }
    if (world->setup.guest && clock_is_loaded(client->clock_slot))
        world->guest_is_loaded = true;
}

int world_add_client(struct world *world, const char *name,
                     enum opened opened) {
    int number = world->client_count;

    if (number == MAX_CLIENTS)
        fail("more than %d clients in one world", MAX_CLIENTS);
    start(world, &world->clients[number], name, opened);
    world->client_count++;
    await_ready(world, number);
    return number;
}
