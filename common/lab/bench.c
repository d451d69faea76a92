// ./scenarios/bench (make bench): how fast this is on the machine it runs on.
//
// Times differ from machine to machine. The ratios count, to the start of a
// server and to a bare round trip. Both sides of a ratio are measured in the
// same run.
#include "lab.h"

#include "base/arguments.h"
#include "base/child.h"
#include "lab/bench/driven.h"
#include "lab/bench/handover.h"
#include "lab/bench/holds.h"
#include "lab/bench/measure.h"
#include "lab/bench/roads.h"
#include "catalogue/engines.h"
#include "catalogue/locks.h"
#include "catalogue/races.h"
#include "lab/search/workers.h"
#include "lab/search/search.h"
#include "lab/search/bounds_options.h"
#include "machine/clock.h"
#include "machine/cores.h"
#include "base/fail.h"
#include "world/gate.h"
#include "machine/loop.h"
#include "engines/redis/instance.h"
#include "engines/redis/resp.h"
#include "machine/sandbox.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STARTS = 30, ROUND_TRIPS = 20000, SCENARIOS = 30 };

// The exit statuses of a program that has done its work.
enum { NOTHING_LOST = 0, LOST = 1, UNDECIDED = 3 };

// A child that pings the server at `path`, so often, and ends.
static pid_t start_pinging(const char *path, int times) {
    fflush(stdout);
    pid_t child = child_start();
    if (child != 0)
        return child;
    ping(path, times);
    _exit(0);
}

static double bare_round_trip_us(const struct door *server, int times) {
    char path[SANDBOX_PATH_SIZE];

    snprintf(path, sizeof path, "/proc/self/fd/%d", server->fd);
    double start = now_us();
    child_end_of_output(start_pinging(path, times));
    return (now_us() - start) / times;
}

// As a world does it: turn the loop until something is held, let it pass.
static double gated_round_trip_us(struct door *server, int times) {
    struct gate gate;
    char path[SANDBOX_PATH_SIZE];
    int passed = 0;

    sandbox_path(path, "bench.redis");
    gate_open(&gate, "bench", &resp, NULL);
    gate_add_way(&gate, path, 0, server, false);
    struct patience patience = {0};
    double start = now_us();
    pid_t child = start_pinging(path, times);
    while (passed < times) {
        if (!process_patience(&patience))
            fail("the gate has waited for the end of a ping for %d s",
                 PATIENCE_MS / 1000);
        loop_turn(50);
        struct connection *connection = gate_pending(&gate, 0);
        if (connection && connection->stage == STAGE_HELD) {
            gate_forward(connection);
        } else if (connection && connection->stage == STAGE_ANSWERED) {
            gate_deliver(connection);
            patience = (struct patience){0};
            passed++;
        }
    }
    child_end(child, "the child that pings");
    double us = (now_us() - start) / times;
    gate_shut(&gate);
    return us;
}

// In the child.
static void be_silent(const void *argument) {
    (void)argument;
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
}

static double program_us(char *const argv[]) {
    double start = now_us();
    pid_t child = child_exec(argv, environ, be_silent, NULL);
    int code = child_end_of_output(child);
    double us = now_us() - start;

    if (code != NOTHING_LOST && code != LOST && code != UNDECIDED)
        fail("%s has ended with status %d, so there is nothing to measure",
             argv[0], code);
    return us;
}

// The units of all other times.
struct base {
    double start_us;      // of a server
    double round_trip_us; // to it, with nothing between
};

// On one core, as a world is. From core to core a bare round trip takes four
// times as long: the gate would look better than it is.
static struct base bench_wire(void) {
    static struct instance server;
    double starts[STARTS], bare[BATCHES], gated[BATCHES];
    struct door *door = &server.daemon.door;

    core_stay();
    sandbox_open();
    clock_open(true);
    instance_open(&server, 1);
    for (int i = 0; i < STARTS; i++) {
        double start = now_us();
        instance_start(&server);
        starts[i] = now_us() - start;
        if (i + 1 < STARTS)
            instance_kill(&server);
    }
    printf("%s\n\n", server.version);
    double start_us = median(starts, STARTS);
    line(start_us / 1000, "ms", "the server, from fork to its first answer");
    for (int i = 0; i < BATCHES; i++) {
        bare[i] = bare_round_trip_us(door, ROUND_TRIPS / BATCHES);
        gated[i] = gated_round_trip_us(door, ROUND_TRIPS / BATCHES);
    }
    double without = median(bare, BATCHES), with = median(gated, BATCHES);
    line(without, "us", "a bare round trip (PING)");
    line(with, "us", "the same through the gate");
    line(with / without, "times", "    ratio (at most 4)");
    instance_kill(&server);
    core_leave();
    return (struct base){start_us, without};
}

// The link that make has put into scenarios/ under this name.
static void find_program(const char *name, char path[PATHS_SIZE]) {
    char relative[RACE_NAME_SIZE + 16];

    snprintf(relative, sizeof relative, "scenarios/%s", name);
    paths_join(path, relative);
}

