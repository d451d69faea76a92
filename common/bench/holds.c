#include "holds.h"

#include "driven.h"
#include "measure.h"

#include "base/fail.h"
#include "base/patience.h"
#include "engines/redis/instance.h"
#include "engines/redis/resp.h"
#include "machine/cores.h"
#include "machine/loop.h"
#include "machine/process.h"
#include "machine/sandbox.h"
#include "world/gate.h"

#include <hiredis/hiredis.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { HOLDS = 4000, MOST_COMMANDS = 16, MASTERS = 5, URLS = 1024 };

// --- what a hold sends -------------------------------------------------------

struct recorded {
    char url[URL_SIZE]; // of the server
    struct {
        char *bytes;
        size_t length;
    } commands[MOST_COMMANDS];
    int count;
};

static void keep(struct recorded *recorded, const struct message *request) {
    if (recorded->count == MOST_COMMANDS)
        fail("a hold of more than %d commands", MOST_COMMANDS);
    char *bytes = must_have(malloc(request->length));
    memcpy(bytes, request->bytes, request->length);
    recorded->commands[recorded->count].bytes = bytes;
    recorded->commands[recorded->count++].length = request->length;
}

static bool has_said_something(const struct driven *client) {
    struct pollfd said = {.fd = client->out, .events = POLLIN};
    return poll(&said, 1, 0) > 0;
}

// Lets everything through until the client has said how that ended. Keeps what
// was sent, if `recorded` is not NULL.
static void do_through(struct gate *gate, const struct driven *client,
                       const char *word, struct recorded *recorded) {
    struct patience patience = {0};

    driven_tell(client, word);
    while (!has_said_something(client)) {
        if (!process_patience(&patience))
            fail("the gate has waited for the end of a hold for %d s",
                 PATIENCE_MS / 1000);
        loop_turn(1);
        struct connection *connection = gate_pending(gate, 0);
        if (connection && connection->stage == STAGE_HELD) {
            if (recorded)
                keep(recorded, &connection->request);
            gate_forward(connection);
        } else if (connection && connection->stage == STAGE_ANSWERED) {
            gate_deliver(connection);
        }
    }
    driven_hear(client, "ok");
}

// The second hold: by then scripts are known to the server.
static void record(struct recorded *recorded, const char *lock,
                   struct instance *server) {
    char path[SANDBOX_PATH_SIZE], url[SANDBOX_PATH_SIZE + 8];
    struct gate gate;

    *recorded = (struct recorded){.count = 0};
    driven_url(server, recorded->url);
    sandbox_path(path, "bench.hold");
    gate_open(&gate, "bench", &resp);
    gate_add_way(&gate, path, 0, &server->daemon.door, false);
    snprintf(url, sizeof url, "unix://%s", path);
    struct driven client = driven_client(lock, url);
    for (int hold = 0; hold < 2; hold++) {
        do_through(&gate, &client, "enter\n", hold ? recorded : NULL);
        do_through(&gate, &client, "leave\n", hold ? recorded : NULL);
    }
    gate_shut(&gate);
    driven_end(&client);
}

// --- measuring ---------------------------------------------------------------

static redisContext *connect_to(const char *url, size_t length) {
    char path[64];

    snprintf(path, sizeof path, "%.*s", (int)(length - strlen("unix://")),
             url + strlen("unix://"));
    redisContext *context = redisConnectUnix(path);
    if (!context || context->err)
        fail("the bench cannot connect to its server");
    puts("ready");
    fflush(stdout);
    return context;
}

// As a client does: is told the next operation in a line, and says how it has
// ended.
static bool next_line(void) {
    char told[16];
    return fgets(told, sizeof told, stdin) != NULL;
}

static void say_ok(void) {
    puts("ok");
    fflush(stdout);
}

static void send_recorded(const void *argument) {
    const struct recorded *recorded = argument;
    redisReply *reply;
    redisContext *context = connect_to(recorded->url, strlen(recorded->url));
    while (next_line()) {
        for (int i = 0; i < recorded->count; i++) {
            redisAppendFormattedCommand(context, recorded->commands[i].bytes,
                                        recorded->commands[i].length);
            if (redisGetReply(context, (void **)&reply) != REDIS_OK)
                fail("the bench has lost its server");
            freeReplyObject(reply);
        }
        say_ok();
        if (next_line())
            say_ok();
    }
}

// Of one hold, with a client that is ready.
static double hold_us(struct driven driven) {
    static const char words[] = "enter\nleave\n";
    char *lines = must_have(malloc(HOLDS * sizeof words)), *end = lines;

    for (int i = 0; i < HOLDS; i++)
        end = stpcpy(end, words);
    double start = now_us();
    driven_tell(&driven, lines);
    driven_end(&driven);
    double us = (now_us() - start) / HOLDS;
    free(lines);
    return us;
}

void bench_hold(const char *lock) {
    static struct instance server;
    static struct recorded recorded;
    double bare[BATCHES], whole[BATCHES];
    char what[64];

    core_stay();
    instance_open(&server, 2);
    instance_start(&server);
    record(&recorded, lock, &server);
    for (int i = 0; i < BATCHES; i++) {
        bare[i] = hold_us(driven_child(send_recorded, &recorded));
        whole[i] = hold_us(driven_client(lock, recorded.url));
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
    while (recorded.count > 0)
        free(recorded.commands[--recorded.count].bytes);
}

// --- Redlock -----------------------------------------------------------------

// What Redlock sends to take and to give back a lock, and nothing else.
static void send_to_masters(const void *urls) {
    redisContext *masters[MASTERS];
    const char *url = urls;

    for (int i = 0; i < MASTERS; i++) {
        size_t length = strcspn(url, " ");
        masters[i] = connect_to(url, length);
        url += length + (url[length] == ' ');
    }
    while (next_line()) {
        for (int i = 0; i < MASTERS; i++)
            freeReplyObject(redisCommand(masters[i], "SET lock x NX PX 30000"));
        say_ok();
        next_line();
        for (int i = 0; i < MASTERS; i++)
            freeReplyObject(redisCommand(masters[i], "DEL lock"));
        say_ok();
    }
}

void bench_redlock_hold(void) {
    static struct instance masters[MASTERS];
    char urls[URLS] = "", url[URL_SIZE];
    double bare[BATCHES], whole[BATCHES];

    core_stay();
    for (int i = 0; i < MASTERS; i++) {
        size_t used = strlen(urls);
        instance_open(&masters[i], i + 2);
        instance_start(&masters[i]);
        snprintf(urls + used, sizeof urls - used, "%s%s", i > 0 ? " " : "",
                 driven_url(&masters[i], url));
    }
    for (int i = 0; i < BATCHES; i++) {
        bare[i] = hold_us(driven_child(send_to_masters, urls));
        whole[i] = hold_us(driven_client("road_redlock", urls));
    }
    double without = median(bare, BATCHES), with = median(whole, BATCHES);
    line("Redlock on five masters, acquire and release", with, "us");
    line("    five bare SETs and five DELs in turn", without, "us");
    line("    ratio", with / without, "times");
    for (int i = 0; i < MASTERS; i++)
        instance_kill(&masters[i]);
    core_leave();
}
