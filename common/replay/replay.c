#include "replay.h"

#include "base/arguments.h"
#include "base/child.h"
#include "base/fail.h"
#include "race/print.h"
#include "race/race_run.h"
#include "world/possible.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Why the last step does not exist here.
static char objection[128];

// Notes why; false, for those who return it.
__attribute__((format(printf, 1, 2)))
static bool object(const char *format, ...) {
    va_list args;

    va_start(args, format);
    vsnprintf(objection, sizeof objection, format, args);
    va_end(args);
    return false;
}

static void open_client(struct race *race, const struct schedule *schedule,
                        const struct step *step) {
    static char names[MAX_CLIENTS][2];
    char *name = names[race->client_count];

    name[0] = schedule->clients[step->choice.client];
    race_add_client(race, name, schedule_opened(step));
}

// The race's number of a client that the schedule knows by another.
static int number_of(const struct race *race, char letter) {
    for (int i = 0; i < race->client_count; i++)
        if (race->clients[i].name[0] == letter)
            return i;
    return race->client_count;
}

// In order, and of a server that answers.
static bool add_replica(struct race *race, int number) {
    int count = world_servers(race->world);

    if (count == world_masters(race->world) + MAX_REPLICAS)
        return object("there are %d servers, and no more", count);
    if (number != count)
        return object("the next server is server %d", count + 1);
    if (!world_server_runs(race->world, 0))
        return object("server 1 does not run");
    race_replica(race);
    return true;
}

// Has the client been asked whether it still holds the lock?
static bool has_asked(const struct race *race, const struct client *client) {
    for (size_t i = 0; i < race->record.entry_count; i++) {
        const struct entry *entry = &race->record.entries[i];
        if (entry->kind == EVENT_RESULT && entry->client == client->number &&
            entry->operation == OPERATION_HELD)
            return true;
    }
    return false;
}

// Does the schedule itself ask whether the client still holds the lock, or let
// such a question go on?
static bool asks(const struct race *race, const struct choice *choice) {
    const struct world *world = race->world;

    if (choice->kind == CHOOSE_ASK)
        return choice->operation == OPERATION_HELD;
    return choice_names_client(choice->kind) &&
           choice->client < race->client_count &&
           world_busy(world, choice->client) &&
           world_operation(world, choice->client) == OPERATION_HELD;
}

// Tells the judge which promises count, from here on or now.
static void instruct_judge(struct race *race, enum step_kind kind) {
    switch (kind) {
    case STEP_KEEP_KEY: keep_key(race); break;
    case STEP_MUST_KEEP_KEY: must_have_kept_key(race); break;
    case STEP_JUDGE_WRITES: judge_by_writes(race); break;
    case STEP_KEEP_ORDER: keep_order(race); break;
    case STEP_COUNT_WOKEN: wake_one(race); break;
    default:
        fail("not something that a judge is told");
    }
}

static bool has_tried(const struct race *race, const struct client *client) {
    return race->judge.view.clients[client->number].tried;
}

static bool must_be_inside(struct race *race, struct client *client) {
    int holder = judge_rightful_holder(&race->judge, client->number);

    if (!has_tried(race, client) && !waits(client))
        return object("%s has not tried", client->name);
    if (holder != NOBODY)
        return object("%s is kept out by %s, which is rightly inside",
                      client->name, race->clients[holder].name);
    must_have_got_in(client, waits(client) ? "where it must be inside"
                                        : "where it must");
    return true;
}

// Demands something of this client.
static bool demand(struct race *race, struct client *client,
                   enum step_kind kind) {
    switch (kind) {
    case STEP_MUST_BE_INSIDE:
        return must_be_inside(race, client);
    case STEP_MUST_BE_OUTSIDE:
        if (!has_tried(race, client) && !waits(client))
            return object("%s has not tried", client->name);
        must_have_given_up(client, "where it must not");
        return true;
    case STEP_MUST_KNOW:
        if (!has_asked(race, client))
            return object("%s has not asked", client->name);
        require_knowledge(client);
        return true;
    case STEP_MUST_BELIEVE:
        if (!has_asked(race, client))
            return object("%s has not asked", client->name);
        require_belief(client);
        return true;
    case STEP_MUST_HOLD:
        require_hold(client);
        return true;
    case STEP_MUST_HEAR_LOST:
        if (!has_tried(race, client))
            return object("%s has not tried", client->name);
        must_hear_lost(client);
        return true;
    case STEP_MUST_HAVE_NO_MORE:
        return require_no_more(client) ||
               object("nobody has counted what %s has open", client->name);
    default:
        fail("not something that a client can be held to");
    }
}

static bool do_choice(struct race *race, const struct client *client,
                      struct choice choice) {
    if (choice.kind == CHOOSE_ASK && client->hung)
        return object("%s's worker hangs", client->name);
    const char *impossible = world_objection(race->world, &choice);
    if (impossible)
        return object("%s", impossible);
    world_do(race->world, choice);
    if (choice.kind == CHOOSE_ASK && !world_busy(race->world, choice.client) &&
        world_result(race->world, choice.client) == RESULT_CANNOT)
        return object("%s has no such operation", client->name);
    return true;
}

// Does the step name a client that is not there yet?
static bool names_nobody(const struct race *race, const struct step *step,
                         int client) {
    return !schedule_opens(step) && client == race->client_count &&
           schedule_names_client(step);
}

