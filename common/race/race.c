// The director: verbs come down to choices of the world; what happens goes to
// the judge and into the record.
#include "race.h"

#include "options.h"
#include "report/json.h"
#include "report/judge.h"
#include "report/record.h"
#include "report/trace.h"
#include "world/world.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char key[] = "lock";

// A race's handle on a client of the world.
struct client {
    struct race *race;
    const char *name;
    int number;
    int held; // the connection whose command the story holds back; 0: none
};

struct race {
    struct options options;
    const char *lock;
    char program[PATHS_SIZE];
    struct world *world;
    struct judge judge;
    struct record record;
    struct client clients[MAX_CLIENTS];
    int client_count;
};

// --- beginning and end -------------------------------------------------------

static void watch(void *argument, const struct event *event) {
    struct race *race = argument;
    judge_watch(&race->judge, event);
    record_add(&race->record, event);
}

// One process for each lock, one after the other, so that a race needs to know
// of one only. Returns in the children.
static const char *one_of_many(const struct options *options) {
    int worst = 0;

    for (size_t i = 0; i < options->locks.count; i++) {
        int status = 0;
        if (i > 0 && !options->json)
            putchar('\n');
        fflush(stdout);
        pid_t parent = getpid(), child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != parent)
                _exit(EXIT_FAILURE);
            return options->locks.names[i];
        }
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : 2;
        worst = code > worst ? code : worst;
    }
    exit(worst);
}

struct race *race_open(int argc, char **argv, const char *name) {
    struct race *race = calloc(1, sizeof *race);

    options_parse(&race->options, name, argc, argv);
    race->lock = race->options.locks.count > 1 ? one_of_many(&race->options)
                                               : race->options.locks.names[0];
    locks_client(race->lock, race->program);
    record_open(&race->record);
    race->world = world_open(&(struct world_setup){
        .program = race->program,
        .key = key,
        .lease_ms = LEASE_S * 1000,
        .watcher = watch,
        .argument = race,
    });
    race->record.race = name;
    race->record.lock = race->lock;
    race->record.server = world_version(race->world);
    race->record.lease_ms = LEASE_S * 1000;
    return race;
}

static void print(struct race *race) {
    struct record *record = &race->record;
    struct explanation why = {0};

    if (race->judge.verdict == VERDICT_BROKEN)
        locks_explain_loss(race->lock, record->race, &why);
    record->verdict = race->judge.verdict;
    record->sentence = race->judge.sentence;
    record->because = why.because;
    record->answered_by = why.answer;
    if (race->options.json)
        json_print(stdout, record, race->options.wire);
    else
        trace_print(stdout, record, race->options.wire);
    fflush(stdout);
}

int race_close(struct race *race) {
    int status = race->judge.verdict == VERDICT_BROKEN;

    print(race);
    world_close(race->world);
    record_close(&race->record);
    free(race);
    return status;
}

_Noreturn static void cannot_happen(struct client *client, const char *why) {
    struct race *race = client->race;
    char sentence[128];

    snprintf(sentence, sizeof sentence, "%s %s.", client->name, why);
    judge_cannot_happen(&race->judge, sentence);
    exit(race_close(race));
}

struct client *race_client(struct race *race, const char *name) {
    int number = world_add_client(race->world, name);
    struct client *client = &race->clients[race->client_count++];

    *client = (struct client){.race = race, .name = name, .number = number};
    judge_add_client(&race->judge, name);
    race->record.clients[race->record.client_count++] = name;
    return client;
}

void note(struct race *race, const char *sentence) {
    world_tell(race->world, EVENT_NOTE, -1, sentence);
}

// --- choices -----------------------------------------------------------------

static void choose(struct client *client, enum choice_kind kind) {
    world_do(client->race->world,
             (struct choice){.kind = kind, .client = client->number});
}

static void choose_on_wire(struct client *client, enum choice_kind kind,
                           int connection) {
    world_do(client->race->world, (struct choice){.kind = kind,
                                                  .client = client->number,
                                                  .connection = connection});
}

static void choose_operation(struct client *client, enum operation operation) {
    world_do(client->race->world, (struct choice){.kind = CHOOSE_ASK,
                                                  .client = client->number,
                                                  .operation = operation});
}

static bool busy(const struct client *client) {
    return world_busy(client->race->world, client->number);
}

static enum stage stage_of(const struct client *client, int connection) {
    return world_stage(client->race->world, client->number, connection);
}

// A command goes to the server, and its answer back.
static void pass(struct client *client, int connection) {
    if (stage_of(client, connection) == STAGE_HELD)
        choose_on_wire(client, CHOOSE_FORWARD, connection);
    if (stage_of(client, connection) == STAGE_ANSWERED)
        choose_on_wire(client, CHOOSE_DELIVER, connection);
}

// All that the client has on the wire passes, but for what the story holds.
static void pass_all(struct client *client) {
    int connection;

    while ((connection = world_pending(client->race->world, client->number,
                                       client->held)))
        pass(client, connection);
}

// --- a client's own doing ----------------------------------------------------

