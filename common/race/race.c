// A race on one lock: its settings, its world, its clients, its end.
#include "race_more.h"

#include "base/fail.h"
#include "director.h"
#include "race_run.h"
#include "report/elsewhere.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- the settings ------------------------------------------------------------

struct race *race_new(const struct options *options, const char *name,
                      const char *lock) {
    struct race *race = must_have(calloc(1, sizeof *race));

    race->options = *options;
    race->name = race->own_name[0] = name;
    race->server_options = "";
    snprintf(race->lock, sizeof race->lock, "%s", lock);
    judge_open(&race->judge);
    record_open(&race->record);
    return race;
}

void set_server_options(struct race *race, const char *server_options) {
    race->server_options = server_options;
}

void set_lease(struct race *race, int64_t lease_ns) {
    race->lease_ms = (int)(lease_ns / MILLISECOND);
}

void set_masters(struct race *race, int masters) {
    struct options *options = &race->options;

    if (!options->masters && !options->client && locks_masters(race->lock) > 1)
        options->masters = masters;
}

void set_key(struct race *race, const char *key) {
    options_own_key(&race->options, key);
}

// --- the world ---------------------------------------------------------------

static void watch(void *argument, const struct event *event) {
    struct race *race = argument;
    race->cut = race->cut || event->kind == EVENT_CUT;
    if (event->kind == EVENT_RAN)
        race->clients[event->client].missed_script =
            event->answer->misses_script;
    if (event->kind != EVENT_CHOICE)
        judge_watch(&race->judge, event);
    if (!race->options.judged_only)
        record_add(&race->record, event);
}

// Notes the race, its lock and its server.
static void begin_record(struct race *race, int lease_ms) {
    const struct options *options = &race->options;
    struct record *record = &race->record;

    record->race = race->name;
    record->lock = race->lock;
    record->server = world_version(race->world);
    record->server_title = world_server_title(race->world);
    record->lease_ms = lease_ms;
    record->schedule.lease_ms = race->lease_ms;
    record->schedule.masters = options->masters;
    record->masters = race->masters;
    record->place = world_place(race->world);
    record->guest = (struct guest){options->client, options->key, options->at,
                                   options->engine};
    if (!options->key_given && strcmp(options->key, USUAL_KEY) != 0)
        snprintf(record->schedule.key, SCHEDULE_KEY_SIZE, "%s", options->key);
    record->replays = !options->real && !strchr(options->key, '"');
    locks_short_name(race->lock, record->schedule.lock);
    if (*race->server_options)
        record_step(record, (struct step){STEP_OPTIONS,
                                          {.text = race->server_options}});
}

// The spare world, if it is as good as a new one.
static struct world *open_world(struct world **spare,
                                const struct world_setup *setup) {
    struct world *world = spare ? *spare : NULL;

    if (!world)
        return world_open(setup);
    *spare = NULL;
    if (world_begin_again(world, setup))
        return world;
    world_close(world);
    return world_open(setup);
}

// Can the next race have this one's world? Not after a student's lock, which
// may do to a server what the server cannot forget. (After a guest the world
// gets other servers.)
static bool may_share(const struct race *race) {
    return race->spare && !race->options.real && !race->options.fresh &&
           (race->options.client || !locks_is_mine(race->lock));
}

void race_begin(struct race *race) {
    const struct options *options = &race->options;
    int usual_ms = race->lease_ms > 0 ? race->lease_ms : LEASE_S * 1000;

    if (race->world)
        return;
    race->engine = options_engine(options, race->lock);
    if (!race->engine->takes_options)
        race->server_options = "";
    race->masters = options_world_masters(options, race->lock);
    for (int i = 0; i < race->masters; i++)
        race->servers[i] = (struct server){.race = race, .number = i};
    if (!options->client)
        locks_client(race->lock, race->program);
    race->judge.lease_ns = usual_ms * MILLISECOND;
    race->judge.local = !options->client && locks_is_local(race->lock);
    const struct world_setup setup = {
        .engine = race->engine,
        .program = options->client ? options->client : race->program,
        .guest = options->client != NULL,
        .many_stories = may_share(race),
        .real_time = options->real,
        .key = options->key,
        .at = options->at,
        .hidden = options->races ? options->races : race->own_name,
        .server_options = race->server_options,
        .masters = race->masters,
        .lease_ms = options->real ? options->real_lease_ms : usual_ms,
        .watcher = watch,
        .argument = race,
    };
    race->world = open_world(race->spare, &setup);
    begin_record(race, setup.lease_ms);
}

