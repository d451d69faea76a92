// ./scenarios/guest-check: is a guest ready for the races? A mistake of a guest
// looks like a loss of its library. So each check is a small story of one thing
// that a guest has to do, and its fault is told in one sentence.
//
// Rejected: to find these faults in the races' own runs. There a lost lock can
// be the library's, and only a reader can tell.
#include "tools.h"

#include "base/fail.h"
#include "catalogue/locks.h"
#include "machine/cores.h"
#include "race/cells.h"
#include "race/director.h"
#include "race/print.h"
#include "world/world_state.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SENTENCE_SIZE = 512 };

// The first fault that a check has found, and a remark about something that may
// be meant.
struct check_report {
    char fault[SENTENCE_SIZE], remark[SENTENCE_SIZE];
    uint64_t digest; // of its run
};

// One for each check, in memory that this process shares with its workers.
static struct check_report *reports;

static struct check_report *report_of(const struct race *race);

static const struct actor *actor_of(const struct client *client) {
    return &client->race->world->clients[client->number];
}

__attribute__((format(printf, 2, 3)))
static void fault(const struct client *client, const char *format, ...) {
    struct check_report *report = report_of(client->race);
    va_list words;

    if (report->fault[0])
        return;
    va_start(words, format);
    vsnprintf(report->fault, sizeof report->fault, format, words);
    va_end(words);
}

static void remark(const struct client *client, const char *sentence) {
    struct check_report *report = report_of(client->race);

    if (!report->remark[0])
        snprintf(report->remark, sizeof report->remark, "%s", sentence);
}

// How the client's last operation of this kind has ended. (The judge asks those
// who are inside by itself.)
static const struct entry *last(const struct client *client,
                                enum operation operation) {
    const struct record *record = &client->race->record;

    for (size_t i = record->entry_count; i-- > 0;) {
        const struct entry *entry = &record->entries[i];
        if (entry->kind == EVENT_RESULT && entry->client == client->number &&
            entry->operation == operation)
            return entry;
    }
    fail("%s has not ended an operation", client->name);
}

static bool says(const struct client *client, enum operation operation,
                 enum result result) {
    return last(client, operation)->result == result;
}

static void expect(const struct client *client, enum operation operation,
                   enum result wanted, const char *when) {
    const struct entry *entry = last(client, operation);
    const char *reason = entry->text ? entry->text : "";

    if (entry->result != wanted)
        fault(client, "%s it should say '%s', and said '%s%s%s'", when,
              result_word(wanted), result_word(entry->result),
              *reason ? " " : "", reason);
}

static void expect_enter(const struct client *client, enum result wanted,
                         const char *when) {
    expect(client, OPERATION_ENTER, wanted, when);
}

// --- the checks --------------------------------------------------------------

static void takes_and_returns(struct race *race) {
    struct client *a = race_client(race, "A");

    enter(a);
    expect_enter(a, RESULT_OK, "the lock is free:");
    ask(a);
    expect(a, OPERATION_HELD, RESULT_OK,
           "it is asked whether it still holds the lock:");
    leave(a);
    expect(a, OPERATION_LEAVE, RESULT_OK, "its release was done:");
    enter(a);
    expect_enter(a, RESULT_OK,
                 "it has given the lock back and takes it again:");
}

static void says_busy(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    enter(b);
    expect_enter(b, RESULT_BUSY, "somebody else has the lock:");
    leave(a);
    enter(b);
    expect_enter(b, RESULT_OK, "somebody else has given the lock back:");
}

static void connects_again(struct race *race) {
    struct client *a = race_client(race, "A");

    cut_off(a);
    reconnect(a);
    enter(a);
    expect_enter(a, RESULT_OK,
                 "its connection broke, and it can connect again:");
}

static void survives_a_restart(struct race *race) {
    struct client *a = race_client(race, "A");
    struct server *server = race_server(race, 1);

    crash_server(server);
    enter(a);
    if (race->masters == 1 && (says(a, OPERATION_ENTER, RESULT_BUSY) ||
                               says(a, OPERATION_ENTER, RESULT_OK)))
        fault(a, "the server is dead, and it said '%s'",
              result_word(last(a, OPERATION_ENTER)->result));
    leave_if_inside(a); // of several servers
    start_server(server);
    enter(a);
    expect_enter(a, RESULT_OK, "the server was dead and is there again:");
}

static void says_unknown(struct race *race) {
    struct client *a = race_client(race, "A");

    begin_enter(a);
    hold_change(a);
    run_command(a);
    lose_answer(a);
    finish(a);
    if (says(a, OPERATION_ENTER, RESULT_BUSY) ||
        says(a, OPERATION_ENTER, RESULT_LOST))
        fault(a, "the answer to its attempt was lost. It cannot know whether "
                 "it has the lock, and said '%s' in place of 'unknown'",
              result_word(last(a, OPERATION_ENTER)->result));
}

