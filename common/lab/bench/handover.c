#include "handover.h"

#include "bare_waiter.h"
#include "driven.h"
#include "measure.h"

#include "base/fail.h"
#include "engines/redis/instance.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { CLIENTS = 5, HANDOVERS = 60, WAIT_LIMIT_MS = 10000 };

static long long commands_run(struct instance *server) {
    static const char name[] = "\ntotal_commands_processed:";
    redisReply *info = instance_ask(server, REDIS_REPLY_STRING, "INFO stats");
    long long count = atoll(strstr(info->str, name) + strlen(name));

    freeReplyObject(info);
    return count;
}

// Returns when the waiters have sent nothing for a while, which means that they
// sleep: the number of commands by then, with those that asked for it.
static long long when_quiet(struct instance *server) {
    enum { A_WHILE_MS = 4 };
    long long before = commands_run(server), now;

    for (;;) {
        poll(NULL, 0, A_WHILE_MS);
        now = commands_run(server);
        if (now == before + 1)
            return now;
        before = now;
    }
}

// The client that writes a line first, leaving out `but`.
static int first_to_speak(const struct driven *clients, int but) {
    struct pollfd said[CLIENTS];

    for (int i = 0; i < CLIENTS; i++)
        said[i] = (struct pollfd){.fd = i == but ? -1 : clients[i].out,
                                  .events = POLLIN};
    if (poll(said, CLIENTS, WAIT_LIMIT_MS) <= 0)
        fail("nobody has got the lock within %d s", WAIT_LIMIT_MS / 1000);
    for (int i = 0; i < CLIENTS; i++)
        if (said[i].revents)
            return i;
    return but;
}

// The time of a bare round trip, on all cores, as the handovers are.
static double round_trip_us(const char *path) {
    enum { ROUND_TRIPS = 4000 };
    double start = now_us();

    ping(path, ROUND_TRIPS);
    return (now_us() - start) / ROUND_TRIPS;
}

// Measures handovers: from the answer to a release to the answer to the next
// client that gets the lock.
static void hand_over(struct instance *server, struct driven *clients,
                      double *us, double *commands) {
    double waits_us[HANDOVERS], counts[HANDOVERS];
    int holder = 0;

    driven_order(&clients[holder], "enter\n");
    driven_hear(&clients[holder], "ok");
    for (int i = 1; i < CLIENTS; i++)
        driven_order(&clients[i], "wait 600000\n");
    for (int i = 0; i < HANDOVERS; i++) {
        long long before = when_quiet(server);
        driven_order(&clients[holder], "leave\n");
        driven_hear(&clients[holder], "ok");
        double released = now_us();
        int next = first_to_speak(clients, holder);
        waits_us[i] = now_us() - released;
        driven_hear(&clients[next], "ok");
        counts[i] = (double)(when_quiet(server) - before);
        driven_order(&clients[holder], "wait 600000\n");
        holder = next;
    }
    *us = median(waits_us, HANDOVERS);
    *commands = median(counts, HANDOVERS) - 2;
}

// Starts a client of the lock; NULL: a waiter in bare hiredis.
static struct driven start_client(const char *lock,
                                  const struct address *server) {
    return lock ? driven_client(lock, server, 1)
                : driven_child(bare_waiter, server->socket);
}

void bench_handover(const char *lock, const char *aim) {
    static struct instance server;
    struct driven clients[CLIENTS];
    char path[DRIVEN_PATH_SIZE];
    double us, commands;

    instance_open(&server, 2);
    instance_start(&server);
    struct address address = driven_address(&server.daemon.door, path);
    double before_us = round_trip_us(address.socket);
    for (int i = 0; i < CLIENTS; i++)
        clients[i] = driven_ready(start_client(lock, &address));
    hand_over(&server, clients, &us, &commands);
    for (int i = 0; i < CLIENTS; i++)
        kill(clients[i].pid, SIGKILL);
    for (int i = 0; i < CLIENTS; i++)
        driven_end(&clients[i]);
    double after_us = round_trip_us(address.socket);
    line(us, "us", "%s, from a release to the next grant",
         lock ? lock : "bare hiredis");
    line(us / ((before_us + after_us) / 2), "", "    in bare round trips%s",
         aim);
    count_line("    commands of all five for it", commands);
    instance_kill(&server);
}
