// The beginning and the end of a race.
#include "race.h"

#include "base/fail.h"
#include "base/arguments.h"
#include "base/child.h"
#include "chain.h"
#include "director.h"
#include "machine/handover.h"
#include "catalogue/engines.h"
#include "catalogue/verdicts.h"
#include "report/cause.h"
#include "report/diagram_html.h"
#include "report/diagram_mermaid.h"
#include "report/diagram_svg.h"
#include "report/json.h"
#include "report/question.h"
#include "report/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void watch(void *argument, const struct event *event) {
    struct race *race = argument;
    race->cut = race->cut || event->kind == EVENT_CUT;
    if (event->kind != EVENT_CHOICE)
        judge_watch(&race->judge, event);
    record_add(&race->record, event);
}

// In what a race differs from the usual ones.
struct setting {
    const char *server_options; // NULL: none
    const char *key;            // NULL: the usual one
    int lease_ms;               // 0: the usual one
    int masters;                // of a lock that uses several; 0: as many as
                                // it wants
};

// --- several locks -----------------------------------------------------------

// A story knows of one lock only. For several it is told again from the start:
// race_close() calls main(), and race_open() takes the next lock. The servers
// are kept as long as they can forget what was done to them, because a start
// costs more than half of all that a story costs. All this is in a child, and a
// new one goes on after a lock whose world must not be kept, or has failed.
int main(int argc, char **argv);

static struct telling {
    int argc;
    char **argv;
    struct options options;
    struct setting setting;
    struct world *world; // that of the last lock, if it can be used again
    struct progress {    // in memory that parent and children share
        size_t begun, ended;
        int worst; // exit status
    } *progress, of_chain;
} telling;

static bool is_last(void) {
    return telling.progress->begun == telling.options.locks.count;
}

static const char *next_lock(void) {
    size_t number = telling.progress->begun++;

    if (number > 0 && telling.options.format != FORMAT_JSON)
        putchar('\n');
    return telling.options.locks.names[number];
}

static void note_status(int status) {
    struct progress *progress = telling.progress;

    progress->worst = status > progress->worst ? status : progress->worst;
    progress->ended = progress->begun;
}

// Returns in the children.
static void tell_all(void) {
    struct progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (progress == MAP_FAILED)
        fail("no memory");
    telling.progress = progress;
    while (!is_last()) {
        fflush(stdout);
        pid_t child = child_start();
        if (child == 0)
            return;
        int status = child_end_of_output(child);
        if (progress->ended < progress->begun)
            note_status(status); // it has said why
    }
    exit(progress->worst);
}

// The options of a race of this lock.
static struct options options_of(const struct options *options,
                                 const char *lock, struct setting setting) {
    struct options its = *options;

    if (setting.masters && !options->masters && !options->client &&
        locks_masters(lock) > 1)
        its.masters = setting.masters;
    return its;
}

// Could a story of this lock happen on the servers of the race?
static bool can_share(const struct race *race, const char *lock) {
    const struct options its = options_of(&telling.options, lock,
                                          telling.setting);

    return !locks_is_mine(race->lock) && !locks_is_mine(lock) &&
           engines_of(lock) == race->engine &&
           options_world_masters(&its, lock) == race->masters;
}

// --- the beginning -----------------------------------------------------------

static struct race *open_race(int argc, char **argv, const char *name,
                              struct setting setting) {
    struct options *options = &telling.options; // the race keeps a lock's name

    if (!telling.progress) {
        arguments_hide(argc, argv);
        options_parse(options, name, argc, argv);
        options_own_key(options, setting.key);
        telling.setting = setting;
        telling.argc = argc;
        telling.argv = argv;
        if (chain_begins(&telling.of_chain.begun))
            telling.progress = &telling.of_chain;
        else if (options->locks.count > 1)
            tell_all();
    }
    const char *lock = telling.progress ? next_lock()
                                        : options->locks.names[0];
    const struct options its = options_of(options, lock, setting);
    return race_build_with_lease(
        &its, name, lock,
        setting.server_options ? setting.server_options : "",
        setting.lease_ms);
}

struct race *race_open(int argc, char **argv, const char *name) {
    return open_race(argc, argv, name, (struct setting){0});
}