static void do_operation(struct client *client, enum operation operation) {
    choose_operation(client, operation);
    pass_all(client);
}

void enter(struct client *client) {
    do_operation(client, OPERATION_ENTER);
}

void leave(struct client *client) {
    do_operation(client, OPERATION_LEAVE);
}

void leave_if_inside(struct client *client) {
    if (world_depth(client->race->world, client->number) > 0)
        leave(client);
}

void ask(struct client *client) {
    do_operation(client, OPERATION_HELD);
}

void end_work(struct client *client) {
    world_tell(client->race->world, EVENT_WORK_DONE, client->number, NULL);
}

void hang(struct client *client) {
    world_tell(client->race->world, EVENT_HUNG, client->number, NULL);
}

void must_enter(struct client *client, const char *when) {
    enter(client);
    judge_require_entry(&client->race->judge, client->number, when);
}

// --- the wire ----------------------------------------------------------------

// What the operation has sent last is the story's from now on.
static void hold(struct client *client) {
    client->held = world_pending(client->race->world, client->number, 0);
}

void begin_enter(struct client *client) {
    choose_operation(client, OPERATION_ENTER);
    hold(client);
}

void begin_leave(struct client *client) {
    choose_operation(client, OPERATION_LEAVE);
    hold(client);
}

void run_command(struct client *client) {
    if (!busy(client))
        cannot_happen(client, "sends nothing to a server");
    choose_on_wire(client, CHOOSE_FORWARD, client->held);
}

static bool held_may_change(const struct client *client) {
    return world_may_change(client->race->world, client->number, client->held);
}

void pass_read(struct client *client) {
    if (!busy(client))
        cannot_happen(client, "sends nothing to a server");
    if (held_may_change(client))
        cannot_happen(client, "does not read before it writes");
    pass(client, client->held);
    hold(client);
}

int hold_change(struct client *client) {
    int passed = 0;

    for (; busy(client) && !held_may_change(client); passed++) {
        pass(client, client->held);
        hold(client);
    }
    if (!busy(client))
        cannot_happen(client, "sends no command that can change the lock");
    return passed;
}

void hold_answer(struct client *client, int n) {
    for (int i = 1; i < n; i++) {
        pass(client, client->held);
        hold(client);
    }
    if (n > 0)
        run_command(client);
}

void finish(struct client *client) {
    client->held = 0;
    pass_all(client);
}

void lose_answer(struct client *client) {
    choose_on_wire(client, CHOOSE_CUT, client->held);
    finish(client);
}

void cut_off(struct client *client) {
    choose(client, CHOOSE_ISOLATE);
    client->held = 0;
}

// --- processes, clocks, servers ----------------------------------------------

void crash(struct client *client) {
    choose(client, CHOOSE_KILL);
}

void stop(struct client *client) {
    choose(client, CHOOSE_STOP);
}

// Wakes what is due, with all that this sends.
static void wake_due(struct client *client) {
    struct world *world = client->race->world;
    int64_t due_ns;

    while ((due_ns = world_next_wait(world, client->number)) >= 0 &&
           due_ns <= world_now(world)) {
        choose(client, CHOOSE_WAKE);
        pass_all(client);
    }
}

void resume(struct client *client) {
    choose(client, CHOOSE_CONTINUE);
    wake_due(client);
}

// By ns, with a stop where the lease ends on the way.
static void move_clock(struct race *race, int64_t ns) {
    int64_t end_ns = world_lease_end(race->world) - world_now(race->world);

    if (end_ns > 0 && end_ns < ns) {
        world_do(race->world,
                 (struct choice){.kind = CHOOSE_ADVANCE, .ns = end_ns});
        ns -= end_ns;
    }
    if (ns > 0)
        world_do(race->world,
                 (struct choice){.kind = CHOOSE_ADVANCE, .ns = ns});
}

// The running client whose wait is over first, by `until`; NULL: none.
static struct client *next_to_wake(struct race *race, int64_t until_ns) {
    struct client *next = NULL;

    for (int i = 0; i < race->client_count; i++) {
        struct client *client = &race->clients[i];
        int64_t due_ns = world_next_wait(race->world, client->number);
        if (!world_runs(race->world, client->number) || due_ns < 0 ||
            due_ns > until_ns)
            continue;
        next = client;
        until_ns = due_ns - 1; // the next one must be earlier
    }
    return next;
}

void advance(struct race *race, int64_t ns) {
    int64_t until_ns = world_now(race->world) + ns;
    struct client *client;

    while ((client = next_to_wake(race, until_ns))) {
        move_clock(race, world_next_wait(race->world, client->number) -
                             world_now(race->world));
        wake_due(client);
    }
    move_clock(race, until_ns - world_now(race->world));
}

void set_clock_ahead(struct client *client, int64_t ns) {
    world_do(client->race->world, (struct choice){.kind = CHOOSE_SKEW,
                                                  .client = client->number,
                                                  .ns = ns});
}

void restart_empty(struct race *race) {
    world_do(race->world, (struct choice){.kind = CHOOSE_KILL_SERVER});
    world_do(race->world, (struct choice){.kind = CHOOSE_START_SERVER});
}
