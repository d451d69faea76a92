#include "ensemble.h"

#include "base/fail.h"
#include "base/units.h"
#include "machine/clock.h"

#include <string.h>

// Half a round: so often the leader asks its followers whether they are there.
static const int64_t STEP_NS = 250 * MILLISECOND;

static bool runs(const struct zookeeperd *server) {
    return server->daemon.process.state == PROCESS_RUNS;
}

// --- rest --------------------------------------------------------------------

static bool have_rested(const struct zookeeperd *servers) {
    for (int i = 0; i < ENSEMBLE; i++)
        if (runs(&servers[i]) && !zookeeperd_rested(&servers[i]))
            return false;
    return true;
}

static bool all_sleep(struct zookeeperd *servers, uint64_t *marks) {
    for (int i = 0; i < ENSEMBLE; i++)
        if (runs(&servers[i]) && !zookeeperd_sleeps(&servers[i], &marks[i]))
            return false;
    return true;
}

// A message can be on its way from one to another that was looked at before. So
// all are looked at twice. If none has run in between, all slept at one
// instant.
static bool sleep_together(struct zookeeperd *servers) {
    uint64_t before[ENSEMBLE] = {0}, after[ENSEMBLE] = {0};

    return all_sleep(servers, before) && all_sleep(servers, after) &&
           memcmp(before, after, sizeof before) == 0;
}

// Pings each that has not been woken since they rested last. True if there was
// one.
//
// A thread of a server takes requests, and what two of the three have agreed
// to. In ZooKeeper 3.8.0 and some before it, this thread looks whether there is
// anything, finds nothing, and goes to sleep. Between the two another thread
// may bring something. Then it sleeps on, until more comes (ZOOKEEPER-4537). In
// a world that may be never, because no time passes. A session that is opened
// wakes it as well as a ping does.
static bool wake_all(struct zookeeperd *servers) {
    bool some = false;

    for (int i = 0; i < ENSEMBLE; i++) {
        struct zookeeperd *server = &servers[i];
        if (!runs(server) || !server->has_found_others || server->woken)
            continue;
        server->woken = some = true;
        if (!server->own || !zoo_is_open(server->own))
            zookeeperd_serves(server);
        else if (!zoo_ping(server->own))
            zookeeperd_fail(server, "ping");
    }
    return some;
}

bool ensemble_rests(struct zookeeperd *servers) {
    if (have_rested(servers))
        return true;
    if (!sleep_together(servers) || wake_all(servers))
        return false;
    for (int i = 0; i < ENSEMBLE; i++) {
        zookeeperd_note_rest(&servers[i]);
        servers[i].woken = false;
    }
    return true;
}

_Noreturn static void blame(struct zookeeperd *servers) {
    for (int i = 0; i < ENSEMBLE; i++)
        if (runs(&servers[i]))
            daemon_blame_if_awake(&servers[i].daemon, "does not come to rest");
    fail("the servers do not come to rest, for %d s", PATIENCE_MS / 1000);
}

static void come_to_rest(struct zookeeperd *servers) {
    enum { FIRST_US = 200, MORE_US = 100, LONGEST_US = 2000 };
    struct patience patience = {0};
    int moment_us = FIRST_US;

    while (loop_turn(0) || !ensemble_rests(servers) || loop_turn(0)) {
        loop_turn(moment_us);
        moment_us += moment_us < LONGEST_US ? MORE_US : 0;
        if (!process_patience(&patience))
            blame(servers);
    }
}

// Something was done to them.
static void settle(struct zookeeperd *servers) {
    for (int i = 0; i < ENSEMBLE; i++)
        servers[i].rested = false;
    come_to_rest(servers);
}

// The steps end where the rounds do that the servers count.
void ensemble_pass_time(struct zookeeperd *servers, int64_t ns) {
    come_to_rest(servers);
    while (ns > 0) {
        int64_t left_ns = STEP_NS - clock_now() % STEP_NS;
        int64_t step_ns = ns < left_ns ? ns : left_ns;
        clock_move(step_ns);
        settle(servers);
        ns -= step_ns;
    }
}

// --- life --------------------------------------------------------------------

static bool all_serve(struct zookeeperd *servers) {
    bool all = true;

    for (int i = 0; i < ENSEMBLE; i++)
        all = zookeeperd_serves(&servers[i]) && all;
    settle(servers);
    return all;
}

// In which step the last of them is ready depends on the machine: a follower
// that comes before the leader listens tries again a step later. After as many
// steps as nobody ever needs they are all in the same state.
static void find_each_other(struct zookeeperd *servers) {
    enum { STEPS = 8, TIMES = 8 };
    char mode[32];

    settle(servers);
    for (int times = 0; times == 0 || !all_serve(servers); times++) {
        if (times == TIMES)
            fail("three ZooKeeper servers have not found each other: %s",
                 servers[0].daemon.last_line);
        for (int step = 0; step < STEPS; step++) {
            clock_age_servers(STEP_NS);
            settle(servers);
        }
    }
    zoo_mode(&servers[0].daemon.door, mode, sizeof mode);
    if (strcmp(mode, "Mode: leader") != 0)
        fail("the first of three ZooKeeper servers does not lead: %s", mode);
    for (int i = 0; i < ENSEMBLE; i++)
        servers[i].has_found_others = true;
    settle(servers);
}

// Each listens before the next one starts. So the first hears all votes, and a
// busy machine has as long for each as for a single server.
void ensemble_begin(struct zookeeperd *servers) {
    zookeeperd_kill(&servers[0]);
    for (int i = 0; i < ENSEMBLE; i++) {
        if (i > 0)
            zookeeperd_open(&servers[i], i + 1);
        servers[i].peers = ENSEMBLE;
        servers[i].accepted = clock_accepted(servers[i].daemon.slot);
        zookeeperd_launch(&servers[i]);
        zookeeperd_await(&servers[i]);
    }
    find_each_other(servers);
}

void ensemble_kill(struct zookeeperd *servers, int number) {
    struct zookeeperd *server = &servers[number];

    zookeeperd_kill(server);
    server->accepted += server->daemon.door.connections;
    server->daemon.door.connections = 0;
    settle(servers);
}

void ensemble_start(struct zookeeperd *servers, int number) {
    zookeeperd_launch(&servers[number]);
    zookeeperd_await(&servers[number]);
    settle(servers);
}

void ensemble_part(struct zookeeperd *servers, int number) {
    clock_cut_off(servers[0].daemon.slot, servers[number].daemon.number);
    clock_cut_off(servers[number].daemon.slot, servers[0].daemon.number);
    settle(servers);
}

void ensemble_close(struct zookeeperd *servers) {
    for (int i = 0; i < ENSEMBLE; i++)
        zookeeperd_close(&servers[i]);
}

// --- looking at it -----------------------------------------------------------

// A connection of one of them to another that has just closed its socket is
// made, and never accepted. A stranger's is accepted, and none of them made it.
bool ensemble_has_met_others(const struct zookeeperd *servers) {
    unsigned accepted = 0, made = 0;

    for (int i = 0; i < ENSEMBLE; i++) {
        const struct zookeeperd *server = &servers[i];
        accepted += clock_accepted(server->daemon.slot) - server->accepted;
        made += clock_connected(server->daemon.slot) +
                server->daemon.door.connections;
    }
    return accepted > made;
}