// --- the end -----------------------------------------------------------------

bool race_run(struct race *race, void (*story)(struct race *race)) {
    race->in_story = true;
    bool ended = setjmp(race->end) != 0;
    if (!ended)
        story(race);
    race->in_story = false;
    return !ended;
}

// To the verdict that nothing was seen under the key: where to look.
static void say_where_lock_lies(struct race *race) {
    struct judge *judge = &race->judge;
    size_t used = strlen(judge->sentence);
    char *where = elsewhere_find(&race->record);

    if (where)
        snprintf(judge->sentence + used, sizeof judge->sentence - used, " %s",
                 where);
    free(where);
}

void race_conclude(struct race *race) {
    race_run(race, settle_doubt);
    judge_close(&race->judge);
    if (world_has_met_others(race->world))
        judge_give_up(&race->judge,
                      "A client has spoken to the server past its gate.");
    else if (race->judge.blind && race->options.client &&
             race->judge.verdict == VERDICT_INCONCLUSIVE)
        say_where_lock_lies(race);
}

// The lease with which this race may come in time, in whole seconds. 0: it was
// not too slow, or no lease is left to try.
static int longer_lease_ms(const struct race *race) {
    int64_t seconds = (2 * race->needed_ms + 999) / 1000;

    if (seconds > MOST_REAL_LEASE_S)
        seconds = MOST_REAL_LEASE_S;
    return race->needed_ms == 0 ||
                   seconds * 1000 <= race->options.real_lease_ms
               ? 0 : (int)seconds * 1000;
}

struct race *race_play(const struct options *options, const char *name,
                       void (*story)(struct race *race), const char *lock,
                       struct world **spare) {
    struct options with = *options;
    struct race *race;

    for (int lease_ms;; with.real_lease_ms = lease_ms) {
        race = race_new(&with, name, lock);
        race->spare = spare;
        race_run(race, story);
        race_conclude(race);
        lease_ms = longer_lease_ms(race);
        if (lease_ms == 0)
            return race;
        fprintf(stderr, "This machine is too busy for %s with a lease of %d s: "
                "again with %d s\n", name, with.real_lease_ms / 1000,
                lease_ms / 1000);
        race_free(race);
    }
}

void race_free(struct race *race) {
    if (may_share(race) &&
        (race->options.client || world_is_untouched(race->world)))
        *race->spare = race->world;
    else
        world_close(race->world);
    record_close(&race->record);
    free(race);
}

// --- its clients -------------------------------------------------------------

struct client *race_add_client(struct race *race, const char *name,
                               enum opened opened) {
    int number = race->client_count;
    struct client *client = &race->clients[race->client_count++];

    race_begin(race);
    race->record.schedule.clients[number] = *name;
    record_step(&race->record, schedule_opening(number, opened));
    world_add_client(race->world, name, opened);
    *client = (struct client){.race = race, .name = name, .number = number};
    judge_add_client(&race->judge, name);
    race->record.two_locks = race->record.two_locks || opened != OPENED_ONE;
    race->record.clients[race->record.client_count++] = name;
    if (!world_is_ready(race->world, number)) {
        if (!world_report_endless(race->world, number))
            judge_lose_opening(&race->judge, number);
        race_end(race);
    }
    return client;
}

struct client *race_client(struct race *race, const char *name) {
    return race_add_client(race, name, OPENED_ONE);
}

struct client *race_client_of_two(struct race *race, const char *name) {
    return race_add_client(race, name, OPENED_TWO);
}

static struct client *handle(struct client *handles,
                             const struct client *client) {
    struct client *handle = &handles[client->number];

    handle->race = client->race;
    handle->name = client->name;
    handle->number = client->number;
    return handle;
}

struct client *second_lock_of(struct client *client) {
    struct client *second = handle(client->race->second_locks, client);
    second->lock = 1;
    return second;
}

struct client *second_thread_of(struct client *client) {
    struct client *second = handle(client->race->second_threads, client);
    second->thread = 2;
    return second;
}

void note(struct race *race, const char *sentence) {
    world_add_event(race->world, EVENT_NOTE, -1, sentence);
}