static void bench_scenario(const struct base *base) {
    char program[PATHS_SIZE];
    double runs[SCENARIOS];

    find_program("expired_delete", program);
    for (int i = 0; i < SCENARIOS; i++)
        runs[i] = program_us((char *[]){program, "--stage", "4", NULL});
    double us = median(runs, SCENARIOS);
    line(us / 1000, "ms", "./scenarios/expired_delete --stage 4 (at most 100)");
    line(us / base->start_us, "times", "    ratio to a server's start");
    line(us / base->round_trip_us, "times", "    ratio to a bare round trip");
}

// Times all races on so many locks, which an option names, with a word of its
// own or NULL. Returns the seconds.
static double bench_matrix(const char *option, const char *word, size_t locks,
                           const char *limit, int cell_ms) {
    static struct race_list races;
    char program[PATHS_SIZE];

    races_list(&races);
    find_program("matrix", program);
    double us = program_us(
        (char *[]){program, "--format", "tsv", (char *)option, (char *)word,
                   NULL});
    size_t cells = races.count * locks;
    line(us / 1e6, "s", "./scenarios/matrix %s%s%s%s", option, word ? " " : "",
         word ? word : "", limit);
    line(us / 1000 / (double)cells, "ms", "    a cell of %zu (at most %d)",
         cells, cell_ms);
    return us / 1e6;
}

// All faults, with restarts of the server.
static void bench_assumptions(char *lock) {
    char program[PATHS_SIZE];

    find_program("assumptions", program);
    line(program_us((char *[]){program, "--stage", lock, NULL}) / 1e6, "s",
         "./scenarios/assumptions --stage %s", lock);
}

static void bench_race(const char *race, const char *lock, int limit_ms) {
    char program[PATHS_SIZE];
    double runs[SCENARIOS];

    find_program(race, program);
    for (int i = 0; i < SCENARIOS; i++)
        runs[i] =
            program_us((char *[]){program, "--stage", (char *)lock, NULL});
    line(median(runs, SCENARIOS) / 1000, "ms",
         "./scenarios/%s --stage %s (at most %d)", race, lock, limit_ms);
}

// The price of the locks for their users.
static void bench_locks(const struct base *base) {
    static const char *const held[] = {
        "stage5_token_lua", "stage6_watchdog", "stage7_reentrant",
        "stage8_wakeup", "stage9_fencing",
    };

    (void)base;
    bench_handover(NULL, "");
    bench_handover("stage7_reentrant", "");
    bench_handover("stage8_wakeup", " (the aim is 3)");
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        bench_hold(held[i]);
    bench_redlock_hold();
}

// Redis's last rungs, and every road. Those that are not built are left out:
// `make roads`.
static void part_roads(const struct base *base) {
    static struct lock_list roads;

    (void)base;
    puts("\nthrough the gate, server and client on one core:");
    bench_road("stage8_wakeup");
    bench_road("stage9_fencing");
    locks_roads(&roads);
    for (size_t i = 0; i < roads.count; i++)
        if (locks_is_built(roads.names[i]))
            bench_road(roads.names[i]);
        else
            printf("%s is not built: make roads\n", roads.names[i]);
}

// The price of a picture beyond that of its run with a trace. The two take
// turns, so that other work on the machine meets both.
static void bench_picture(const char *race, char *lock) {
    char program[PATHS_SIZE];
    double more[SCENARIOS];

    find_program(race, program);
    for (int i = 0; i < SCENARIOS; i++) {
        double traced = program_us((char *[]){program, "--stage", lock, NULL});
        more[i] = program_us((char *[]){program, "--stage", lock, "--format",
                                        "svg", NULL}) - traced;
    }
    line(median(more, SCENARIOS) / 1000, "ms",
         "    %s --format svg: more (at most 20)", race);
}

// Several servers, files, memory that runs out: dearer than the rest.
static void bench_dear_races(void) {
    static const char *const dear[] = {
        "failover", "split_brain", "wait_is_not_enough", "downtime_eats_lease",
        "aof_tail_lost", "resurrected_lock", "eviction", "restart_empty",
    };
    char program[PATHS_SIZE];
    double runs[BATCHES];

    for (size_t i = 0; i < sizeof dear / sizeof *dear; i++) {
        find_program(dear[i], program);
        for (int run = 0; run < BATCHES; run++)
            runs[run] = program_us((char *[]){program, "--stage", "5", NULL});
        line(median(runs, BATCHES) / 1000, "ms", "./scenarios/%s --stage 5",
             dear[i]);
    }
}

static const char *same_schedule(void *schedule, size_t number,
                                 const char *report) {
    (void)number;
    return report ? NULL : schedule;
}

// Three clients with four commands each, new ones for every run.
static double runs_per_s(const char *lock, bool loads_anew) {
    enum { RUNS = 400, WARM = 16 };
    static char schedule[] =
        "v1 any A:enter A>< A:leave A>< A:enter A>< A:leave A>< "
        "B:enter B>< B:leave B>< B:enter B>< B:leave B>< "
        "C:enter C>< C:leave C>< C:enter C>< C:leave C><";
    struct settings settings;
    settings_begin(&settings);
    settings.loads_anew = loads_anew;
    locks_find(lock, settings.lock);
    settings_open_workers(&settings);
    workers_run(WARM, same_schedule, schedule);
    double start = now_us();
    workers_run(RUNS, same_schedule, schedule);
    double s = (now_us() - start) / 1e6;
    workers_close();
    return RUNS / s;
}

