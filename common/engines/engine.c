#include "engine.h"

#include "base/fail.h"
#include "machine/clock.h"

#include <stdio.h>
#include <stdlib.h>

int engine_register_server(struct engine *engine, struct daemon *server) {
    engine->servers[engine->count] = server;
    return engine->count++;
}

static int check(const struct engine *engine, int number) {
    if (number < 0 || number >= engine->count)
        fail("there is no server %d", number + 1);
    return number;
}

static void check_room(const struct engine *engine) {
    if (engine->count == MAX_SERVERS)
        fail("more than %d servers in one world", MAX_SERVERS);
}

// --- life --------------------------------------------------------------------

int engine_add_master(struct engine *engine) {
    check_room(engine);
    engine->kind->add_master(engine);
    return engine->masters++;
}

int engine_add_replica(struct engine *engine) {
    check_room(engine);
    engine->kind->add_replica(engine);
    return engine->count - 1;
}

// --- a server ----------------------------------------------------------------

bool engine_runs(const struct engine *engine, int number) {
    return engine->servers[number]->process.state == PROCESS_RUNS;
}

bool engine_is_dead(const struct engine *engine, int number) {
    return engine->servers[number]->process.state == PROCESS_NONE;
}

bool engine_serves(struct engine *engine, int number) {
    return engine_runs(engine, number) &&
           (!engine->kind->serves || engine->kind->serves(engine, number));
}

struct door *engine_door(struct engine *engine, int number) {
    return &engine->servers[number]->door;
}

bool engine_has_met_others(struct engine *engine) {
    bool some = false;

    for (int i = 0; i < engine->count; i++)
        some = engine->kind->has_met_others(engine, i) || some;
    return some;
}

void engine_kill(struct engine *engine, int number) {
    engine->kind->has_met_others(engine, check(engine, number));
    engine->kind->kill(engine, number);
    door_close(&engine->servers[number]->door);
}

void engine_start(struct engine *engine, int number) {
    engine->kind->start(engine, check(engine, number));
}

void engine_stop(struct engine *engine, int number) {
    process_stop(&engine->servers[check(engine, number)]->process);
}

void engine_continue(struct engine *engine, int number) {
    process_continue(&engine->servers[check(engine, number)]->process);
}

void engine_skew(struct engine *engine, int number, int64_t ns) {
    clock_skew(engine->servers[check(engine, number)]->slot, ns);
}

void engine_sync_disk(struct engine *engine, int number) {
    if (engine->kind->sync_disk)
        engine->kind->sync_disk(engine, check(engine, number));
}

void engine_lose_unsynced(struct engine *engine, int number) {
    if (engine->kind->lose_unsynced)
        engine->kind->lose_unsynced(engine, check(engine, number));
}

void engine_wipe_disk(struct engine *engine, int number) {
    engine->kind->wipe_disk(engine, check(engine, number));
}

void engine_refuse_writes(struct engine *engine, int number) {
    engine->kind->refuse_writes(engine, check(engine, number));
}

void engine_accept_writes(struct engine *engine, int number) {
    engine->kind->accept_writes(engine, check(engine, number));
}

void engine_pass_time(struct engine *engine, int64_t ns) {
    if (engine->kind->pass_time)
        engine->kind->pass_time(engine, ns);
    else
        clock_move(ns);
}

bool engine_catch_up(struct engine *engine, int number, int idle, bool works) {
    return engine->kind->catch_up(engine, check(engine, number), idle, works);
}

void engine_hold_replication(struct engine *engine, int number) {
    engine->kind->hold_replication(engine, check(engine, number));
}

char *engine_operate(struct engine *engine, int number, const char *command,
                     bool in_vain) {
    char where[32] = "", why[256] = "", *text = NULL;
    char *answer = engine->kind->operate(engine, check(engine, number),
                                         command, why, sizeof why);

    if (*why && !in_vain)
        fail("the server refuses %s: %s", command, why);
    if (!*why && in_vain)
        fail("the server does not refuse %s", command);
    if (engine->count > 1)
        snprintf(where, sizeof where, " of server %d", number + 1);
    if (asprintf(&text, "an operator%s: %s -> %s", where, command, answer) < 0)
        fail("no memory for an answer");
    free(answer);
    return text;
}

const char *engine_operators_words(struct engine *engine, const char *command,
                                   const char *key) {
    return engine->kind->operators_words
               ? engine->kind->operators_words(engine, command, key) : command;
}

// --- the lock ----------------------------------------------------------------

struct lock_state engine_look(struct engine *engine, int number,
                              const char *key) {
    if (engine_is_dead(engine, check(engine, number)))
        return (struct lock_state){.ttl_ms = -1, .down = true};
    return engine->kind->look(engine, number, key);
}

char *engine_content(struct engine *engine, int number, const char *key,
                     const struct lock_state *lock) {
    return engine->kind->content(engine, check(engine, number), key, lock);
}

bool engine_may_change(struct engine *engine, int number,
                       const struct message *request, bool in_transaction) {
    return engine->kind->may_change(engine, check(engine, number), request,
                                    in_transaction);
}

bool engine_would_change(struct engine *engine, int number,
                         const struct message *request, bool in_transaction) {
    return engine->kind->would_change(engine, check(engine, number), request,
                                      in_transaction);
}

bool engine_reads(struct engine *engine, int number,
                  const struct message *request, bool in_transaction,
                  const char *key) {
    return engine->kind->reads(engine, check(engine, number), request,
                               in_transaction, key);
}

// --- scripts -----------------------------------------------------------------

void engine_forget_scripts(const struct engine_kind *kind) {
    if (kind->forget_scripts)
        kind->forget_scripts();
}
