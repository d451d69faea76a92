#include "redis_server.h"

#include "clock.h"
#include "clock_page.h"
#include "fail.h"
#include "resp.h"

#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

enum { OLDEST_MAJOR = 6 };

static const char *program(void) {
    const char *named = getenv("REDIS_SERVER");
    return named && *named ? named : "redis-server";
}

// Its log: kept flowing, so that the pipe never fills, and the last line kept.
static void read_log(void *owner) {
    struct redis_server *server = owner;
    char text[4096];
    ssize_t length = read(server->log.fd, text, sizeof text - 1);

    if (length <= 0) {
        loop_close(&server->log);
        return;
    }
    text[length] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        snprintf(server->last_line, sizeof server->last_line, "%.*s",
                 (int)sizeof server->last_line - 1, line);
}

static redisReply *ask(struct redis_server *server, const char *format, ...) {
    va_list args;

    va_start(args, format);
    redisReply *reply = redisvCommand(server->own, format, args);
    va_end(args);
    if (!reply)
        world_fail("the server no longer answers: %s",
                   server->last_line[0] ? server->last_line
                                        : server->own->errstr);
    return reply;
}

// "redis_version:7.0.15\r\n" in INFO. Valkey reports the Redis version that it
// is compatible with, and its own.
static bool find(const char *info, const char *name, char *value, size_t size) {
    const char *found = strstr(info, name);
    if (!found)
        return false;
    found += strlen(name);
    snprintf(value, size, "%.*s", (int)strcspn(found, "\r\n"), found);
    return true;
}

static void read_version(struct redis_server *server) {
    redisReply *info = ask(server, "INFO server");
    const char *text = info->str ? info->str : "";
    char redis[32] = "", valkey[32] = "";

    find(text, "\nredis_version:", redis, sizeof redis);
    if (find(text, "\nvalkey_version:", valkey, sizeof valkey))
        snprintf(server->version, sizeof server->version, "valkey %s", valkey);
    else
        snprintf(server->version, sizeof server->version, "redis %s", redis);
    freeReplyObject(info);
    if (atoi(redis) < OLDEST_MAJOR)
        world_fail("%s is version '%s', too old: %d.0 or newer is needed",
                   program(), redis, OLDEST_MAJOR);
}

static void end_of_start(struct redis_server *server) {
    const char *how = process_end(&server->process);

    if (strcmp(how, "exited with 127") == 0)
        world_fail("there is no %s here: 'make setup' installs one, or name "
                   "yours in REDIS_SERVER", program());
    world_fail("%s %s before it was ready: %s", program(), how,
               server->last_line[0] ? server->last_line : "it said nothing");
}

static bool answers(struct redis_server *server) {
    static const struct timeval limit = {.tv_sec = PATIENCE_MS / 1000};
    redisReply *pong = NULL;

    server->own = redisConnectUnixWithTimeout(server->path, limit);
    if (server->own && !server->own->err) {
        redisSetTimeout(server->own, limit);
        pong = redisCommand(server->own, "PING");
    }
    if (pong) {
        freeReplyObject(pong);
        return true;
    }
    if (server->own)
        redisFree(server->own);
    server->own = NULL;
    return false;
}

static void spawn(struct redis_server *server) {
    char folder[SANDBOX_PATH_SIZE], slot[16];
    char *argv[] = {
        (char *)program(), "--port", "0", "--unixsocket", server->path,
        "--dir", folder, "--save", "", "--appendonly", "no",
        "--loglevel", "notice", "--logfile", "", "--daemonize", "no", NULL,
    };
    const struct variable environment[] = {
        {"LD_PRELOAD", clock_library()},
        {CLOCK_PAGE_VARIABLE, clock_path()},
        {CLOCK_SLOT_VARIABLE, slot},
        {NULL, NULL},
    };

    snprintf(folder, sizeof folder, "%s", sandbox_folder());
    snprintf(slot, sizeof slot, "%u", server->slot);
    process_start(&server->process, argv, environment);
    loop_watch(&server->log, dup(server->process.output), read_log, server);
}