static void bench_runs(const char *lock) {
    enum { COMMANDS = 12 };
    double anew = runs_per_s(lock, true), copied = runs_per_s(lock, false);

    line(copied, "/s", "re-executions, three clients with four commands");
    line(copied * COMMANDS, "/s", "    commands");
    line(anew, "/s", "    the same with clients that are loaded anew");
    line(copied / anew, "times", "    ratio");
}

static void bench_search(const char *lock, int clients, int limit_s) {
    struct search_options options = {.most_positions = POSITIONS,
                                     .memory_mb = MEMORY_MB};
    struct search_result result;
    struct settings settings;

    settings_begin(&settings);
    settings.bounds.clients = clients;
    locks_find(lock, settings.lock);
    settings_complete(&settings);
    settings_open_workers(&settings);
    options.bounds = settings.bounds;
    double start = now_us();
    search(&options, &result);
    double s = (now_us() - start) / 1e6;
    workers_close();
    memo_forget();
    search_forget(&result);
    line(s, "s", "search of stage %s, %d clients (at most %d)", lock, clients,
         limit_s);
    line((double)result.positions / s, "/s", "    positions, of %zu",
         result.positions);
    line((double)result.runs / s, "/s", "    schedules run, of %zu",
         result.runs);
}

// --- the parts ---------------------------------------------------------------

// First in any case, while this process has no world of its own that workers
// inherit.
static void part_search(const struct base *base) {
    (void)base;
    bench_runs("4");
    bench_search("5", 2, 5);
    bench_search("6", 2, 5);
    bench_search("7", 2, 5);
    bench_search("6", 3, 60);
}

static void part_races(const struct base *base) {
    bench_scenario(base);
    bench_picture("expired_delete", "4");
    bench_picture("nobody_signals", "5"); // a client asks again and again
    bench_race("two_processes", "road_redlock", 80);
    bench_dear_races();
}

static void part_assumptions(const struct base *base) {
    (void)base;
    bench_assumptions("5");
    bench_assumptions("7");
}

// The table of each other engine; and a story that has servers of its own.
static void bench_tables(void) {
    static struct lock_list roads, locks;
    const struct engine_kind *last = engines_usual();
    double all_s = 0;

    locks_roads(&roads);
    for (size_t i = 0; i < roads.count; i++) {
        const struct engine_kind *kind = engines_of(roads.names[i]);
        if (kind == engines_usual() || kind == last)
            continue;
        last = kind;
        if (!locks_is_built(roads.names[i])) {
            printf("the locks on %s are not built: make roads\n", kind->name);
            continue;
        }
        locks_elsewhere(&locks, kind->name);
        all_s += bench_matrix("--engine", kind->name, locks.count, "", 60);
        bench_race("failover", roads.names[i], 4000);
    }
    if (all_s > 0)
        line(all_s, "s", "all of these tables (at most 90)");
}

static void part_matrix(const struct base *base) {
    static struct lock_list locks;
    size_t ladder = 0;

    (void)base;
    locks_built(&locks);
    for (size_t i = 0; i < locks.count; i++)
        ladder += locks_is_stage(locks.names[i]);
    bench_matrix("--ladder", NULL, ladder, " (at most 10)", 12);
    bench_matrix("--all", NULL, locks.count, " (at most 60)", 12);
    bench_tables();
}

enum { SEARCH, PARTS = 6 };
static const struct part {
    const char *name;
    void (*measure)(const struct base *base);
} parts[PARTS] = {
    [SEARCH] = {"search", part_search}, {"races", part_races},
    {"locks", bench_locks}, {"assumptions", part_assumptions},
    {"matrix", part_matrix}, {"roads", part_roads}, // may lack their servers
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    bool *wanted = state->input;

    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    for (int i = 0; i < PARTS; i++)
        if (strcmp(parts[i].name, argument) == 0)
            return wanted[i] = true, 0;
    refuse("there is no part %s: there are search, races, locks, assumptions, "
           "matrix and roads", argument);
}

int bench_main(int argc, char **argv) {
    static const struct argp argp = {
        .parser = parse,
        .args_doc = "[PART...]",
        .doc = "Measures search, races, locks, assumptions, matrix and roads "
               "on this machine, or only the parts that are named.",
    };
    bool wanted[PARTS] = {false}, all = true;

    arguments_parse(&argp, argc, argv, wanted);
    for (int i = 0; i < PARTS; i++)
        all = all && !wanted[i];
    if (all || wanted[SEARCH])
        parts[SEARCH].measure(NULL);
    struct base base = bench_wire();
    for (int i = SEARCH + 1; i < PARTS; i++)
        if (all || wanted[i])
            parts[i].measure(&base);
    return 0;
}
