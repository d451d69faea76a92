#include "holds.h"

#include "driven.h"
#include "measure.h"
#include "recorded.h"

#include "base/fail.h"
#include "engines/redis/instance.h"
#include "machine/cores.h"

#include <stdlib.h>
#include <string.h>

enum { HOLDS = 4000, MASTERS = 5, MOST_WORDS = 16 };

// As a client does: reads the next operation in a line, and writes its result.
static bool next_line(void) {
    char operation[16];
    return fgets(operation, sizeof operation, stdin) != NULL;
}

// A command as a program has it before it gives it to hiredis.
struct command {
    int words;
    const char *word[MOST_WORDS];
    size_t length[MOST_WORDS];
};

struct bare {
    const char *path; // of the server
    struct command commands[MOST_REQUESTS];
    int count;
};

// The commands of a hold that was recorded, with the same words.
static void cut_into_words(const struct recorded *hold, struct bare *bare) {
    for (bare->count = 0; bare->count < hold->count; bare->count++) {
        struct command *command = &bare->commands[bare->count];
        redisReader *reader = redisReaderCreate();
        redisReply *request = NULL; // lives until the bench ends

        redisReaderFeed(reader, hold->requests[bare->count].bytes,
                        hold->requests[bare->count].length);
        if (redisReaderGetReply(reader, (void **)&request) != REDIS_OK ||
            !request || request->elements > MOST_WORDS)
            fail("the bench cannot read what a client has sent");
        command->words = (int)request->elements;
        for (int i = 0; i < command->words; i++) {
            command->word[i] = request->element[i]->str;
            command->length[i] = request->element[i]->len;
        }
        redisReaderFree(reader);
    }
}

static void send_bare(const void *argument) {
    const struct bare *bare = argument;
    redisContext *context = connect_to(bare->path);

    driven_say("ready");
    while (next_line()) {
        for (int i = 0; i < bare->count; i++) {
            const struct command *command = &bare->commands[i];
            freeReplyObject(must_answer(redisCommandArgv(
                context, command->words, (const char **)command->word,
                command->length)));
        }
        driven_say("ok");
        if (next_line())
            driven_say("ok");
    }
}

// The time of one hold, once the client is ready.
static double hold_us(struct driven driven) {
    static const char words[] = "enter\nleave\n";
    char *lines = must_have(malloc(HOLDS * sizeof words)), *end = lines;

    for (int i = 0; i < HOLDS; i++)
        end = stpcpy(end, words);
    driven_ready(driven);
    double start = now_us();
    driven_order(&driven, lines);
    driven_end(&driven);
    double us = (now_us() - start) / HOLDS;
    free(lines);
    return us;
}

void bench_hold(const char *lock) {
    static struct instance server;
    static struct gated gated;
    static struct bare commands;
    struct recorded recorded = {.count = 0};
    char path[DRIVEN_PATH_SIZE];
    double bare[BATCHES], whole[BATCHES];

    core_stay();
    instance_open(&server, 2);
    instance_start(&server);
    gated_start(&gated, lock, &(struct door *){&server.daemon.door}, 1);
    gated_hold(&gated, NULL); // by the second hold the server knows scripts
    gated_hold(&gated, &recorded);
    gated_end(&gated);
    struct address address = driven_address(&server.daemon.door, path);
    commands.path = path;
    cut_into_words(&recorded, &commands);
    for (int i = 0; i < BATCHES; i++) {
        bare[i] = hold_us(driven_child(send_bare, &commands));
        whole[i] = hold_us(driven_client(lock, &address, 1));
    }
    double without = median(bare, BATCHES), with = median(whole, BATCHES);
    line(with, "us", "%s, acquire and release", lock);
    line(without, "us", "    its %d commands, sent bare", recorded.count);
    line(without / with, "times", "    ratio (the aim is 0.95)");
    instance_kill(&server);
    core_leave();
    recorded_forget(&recorded);
}

// --- Redlock -----------------------------------------------------------------

// The bare commands of Redlock: those that take a lock and give it back.
static void send_to_masters(const void *addresses) {
    const struct address *address = addresses;
    redisContext *masters[MASTERS];

    for (int i = 0; i < MASTERS; i++)
        masters[i] = connect_to(address[i].socket);
    driven_say("ready");
    while (next_line()) {
        for (int i = 0; i < MASTERS; i++)
            freeReplyObject(redisCommand(masters[i], "SET lock x NX PX 30000"));
        driven_say("ok");
        next_line();
        for (int i = 0; i < MASTERS; i++)
            freeReplyObject(redisCommand(masters[i], "DEL lock"));
        driven_say("ok");
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
    line(with, "us", "Redlock on five masters, acquire and release");
    line(without, "us", "    five bare SETs and five DELs in turn");
    line(with / without, "times", "    ratio");
    for (int i = 0; i < MASTERS; i++)
        instance_kill(&masters[i]);
    core_leave();
}