struct race *race_open_with(int argc, char **argv, const char *name,
                            const char *server_options) {
    return open_race(argc, argv, name,
                     (struct setting){.server_options = server_options});
}

struct race *race_open_with_lease(int argc, char **argv, const char *name,
                                  int lease_ms) {
    return open_race(argc, argv, name, (struct setting){.lease_ms = lease_ms});
}

struct race *race_open_with_masters(int argc, char **argv, const char *name,
                                    int masters) {
    return open_race(argc, argv, name, (struct setting){.masters = masters});
}

struct race *race_open_with_key(int argc, char **argv, const char *name,
                                const char *key) {
    return open_race(argc, argv, name, (struct setting){.key = key});
}

static void begin_schedule(struct race *race, const char *server_options) {
    locks_short_name(race->lock, race->record.schedule.lock);
    if (*server_options)
        record_step(&race->record, (struct step){STEP_OPTIONS,
                                                 {.text = server_options}});
}

struct race *race_build(const struct options *options, const char *name,
                        const char *lock, const char *server_options) {
    return race_build_with_lease(options, name, lock, server_options, 0);
}

static struct world *begin_world(const struct world_setup *setup) {
    FILE *handed = handover_taken();
    struct world *world = telling.world;

    if (!handed && !world)
        return world_open(setup);
    if (world)
        world_begin_again(world, setup->program, setup->argument);
    else
        world = world_take_over(setup, handed);
    if (handed)
        fclose(handed);
    return world;
}

// Notes what was run, and on what.
static void begin_record(struct race *race, const char *name, int lease_ms) {
    const struct options *options = &race->options;

    race->record.race = name;
    race->record.lock = race->lock;
    race->record.server = world_version(race->world);
    race->record.lease_ms = lease_ms > 0 ? lease_ms : LEASE_S * 1000;
    race->record.schedule.lease_ms = lease_ms;
    race->record.schedule.masters = options->masters;
    race->record.masters = race->masters;
    race->record.guest = (struct guest){options->client, options->key,
                                        options->engine};
    if (!options->key_given && strcmp(options->key, USUAL_KEY) != 0)
        snprintf(race->record.schedule.key, SCHEDULE_KEY_SIZE, "%s",
                 options->key);
    race->record.replays = !options->real && !strchr(options->key, '"');
}

struct race *race_build_with_lease(const struct options *options,
                                   const char *name, const char *lock,
                                   const char *server_options, int lease_ms) {
    int usual_ms = lease_ms > 0 ? lease_ms : LEASE_S * 1000;
    struct race *race = must_have(calloc(1, sizeof *race));

    race->options = *options;
    race->engine = options_engine(options, lock);
    if (!race->engine->takes_options)
        server_options = "";
    race->masters = options_world_masters(options, lock);
    for (int i = 0; i < race->masters; i++)
        race->servers[i] = (struct server){.race = race, .number = i};
    snprintf(race->lock, sizeof race->lock, "%s", lock);
    if (!options->client)
        locks_client(race->lock, race->program);
    judge_open(&race->judge);
    race->judge.lease_ns = usual_ms * MILLISECOND;
    race->judge.local = !options->client && locks_is_local(lock);
    record_open(&race->record);
    const struct world_setup setup = {
        .engine = race->engine,
        .program = options->client ? options->client : race->program,
        .guest = options->client != NULL,
        .many_stories = !options->real && telling.progress && !is_last(),
        .real_time = options->real,
        .key = options->key,
        .hidden = name,
        .server_options = server_options,
        .masters = race->masters,
        .lease_ms = options->real ? options->real_lease_ms : usual_ms,
        .watcher = watch,
        .argument = race,
    };
    race->world = begin_world(&setup);
    begin_record(race, name, lease_ms);
    begin_schedule(race, server_options);
    return race;
}

static void print_record(const struct record *record,
                         const struct options *options) {
    switch (options->format) {
    case FORMAT_JSON:
        json_print(stdout, record,
                   (struct json_more){options->wire, options->drawn});
        break;
    case FORMAT_SVG:  diagram_svg_print(stdout, record); break;
    case FORMAT_MERMAID: diagram_mermaid_print(stdout, record); break;
    case FORMAT_HTML: diagram_html_print(stdout, record, options->wire); break;
    default:          trace_print(stdout, record, options->wire); break;
    }
}

