#include "holds.h"

#include "driven.h"
#include "measure.h"
#include "recorded.h"

#include "base/fail.h"
#include "engines/redis/instance.h"
#include "machine/cores.h"

#include <hiredis/hiredis.h>
#include <stdlib.h>
#include <string.h>

enum { HOLDS = 4000, MASTERS = 5 };

static redisContext *connect_to(const char *path) {
    redisContext *context = redisConnectUnix(path);

    if (!context || context->err)
        fail("the bench cannot connect to its server");
    return context;
}

static void say(const char *word) {
    puts(word);
    fflush(stdout);
}

// As a client does: is told the next operation in a line, and says how it has
// ended.
static bool next_line(void) {
    char told[16];
    return fgets(told, sizeof told, stdin) != NULL;
}

struct bare {
    const char *path; // of the server
    const struct recorded *hold;
};

static void send_recorded(const void *argument) {
    const struct bare *bare = argument;
    redisContext *context = connect_to(bare->path);
    redisReply *reply;

    say("ready");
    while (next_line()) {
        for (int i = 0; i < bare->hold->count; i++) {
            redisAppendFormattedCommand(context, bare->hold->requests[i].bytes,
                                        bare->hold->requests[i].length);
            if (redisGetReply(context, (void **)&reply) != REDIS_OK)
                fail("the bench has lost its server");
            freeReplyObject(reply);
        }
        say("ok");
        if (next_line())
            say("ok");
    }
}

// Of one hold, once the client is ready.
static double hold_us(struct driven driven) {
    static const char words[] = "enter\nleave\n";
    char *lines = must_have(malloc(HOLDS * sizeof words)), *end = lines;

    for (int i = 0; i < HOLDS; i++)
        end = stpcpy(end, words);
    driven_ready(driven);
    double start = now_us();
    driven_tell(&driven, lines);
    driven_end(&driven);
    double us = (now_us() - start) / HOLDS;
    free(lines);
    return us;
}

void bench_hold(const char *lock) {
    static struct instance server;
    static struct gated gated;
    struct recorded recorded = {.count = 0};
    char path[DRIVEN_PATH_SIZE], what[64];
    double bare[BATCHES], whole[BATCHES];

    core_stay();
    instance_open(&server, 2);
    instance_start(&server);
    gated_start(&gated, lock, &server.daemon.door);
    gated_hold(&gated, NULL); // by the second hold the server knows scripts
    gated_hold(&gated, &recorded);
    gated_end(&gated);
    struct address address = driven_address(&server.daemon.door, path);
    for (int i = 0; i < BATCHES; i++) {
        bare[i] = hold_us(driven_child(send_recorded,
                                       &(struct bare){path, &recorded}));
        whole[i] = hold_us(driven_client(lock, &address, 1));
    }
    double without = median(bare, BATCHES), with = median(whole, BATCHES);
    snprintf(what, sizeof what, "%s, acquire and release", lock);
    line(what, with, "us");
    snprintf(what, sizeof what, "    its %d commands, sent bare",
             recorded.count);
    line(what, without, "us");
    line("    ratio (the aim is 0.95)", without / with, "times");
    instance_kill(&server);
    core_leave();
    recorded_forget(&recorded);
}

// --- Redlock -----------------------------------------------------------------

// What Redlock sends to take and to give back a lock, and nothing else.
static void send_to_masters(const void *addresses) {
    const struct address *address = addresses;
    redisContext *masters[MASTERS];

    for (int i = 0; i < MASTERS; i++)
        masters[i] = connect_to(address[i].socket);
    say("ready");
    while (next_line()) {
        for (int i = 0; i < MASTERS; i++)
            freeReplyObject(redisCommand(masters[i], "SET lock x NX PX 30000"));
        say("ok");
        next_line();
        for (int i = 0; i < MASTERS; i++)
            freeReplyObject(redisCommand(masters[i], "DEL lock"));
        say("ok");
    }
}

void bench_redlock_hold(void) {
    static struct instance masters[MASTERS];
    char paths[MASTERS][DRIVEN_PATH_SIZE];
    struct address addresses[MASTERS];
    double bare[BATCHES], whole[BATCHES];

    core_stay();
    for (int i = 0; i < MASTERS; i++) {
        instance_open(&masters[i], i + 2);
        instance_start(&masters[i]);
        addresses[i] = driven_address(&masters[i].daemon.door, paths[i]);
    }
    for (int i = 0; i < BATCHES; i++) {
        bare[i] = hold_us(driven_child(send_to_masters, addresses));
        whole[i] = hold_us(driven_client("road_redlock", addresses, MASTERS));
    }
    double without = median(bare, BATCHES), with = median(whole, BATCHES);
    line("Redlock on five masters, acquire and release", with, "us");
    line("    five bare SETs and five DELs in turn", without, "us");
    line("    ratio", with / without, "times");
    for (int i = 0; i < MASTERS; i++)
        instance_kill(&masters[i]);
    core_leave();
}
