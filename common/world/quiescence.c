#include "quiescence.h"

#include "base/fail.h"
#include "endless.h"
#include "machine/process.h"

static bool all_rest(struct actor *clients, int count) {
    for (int i = 0; i < count; i++)
        if (!actor_rests(&clients[i]))
            return false;
    return true;
}

// A connection with a request on which a server can work; NULL: there is none.
// (A stopped server cannot.)
static const struct connection *find_working(const struct actor *clients,
                                             int count,
                                             const struct engine *engine) {
    for (int i = 0; i < count; i++)
        for (int j = 0; j < MAX_CONNECTIONS; j++) {
            const struct connection *c = clients[i].gate.connections[j];
            if (c && (c->stage == STAGE_RUNNING || c->enters) &&
                !backlog_has(c->backlogged) &&
                engine_runs(engine, c->way->server))
                return c;
        }
    return NULL;
}

// Asks this server whether it has done all that it can.
static bool catches_up(struct actor *clients, int count, struct engine *engine,
                       int server) {
    bool works = false;
    int idle = 0;

    for (int i = 0; i < count; i++)
        for (int j = 0; j < clients[i].gate.way_count; j++) {
            const struct way *way = &clients[i].gate.ways[j];
            if (way->server != server)
                continue;
            works = works || gate_has_work(way);
            idle += gate_count_idle(way);
        }
    return engine_catch_up(engine, server, idle, works);
}

// A pushed message or the answer to a blocked request cannot be waited for:
// there may be none. So the servers of clients that listen or wait are asked
// whether they have finished. True if one was asked; `done` if all have.
static bool servers_catch_up(struct actor *clients, int count,
                             struct engine *engine, bool *done) {
    unsigned asked = 0; // 1 << server

    *done = true;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < clients[i].gate.way_count; j++) {
            const struct way *way = &clients[i].gate.ways[j];
            bool asks = gate_hears_late(way) ||
                        engine->kind->acts_by_itself;
            if (!asks || !engine_runs(engine, way->server) ||
                asked & 1u << way->server)
                continue;
            *done = catches_up(clients, count, engine, way->server) && *done;
            asked |= 1u << way->server;
        }
    return asked != 0;
}

// Called when the servers are done: unanswered requests wait in them.
static void block_requests(struct actor *clients, int count,
                           struct engine *engine) {
    for (int i = 0; i < count; i++)
        for (int j = 0; j < clients[i].gate.way_count; j++)
            if (engine_runs(engine, clients[i].gate.ways[j].server))
                gate_block(&clients[i].gate.ways[j]);
}

_Noreturn static void blame_restless(const struct engine *engine) {
    for (int i = 0; i < engine->count; i++)
        if (engine_runs(engine, i))
            daemon_blame_if_awake(engine->servers[i], "does not come to rest");
    fail("the servers do not come to rest, for %d s", PATIENCE_MS / 1000);
}

_Noreturn static void blame_silent(const struct connection *connection,
                                   const struct engine *engine) {
    const char *client = connection->gate->owner;
    const char *request = connection->request.text;
    char what[192];

    if (request)
        snprintf(what, sizeof what, "has not answered client %s's \"%.100s\"",
                 client, request);
    else
        snprintf(what, sizeof what, "has not accepted client %s's connection",
                 client);
    daemon_blame(engine->servers[connection->way->server], what);
}

// Blames the client, or the unanswered request, for which the world waits in
// vain.
_Noreturn static void blame_client_or_silent(struct actor *clients, int count,
                                             const struct engine *engine) {
    const struct connection *connection = find_working(clients, count, engine);

    for (int i = 0; i < count; i++) {
        struct actor *client = &clients[i];
        if (!actor_rests(client))
            fail("client %s neither answers nor sends anything (%s), "
                 "for %d s", client->name,
                 client->ready ? operation_word(client->operation)
                                     : "before it was ready",
                 PATIENCE_MS / 1000);
    }
    if (connection)
        blame_silent(connection, engine);
    blame_restless(engine);
}

// A client or a server that still runs shares our core: while we wait it
// runs, and mostly it sends something, which ends the wait. So a wait in the
// first turn is long enough for that: a shorter one would take the core away
// from it. Then it has still to go to sleep, which takes a moment, and which
// nobody tells us. We must look again in any case, because a thread can end
// without writing anything. Each look takes the core away, so the moments
// grow: a client that starts needs some milliseconds.
// (sched_yield() would not do: to Linux it gives up a whole turn, and a process
// that calls it often waits for seconds when others want the core.)
static int moment_us(int turns) {
    enum { WORK_US = 200, FALL_ASLEEP_US = 25, LONGEST_US = 999 };

    if (turns == 0)
        return WORK_US;
    int us = turns * FALL_ASLEEP_US;
    return us < LONGEST_US ? us : LONGEST_US;
}

// (A server can have overlooked a message that came while it was asked. So
// after many turns all are asked anew, a few times.)
void come_to_rest(struct actor *clients, int count, struct engine *engine) {
    enum { MANY = 64, MOST_TIMES = 3 };
    struct patience patience = {0};
    bool caught_up = false;
    int times = 0;

    for (int turns = 0;; turns++) {
        bool moving = loop_turn(0);
        if (!moving && !caught_up) {
            bool some = servers_catch_up(clients, count, engine, &caught_up);
            if (!caught_up) {
                loop_turn(moment_us(turns));
                if (!process_patience(&patience))
                    blame_restless(engine);
            }
            if (some)
                continue;
        }
        caught_up = !moving;
        if (!moving)
            block_requests(clients, count, engine);
        if (!moving && !find_working(clients, count, engine) &&
            all_rest(clients, count) && !loop_turn(0))
            return;
        if (!moving && loop_turn(moment_us(turns)))
            caught_up = false;
        if (turns % MANY == MANY - 1 && times++ < MOST_TIMES)
            caught_up = false;
        if (turns % MANY == MANY - 1)
            endless_watch(clients, count, turns == MANY - 1);
        if (!process_patience(&patience))
            blame_client_or_silent(clients, count, engine);
    }
}