static void keeps_its_handle(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    begin_leave(a);
    hold_change(a);
    lose_command(a);
    finish(a);
    if (says(a, OPERATION_LEAVE, RESULT_OK))
        return; // its library has sent it again
    leave(a);
    expect(a, OPERATION_LEAVE, RESULT_OK,
           "its first release has not reached the server, and it releases "
           "again:");
    enter(b);
    expect_enter(b, RESULT_OK, "the lock was released at the second try:");
}

static void hears_of_the_loss(struct race *race) {
    struct client *a = race_client(race, "A");

    enter(a);
    operate(race, "DEL KEY");
    ask(a);
    if (says(a, OPERATION_HELD, RESULT_OK))
        remark(a, "'held' says ok of a lock that an operator has deleted: "
                  "right if its library asks nobody");
}

static void keeps_to_the_lease(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    advance(race, LEASE / 2);
    enter(b);
    expect_enter(b, RESULT_BUSY, "half of the lease (LOCK_LEASE_MS) is over, "
                                 "and the lock is held:");
    crash(a);
    outlast_lease(race);
    enter(b);
    expect_enter(b, RESULT_OK, "a lease (LOCK_LEASE_MS) after its holder was "
                               "killed the lock is free:");
}

static void has_no_timer_of_its_own(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");

    enter(a);
    if (!waits_next(&actor_of(a)->waits))
        return;
    outlast_lease(race);
    enter(b);
    if (says(b, OPERATION_ENTER, RESULT_OK))
        fault(a, "it has set a timer while it holds the lock, and the lock is "
                 "not renewed: it is taken for a lock that renews itself "
                 "(Node.js sets none with --no-memory-reducer)");
}

static void writes(struct race *race) {
    struct client *a = race_client(race, "A");

    enter(a);
    write_resource(a);
    expect(a, OPERATION_WRITE, RESULT_OK,
           "it holds the lock and writes to the resource:");
}

static void has_a_second_lock(struct race *race) {
    struct client *a = race_client_of_two(race, "A");
    struct client *other = second_lock_of(a);

    enter(a);
    enter(other);
    expect_enter(a, RESULT_OK, "it holds one lock and takes another "
                               "(LOCK_SECOND_KEY):");
}

static void speaks_with_a_majority(struct race *race) {
    struct client *a = race_client(race, "A");
    bool met[MAX_MASTERS] = {false};
    int count = 0;

    enter(a);
    const struct gate *gate = &actor_of(a)->gate;
    for (int n = 1; n <= gate->made; n++) {
        const struct connection *connection = gate_connection(gate, n);
        if (connection)
            met[connection->way->server] = true;
    }
    for (int i = 0; i < MAX_MASTERS; i++)
        count += met[i];
    if (count < lock_state_majority(race->masters))
        fault(a, "it speaks with %d of %d servers: their addresses are in "
                 "REDIS_URLS", count, race->masters);
}

// The first and the last are the same story, and their runs are compared. A
// table in one's own CI needs the same bytes on every run.
static const struct race_entry checks[] = {
    {.name = "takes a free lock and gives it back", .story = takes_and_returns},
    {.name = "says busy while somebody else has the lock", .story = says_busy},
    {.name = "keeps to the lease that it is told", .story = keeps_to_the_lease},
    {.name = "connects again after its connection broke",
     .story = connects_again},
    {.name = "connects again to a server that was dead",
     .story = survives_a_restart},
    {.name = "says unknown when no answer came", .story = says_unknown},
    {.name = "keeps its handle until the release is done",
     .story = keeps_its_handle},
    {.name = "can be asked whether it still holds the lock",
     .story = hears_of_the_loss},
    {.name = "sets no timer but its library's",
     .story = has_no_timer_of_its_own},
    {.name = "writes to the resource", .story = writes},
    {.name = "has a second lock", .story = has_a_second_lock},
    {.name = "speaks with a majority of its servers",
     .story = speaks_with_a_majority},
    {.name = "does the same on every run", .story = takes_and_returns},
};
enum { CHECKS = sizeof checks / sizeof *checks };

static struct check_report *report_of(const struct race *race) {
    size_t i = 0;

    while (strcmp(checks[i].name, race->name) != 0)
        i++;
    return &reports[i];
}

// --- the program -------------------------------------------------------------

struct check_options {
    struct options options;
    bool traces;
};

