// ./scenarios/bench (make bench): how fast this is on the machine it runs on.
//
// Times differ from machine to machine; the ratios are what counts, to the
// start of a server and to a bare round trip, and their two sides are measured
// in the same run.
#include "base/arguments.h"
#include "base/child.h"
#include "catalogue/locks.h"
#include "catalogue/races.h"
#include "search/workers.h"
#include "search/search.h"
#include "search/bounds_options.h"
#include "machine/clock.h"
#include "machine/cores.h"
#include "base/fail.h"
#include "world/gate.h"
#include "machine/loop.h"
#include "engines/redis/instance.h"
#include "engines/redis/resp.h"
#include "machine/sandbox.h"

#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STARTS = 30, ROUND_TRIPS = 20000, SCENARIOS = 30, BATCHES = 7 };

static double now_us(void) {
    return (double)real_ns() / 1e3;
}

static int by_size(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

static void line(const char *what, double value, const char *unit) {
    printf("%-52s %9.1f %s\n", what, value, unit);
    finish_output();
}

// A child that pings the server at `path`, so often, and ends.
static pid_t start_pinging(const char *path, int times) {
    fflush(stdout);
    pid_t child = child_start();
    if (child != 0)
        return child;
    redisContext *context = redisConnectUnix(path);
    for (int i = 0; i < times; i++)
        freeReplyObject(redisCommand(context, "PING"));
    _exit(context->err ? 1 : 0);
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
    gate_open(&gate, "bench", &resp);
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

static double program_us(char *const argv[]) {
    double start = now_us();
    pid_t child = child_start();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        execv(argv[0], argv);
        _exit(127);
    }
    child_end_of_output(child);
    return now_us() - start;
}

// What everything else is made of.
struct base {
    double start_us;      // of a server
    double round_trip_us; // to it, with nothing between
};

// On one core, as a world is: from core to core a bare round trip takes four
// times as long, and the gate would look better than it is.
static struct base bench_wire(void) {
    static struct instance server;
    double starts[STARTS], bare[BATCHES], gated[BATCHES];

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
    line("the server, from fork to its first answer", start_us / 1000, "ms");
    for (int i = 0; i < BATCHES; i++) {
        bare[i] = bare_round_trip_us(&server.door, ROUND_TRIPS / BATCHES);
        gated[i] = gated_round_trip_us(&server.door, ROUND_TRIPS / BATCHES);
    }
    double without = median(bare, BATCHES), with = median(gated, BATCHES);
    line("a bare round trip (PING)", without, "us");
    line("the same through the gate", with, "us");
    line("    ratio (at most 4)", with / without, "times");
    instance_kill(&server);
    core_leave();
    return (struct base){start_us, without};
}

// --- Redlock ---------------------------------------------------------------

enum { MASTERS = 5, HOLDS_OF_REDLOCK = 1000 };

// What Redlock sends to take and to give back a lock, and nothing else.
static void send_bare(const char *urls) {
    redisContext *masters[MASTERS];
    char path[SANDBOX_PATH_SIZE];

    for (int i = 0; i < MASTERS; i++) {
        int length = (int)strcspn(urls, " ");
        snprintf(path, sizeof path, "%.*s", length - 7, urls + 7); // unix://
        masters[i] = redisConnectUnix(path);
        urls += length + (urls[length] == ' ');
    }
    for (int n = 0; n < HOLDS_OF_REDLOCK; n++) {
        for (int i = 0; i < MASTERS; i++)
            freeReplyObject(redisCommand(masters[i], "SET lock x NX PX 30000"));
        for (int i = 0; i < MASTERS; i++)
            freeReplyObject(redisCommand(masters[i], "DEL lock"));
    }
    _exit(masters[0]->err ? 1 : 0);
}

// It is told so many times to enter and to leave.
static void become_client(const char *lines) {
    char program[PATHS_SIZE];

    locks_client("road_redlock", program);
    dup2(open(lines, O_RDONLY), STDIN_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    execl(program, program, (char *)NULL);
    _exit(127);
}

static double hold_us(const char *urls, const char *lines) {
    fflush(stdout);
    double start = now_us();
    pid_t child = child_start();
    if (child == 0 && lines)
        become_client(lines);
    if (child == 0)
        send_bare(urls);
    child_end_of_output(child);
    return (now_us() - start) / HOLDS_OF_REDLOCK;
}

static void bench_redlock(void) {
    static struct instance masters[MASTERS];
    char urls[MASTERS * SANDBOX_PATH_SIZE] = "", lines[SANDBOX_PATH_SIZE];
    double bare[BATCHES], whole[BATCHES];

    core_stay();
    for (int i = 0; i < MASTERS; i++) {
        size_t used = strlen(urls);
        instance_open(&masters[i], i + 2);
        instance_start(&masters[i]);
        snprintf(urls + used, sizeof urls - used, "%sunix:///proc/%d/fd/%d",
                 i > 0 ? " " : "", getpid(), masters[i].door.fd);
    }
    sandbox_path(lines, "bench.lines");
    FILE *file = must_have(fopen(lines, "w"));
    for (int n = 0; n < HOLDS_OF_REDLOCK; n++)
        fputs("enter\nleave\n", file);
    fclose(file);
    setenv("REDIS_URLS", urls, 1);
    for (int i = 0; i < BATCHES; i++) {
        bare[i] = hold_us(urls, NULL);
        whole[i] = hold_us(urls, lines);
    }
    unsetenv("REDIS_URLS");
    double without = median(bare, BATCHES), with = median(whole, BATCHES);
    line("five bare SETs and five DELs in turn", without, "us");
    line("Redlock on five masters, acquire and release", with, "us");
    line("    ratio", with / without, "times");
    for (int i = 0; i < MASTERS; i++)
        instance_kill(&masters[i]);
    core_leave();
    char program[PATHS_SIZE];
    double runs[SCENARIOS];
    races_program("two_processes", program);
    for (int i = 0; i < SCENARIOS; i++)
        runs[i] = program_us(
            (char *[]){program, "--stage", "road_redlock", NULL});
    line("a race on Redlock (at most 80)", median(runs, SCENARIOS) / 1000,
         "ms");
}

static void bench_scenario(const struct base *base) {
    char program[PATHS_SIZE];
    double runs[SCENARIOS];

    races_program("expired_delete", program);
    for (int i = 0; i < SCENARIOS; i++)
        runs[i] = program_us((char *[]){program, "--stage", "4", NULL});
    double us = median(runs, SCENARIOS);
    line("./scenarios/expired_delete --stage 4 (at most 100)", us / 1000, "ms");
    line("    ratio to a server's start", us / base->start_us, "times");
    line("    ratio to a bare round trip", us / base->round_trip_us, "times");
}

static void bench_matrix(const char *family, size_t locks, int limit_s) {
    static struct race_list races;
    char program[PATHS_SIZE], what[64];

    races_list(&races);
    races_program("matrix", program);
    double us = program_us(
        (char *[]){program, "--format", "tsv", (char *)family, NULL});
    size_t cells = races.count * locks;
    snprintf(what, sizeof what, "./scenarios/matrix %s (at most %d)", family,
             limit_s);
    line(what, us / 1e6, "s");
    snprintf(what, sizeof what, "    a cell of %zu (at most 12)", cells);
    line(what, us / 1000 / (double)cells, "ms");
}

// All faults, with restarts of the server.
static void bench_assumptions(char *lock) {
    char program[PATHS_SIZE], what[64];

    races_program("assumptions", program);
    snprintf(what, sizeof what, "./scenarios/assumptions --stage %s", lock);
    line(what, program_us((char *[]){program, "--stage", lock, NULL}) / 1e6,
         "s");
}

// Several servers, files, memory that runs out: dearer than the rest.
static void bench_dear_races(void) {
    static const char *const dear[] = {
        "failover", "split_brain", "wait_is_not_enough", "downtime_eats_lease",
        "aof_tail_lost", "resurrected_lock", "eviction", "restart_empty",
    };
    char program[PATHS_SIZE], what[64];
    double runs[BATCHES];

    for (size_t i = 0; i < sizeof dear / sizeof *dear; i++) {
        races_program(dear[i], program);
        for (int run = 0; run < BATCHES; run++)
            runs[run] = program_us((char *[]){program, "--stage", "5", NULL});
        snprintf(what, sizeof what, "./scenarios/%s --stage 5", dear[i]);
        line(what, median(runs, BATCHES) / 1000, "ms");
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

    line("re-executions, three clients with four commands", copied, "/s");
    line("    commands", copied * COMMANDS, "/s");
    line("    the same with clients that are loaded anew", anew, "/s");
    line("    ratio", copied / anew, "times");
}

static void bench_search(const char *lock, int clients, int limit_s) {
    struct search_options options = {.most_positions = POSITIONS,
                                     .memory_mb = MEMORY_MB};
    struct search_result result;
    struct settings settings;
    char what[64];

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
    snprintf(what, sizeof what, "search of stage %s, %d clients (at most %d)",
             lock, clients, limit_s);
    line(what, s, "s");
    snprintf(what, sizeof what, "    positions, of %zu", result.positions);
    line(what, (double)result.positions / s, "/s");
    snprintf(what, sizeof what, "    schedules run, of %zu", result.runs);
    line(what, (double)result.runs / s, "/s");
}

int main(int argc, char **argv) {
    static const struct argp argp = {
        .doc = "Measures search, server, gate, scenario and matrix on this "
               "machine.",
    };

    static struct lock_list locks;
    size_t ladder = 0;

    arguments_parse(&argp, argc, argv, NULL);
    // First, while this process has no world of its own that workers inherit.
    bench_runs("4");
    bench_search("5", 2, 5);
    bench_search("6", 2, 5);
    bench_search("7", 2, 5);
    bench_search("6", 3, 60);
    struct base base = bench_wire();
    bench_scenario(&base);
    bench_redlock();
    bench_dear_races();
    locks_built(&locks);
    for (size_t i = 0; i < locks.count; i++)
        ladder += locks_is_stage(locks.names[i]);
    bench_assumptions("5");
    bench_assumptions("7");
    bench_matrix("--ladder", ladder, 10);
    bench_matrix("--all", locks.count, 60);
    return 0;
}