static void print(struct race *race) {
    struct record *record = &race->record;
    bool broken = race->judge.verdict == VERDICT_BROKEN;
    char *because = broken ? cause_find(record, &race->judge.lost) : NULL;
    char answer[ANSWER_SIZE] = "";

    if (broken)
        verdicts_answer(race->lock, record->race, answer);
    record->verdict = race->judge.verdict;
    record->sentence = race->judge.sentence;
    record->because = because ? because : "";
    record->answered_by = answer;
    record->exclusion_lost = race->judge.found & 1u << PROPERTY_EXCLUSION;
    if (race->options.ask)
        question_print(stdout, stdin, record,
                       broken ? &race->judge.lost : NULL, race->options.wire);
    else
        print_record(record, &race->options);
    finish_output();
    free(because);
}

// Is the world kept for the next lock's story?
static bool hand_on(struct race *race) {
    const struct progress *progress = telling.progress;

    if (!progress || is_last() ||
        !can_share(race, race->options.locks.names[progress->begun]) ||
        !world_is_untouched(race->world))
        return false;
    telling.world = race->world;
    return true;
}

// The last lock of one race, and then the first of the next.
static bool can_share_with_next(const struct race *race) {
    return race->engine->hand_on &&
           can_share(race, race->options.locks.names[0]) &&
           world_is_untouched(race->world);
}

// In a chain. Does not return if there is more to tell.
static void go_on(struct race *race) {
    bool last = is_last();
    struct world *world = race->world;

    if (last && !chain_goes_on())
        return;
    if (!last || !can_share_with_next(race)) {
        world_close(world);
        world = NULL;
    }
    chain_go_on(telling.argv, last ? 0 : telling.progress->begun, world);
}

int race_close(struct race *race) {
    settle_doubt(race);
    judge_close(&race->judge);
    if (world_has_met_others(race->world))
        judge_give_up(&race->judge,
                      "A client has spoken to the server past its gate.");
    int status = verdict_status(race->judge.verdict);

    print(race);
    bool goes_on = hand_on(race);
    if (!goes_on && telling.progress == &telling.of_chain)
        go_on(race);
    if (!goes_on)
        world_close(race->world);
    record_close(&race->record);
    free(race);
    if (telling.progress)
        note_status(status);
    return goes_on ? main(telling.argc, telling.argv) : status;
}

void cannot_happen(struct client *client, const char *why) {
    struct race *race = client->race;
    char sentence[128];

    if (*race->judge.untrue.sentence) // may be the machine's fault
        check_pace(client, race->judge.verdict);
    snprintf(sentence, sizeof sentence, "%s %s.", client->name, why);
    judge_cannot_happen(&race->judge, sentence);
    exit(race_close(race));
}

void tells_nothing(struct client *client, const char *why) {
    struct race *race = client->race;
    char sentence[128];

    snprintf(sentence, sizeof sentence, "%s %s.", client->name, why);
    judge_give_up(&race->judge, sentence);
    exit(race_close(race));
}

static struct client *add_client(struct race *race, const char *name,
                                 bool two_locks) {
    int number = race->client_count;
    struct client *client = &race->clients[race->client_count++];
    enum step_kind opens = two_locks ? STEP_OPENS_TWO : STEP_OPENS;

    race->record.schedule.clients[number] = *name;
    record_step(&race->record, (struct step){opens, {.client = number}});
    world_add_client(race->world, name, two_locks);
    *client = (struct client){.race = race, .name = name, .number = number};
    judge_add_client(&race->judge, name);
    race->record.two_locks = race->record.two_locks || two_locks;
    race->record.clients[race->record.client_count++] = name;
    if (!world_is_ready(race->world, number)) {
        judge_lose_opening(&race->judge, number);
        exit(race_close(race));
    }
    return client;
}

struct client *race_client(struct race *race, const char *name) {
    return add_client(race, name, false);
}

struct client *race_client_of_two(struct race *race, const char *name) {
    return add_client(race, name, true);
}

void note(struct race *race, const char *sentence) {
    world_tell(race->world, EVENT_NOTE, -1, sentence);
}