void redis_server_start(struct redis_server *server) {
    struct timespec now;

    if (!server->path[0]) {
        sandbox_path(server->path, "redis.sock");
        server->slot = clock_slot();
    }
    server->last_line[0] = '\0';
    spawn(server);

    // It speaks when it has come so far: every piece of its log is a reason to
    // try the socket again.
    clock_gettime(CLOCK_MONOTONIC, &now);
    time_t limit_s = now.tv_sec + PATIENCE_MS / 1000;
    while (!answers(server)) {
        loop_turn(1000);
        if (server->log.fd < 0)
            end_of_start(server);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec > limit_s)
            world_fail("%s was started and does not answer: %s", program(),
                       server->last_line);
    }
    read_version(server);
}

void redis_server_kill(struct redis_server *server) {
    redisFree(server->own);
    server->own = NULL;
    loop_close(&server->log);
    process_kill(&server->process);
    unlink(server->path);
}

static void add(struct lock_state *state, const char *text, size_t length) {
    size_t used = strlen(state->value);
    snprintf(state->value + used, sizeof state->value - used, "%.*s",
             (int)length, text);
}

static void read_hash(struct redis_server *server, const char *key,
                      struct lock_state *state) {
    redisReply *all = ask(server, "HGETALL %s", key);

    for (size_t i = 0; i + 1 < all->elements; i += 2) {
        add(state, " ", i > 0);
        add(state, all->element[i]->str, all->element[i]->len);
        add(state, "=", 1);
        add(state, all->element[i + 1]->str, all->element[i + 1]->len);
    }
    freeReplyObject(all);
}

// Three questions in one round trip; the third fails for what is no string.
struct lock_state redis_server_look(struct redis_server *server,
                                    const char *key) {
    struct lock_state state = {.ttl_ms = -1};
    redisReply *answer[3];

    redisAppendCommand(server->own, "TYPE %s", key);
    redisAppendCommand(server->own, "PTTL %s", key);
    redisAppendCommand(server->own, "GET %s", key);
    for (int i = 0; i < 3; i++) {
        void *reply = NULL;
        if (redisGetReply(server->own, &reply) != REDIS_OK)
            world_fail("the server no longer answers: %s", server->last_line);
        answer[i] = reply;
    }
    state.exists = strcmp(answer[0]->str, "none") != 0;
    state.ttl_ms = state.exists ? answer[1]->integer : -1;
    if (answer[2]->type == REDIS_REPLY_STRING)
        add(&state, answer[2]->str, answer[2]->len);
    else if (strcmp(answer[0]->str, "hash") == 0)
        read_hash(server, key, &state);
    else if (state.exists)
        add(&state, answer[0]->str, answer[0]->len);
    for (int i = 0; i < 3; i++)
        freeReplyObject(answer[i]);
    return state;
}

// COMMAND INFO name: [[name, arity, [flags…], …]].
static bool writes(struct redis_server *server, const char *command) {
    redisReply *reply = ask(server, "COMMAND INFO %s", command);
    bool found = false;

    if (strncasecmp(command, "EVAL", 4) == 0) // older servers do not flag it
        found = true;
    if (reply->elements > 0 && reply->element[0]->elements > 2) {
        const redisReply *flags = reply->element[0]->element[2];
        for (size_t i = 0; i < flags->elements; i++)
            found = found || strcmp(flags->element[i]->str, "write") == 0;
    }
    freeReplyObject(reply);
    return found;
}

static bool only_if_absent(const struct message *request, const char *command) {
    bool absent = strcasecmp(command, "SETNX") == 0;
    char *word;

    if (strcasecmp(command, "SET") != 0)
        return absent;
    for (size_t i = 3; (word = resp_word(request, i)); i++) {
        absent = absent || strcasecmp(word, "NX") == 0;
        free(word);
    }
    return absent;
}

static bool exists(struct redis_server *server, const struct message *request) {
    char *key = resp_word(request, 1);
    redisReply *reply = ask(server, "EXISTS %s", key ? key : "");
    bool there = reply->integer == 1;

    freeReplyObject(reply);
    free(key);
    return there;
}

bool redis_server_may_change(struct redis_server *server,
                             const struct message *request) {
    char *command = resp_word(request, 0);
    bool may = writes(server, command) && !(only_if_absent(request, command) &&
                                            exists(server, request));
    free(command);
    return may;
}