static bool play(struct race *race, const struct schedule *schedule,
                 const struct step *step) {
    struct choice choice = step->choice;

    choice.client = number_of(race, schedule->clients[choice.client]);
    struct client *client = &race->clients[choice.client];
    if (step->kind != STEP_CHOICE || !asks(race, &choice))
        settle_doubt(race);
    if (names_nobody(race, step, choice.client))
        return object("there is no %c yet",
                      schedule->clients[step->choice.client]);
    switch (step->kind) {
    case STEP_OPENS:
    case STEP_OPENS_TWO:
    case STEP_OPENS_TURNED:
        open_client(race, schedule, step);
        return true;
    case STEP_REPLICA:
        return add_replica(race, step->choice.server);
    case STEP_OPTIONS: // the world was built with them
        return true;
    case STEP_WORK_DONE:
        end_work(client);
        return true;
    case STEP_COUNT_CONNECTIONS:
        count_connections(client);
        return true;
    case STEP_HANGS:
        hang(client);
        return true;
    case STEP_CHOICE:
        return do_choice(race, client, choice);
    case STEP_MUST_BE_INSIDE:
    case STEP_MUST_BE_OUTSIDE:
    case STEP_MUST_KNOW:
    case STEP_MUST_BELIEVE:
    case STEP_MUST_HOLD:
    case STEP_MUST_HEAR_LOST:
    case STEP_MUST_HAVE_NO_MORE:
        return demand(race, client, step->kind);
    default:
        instruct_judge(race, step->kind);
        return true;
    }
}

// Stands for the step of a loss that only the judge's questions have shown.
static const struct step asking = {STEP_CHOICE, {0}};

// Losses that were found beside the story count now. `found`: the losses before
// the end.
static void end(struct race *race, struct finding *finding, unsigned found) {
    judge_count_beside(&race->judge);
    finding_note(finding, race, &asking, 0, found);
    finding_end(finding, race);
}

// False if a step does not exist.
static bool play_all(struct race *race, const struct schedule *schedule,
                     struct finding *finding) {
    char why[256];

    for (size_t i = 0; i < schedule->count; i++) {
        const struct step *step = &schedule->steps[i];
        unsigned found = race->judge.found;
        bool played = play(race, schedule, step);
        finding_note(finding, race, played ? step : &asking,
                     schedule->clients[step->choice.client], found);
        if (played && race->judge.over) // no story goes on after that
            break;
        if (played)
            continue;
        char *text = schedule_step_text(schedule, step);
        snprintf(why, sizeof why, "step %d, %s, does not exist here: %s.",
                 schedule_number(schedule, i), text, objection);
        free(text);
        judge_cannot_happen(&race->judge, why);
        end(race, finding, race->judge.found);
        return false;
    }
    unsigned found = race->judge.found;
    settle_doubt(race); // where the schedule itself does not ask
    end(race, finding, found);
    return true;
}

struct play {
    const struct schedule *schedule;
    struct finding *finding;
    bool whole;
};

static void play_story(struct race *race) {
    struct play *play = race->argument;
    play->whole = play_all(race, play->schedule, play->finding);
}

// A step can end the story early, as a verb does.
static bool play_schedule(struct race *race, const struct schedule *schedule,
                          struct finding *finding) {
    static struct play play;

    play = (struct play){.schedule = schedule, .finding = finding};
    race->argument = &play;
    return race_run(race, play_story) && play.whole;
}

bool replay_steps(struct race *race, const struct schedule *schedule) {
    struct finding finding = {0};
    return play_schedule(race, schedule, &finding);
}

static struct race *build(const struct options *options, const char *title,
                          const char *lock, const struct schedule *schedule) {
    struct options own = *options;
    const char *server_options = "";

    if (own.masters == 0)
        own.masters = schedule->masters;
    options_own_key(&own, schedule->key);
    for (size_t i = 0; i < schedule->count; i++)
        if (schedule->steps[i].kind == STEP_OPTIONS)
            server_options = schedule->steps[i].choice.text;
    struct race *race = race_new(&own, title, lock);
    set_server_options(race, server_options);
    set_lease(race, schedule->lease_ms * MILLISECOND);
    race_begin(race);
    race->judge.strict = race->record.schedule.strict = schedule->strict;
    return race;
}

int replay(const struct options *options, const char *title, const char *lock,
           const struct schedule *schedule) {
    struct race *race = build(options, title, lock, schedule);

    replay_steps(race, schedule);
    race_conclude(race);
    int status = verdict_status(race->judge.verdict);
    race_print(race);
    race_free(race);
    return status;
}

struct quiet_replay {
    const struct options *options;
    const char *lock;
    const struct schedule *schedule;
};

static void write_finding(const void *argument, FILE *out) {
    const struct quiet_replay *quiet = argument;
    struct finding finding = {0};

    struct race *race =
        build(quiet->options, "schedule", quiet->lock, quiet->schedule);
    if (!play_schedule(race, quiet->schedule, &finding))
        finding_end(&finding, race);
    fwrite(&finding, sizeof finding, 1, out);
}

struct finding replay_quietly(const struct options *options, const char *lock,
                              const struct schedule *schedule) {
    const struct quiet_replay quiet = {options, lock, schedule};
    struct finding finding;
    size_t length;
    char *output = child_output(write_finding, &quiet, "a replay", &length);

    if (!output || length != sizeof finding)
        exit(EXIT_WRONG_USE); // the child has printed the reason
    memcpy(&finding, output, sizeof finding);
    free(output);
    return finding;
}