static const struct argp_option choices[] = {
    {"client", 'c', "COMMAND", 0, "the guest", 0},
    {"key", 'k', "KEY", 0, "its key", 0},
    {"at", OPTIONS_KEY_AT, "PLACE", 0, OPTIONS_AT_HELP, 0},
    {"machines", OPTIONS_KEY_MACHINES, "own|one", 0, OPTIONS_MACHINES_HELP, 0},
    {"engine", OPTIONS_KEY_ENGINE, "NAME", 0, OPTIONS_ENGINE_HELP, 0},
    {"masters", 'm', "N", 0, "a world of N masters", 0},
    {"trace", 't', NULL, 0, "show the trace of each check first", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct check_options *asked = state->input;

    switch (key) {
    case 'm':
        asked->options.masters = options_masters(argument);
        return 0;
    case 't':
        asked->traces = true;
        return 0;
    case ARGP_KEY_ARG:
        refuse("'%s' is one word too many: put the guest's command in quotes, "
               "--client 'python3 guest.py'", argument);
    default:
        return options_parse_shared(&asked->options, key, argument);
    }
}

// In a worker: the check's story has come to its end.
static int conclude(struct race *race, size_t number, size_t lock_number,
                    void *argument) {
    const struct check_options *asked = argument;
    struct check_report *report = &reports[number];

    (void)lock_number;
    if (race->judge.blind && !report->fault[0])
        snprintf(report->fault, SENTENCE_SIZE,
                 "it got in, and nothing lies under the key '%s': --key or "
                 "--at says where its lock lies", race->options.key);
    if (race->judge.verdict == VERDICT_CANNOT_HAPPEN)
        snprintf(report->remark, SENTENCE_SIZE,
                 "this could not be tried: %s", race->judge.sentence);
    if (asked->traces) {
        race_print(race);
        putchar('\n');
    }
    race->record.race = "guest-check"; // the same for each
    report->digest = race_digest(race);
    return EXIT_SUCCESS;
}

static void miss(size_t number, size_t lock_number, const char *reason,
                 void *argument) {
    (void)lock_number;
    (void)argument;
    snprintf(reports[number].fault, SENTENCE_SIZE, "%s", reason);
}

static void run_checks(const struct check_options *asked) {
    const struct race_entry *entries[CHECKS];
    const size_t size = CHECKS * sizeof *reports;

    for (int i = 0; i < CHECKS; i++)
        entries[i] = &checks[i];
    reports = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (reports == MAP_FAILED)
        fail("no memory for %d checks", CHECKS);
    const struct cells cells = {
        .races = entries,
        .race_count = CHECKS,
        .options = &asked->options,
        .places = asked->traces ? 1 : core_count(),
        .captured = true,
        .conclude = conclude,
        .miss = miss,
        .argument = (void *)asked,
    };
    cells_run(&cells);
    if (reports[0].digest != reports[CHECKS - 1].digest)
        snprintf(reports[CHECKS - 1].fault, SENTENCE_SIZE,
                 "two runs of one story are not the same bytes");
}

// A guest that cannot start has one fault in all checks.
static bool is_repeated(int number) {
    for (int i = 0; i < number; i++)
        if (strcmp(reports[i].fault, reports[number].fault) == 0)
            return true;
    return false;
}

// Prints a line for each check; returns the number of faults.
static int print_reports(void) {
    int faults = 0;

    for (int i = 0; i < CHECKS; i++) {
        const struct check_report *report = &reports[i];
        bool bad = report->fault[0], noted = report->remark[0];
        printf("%-5s  %s%s%s\n", bad ? "FAULT" : noted ? "note" : "ok",
               checks[i].name, bad || noted ? ": " : "",
               !bad ? report->remark
                    : is_repeated(i) ? "the same fault" : report->fault);
        faults += bad;
    }
    printf("\n%d of %d checks found a fault\n", faults, CHECKS);
    return faults;
}

int guest_check_main(int argc, char **argv) {
    static const struct argp argp = {
        .options = choices,
        .parser = parse,
        .doc = "Checks a guest (docs/guests.md) before the races: a mistake "
               "of a guest looks like a loss of its library. Each check is a "
               "small story in the world's time.\v"
               "A note is no fault: read it, it may be meant. Exit status: 0 "
               "there is no fault; 1 there is one; 2 wrong use.",
    };
    static struct check_options asked = {.options = {.key = USUAL_KEY}};

    arguments_hide(argc, argv);
    arguments_parse(&argp, argc, argv, &asked);
    if (!asked.options.client)
        refuse("which guest? ./scenarios/guest-check --client 'COMMAND'");
    asked.options.virtual = true;
    options_settle(&asked.options);
    run_checks(&asked);
    int faults = print_reports();
    finish_output();
    return faults > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
