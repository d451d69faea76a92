#include "look.h"

#include "base/fail.h"
#include "resp.h"
#include "session.h"

#include <ctype.h>
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_SCRIPT_WORDS = 64 };

static void add(struct lock_state *state, const char *text, size_t length) {
    size_t used = strlen(state->value), room = sizeof state->value - used;

    snprintf(state->value + used, room, "%.*s", (int)length, text);
    state->cut = state->cut || length >= room;
}

static void read_hash(const redisReply *all, struct lock_state *state) {
    for (size_t i = 0; i + 1 < all->elements; i += 2) {
        add(state, " ", i > 0);
        add(state, all->element[i]->str, all->element[i]->len);
        add(state, "=", 1);
        add(state, all->element[i + 1]->str, all->element[i + 1]->len);
    }
}

static void read_list(struct instance *server, const char *key,
                      struct lock_state *state) {
    redisReply *all = instance_ask(server, REDIS_REPLY_ARRAY,
                                   "LRANGE %s 0 %d", key,
                                   (int)sizeof state->value);
    char *text = resp_answer(all);

    add(state, text, strlen(text));
    free(text);
    freeReplyObject(all);
}

// The answer to a command for one type of values: of the type that its answers
// have, or an error if the key holds something else.
static redisReply *hear_if(struct instance *server, int type,
                           const char *command) {
    redisReply *reply = session_hear(server->own);

    if (!reply)
        instance_fail(server, server->own);
    bool other = reply->type == REDIS_REPLY_ERROR &&
                 strncmp(reply->str, "WRONGTYPE", 9) == 0;
    if (reply->type != type && !other)
        instance_fail_at(server, command, reply);
    return reply;
}

// Asks five questions in one round trip: most locks are strings or hashes, and
// one question fails for each of them.
struct lock_state look_at(struct instance *server, const char *key) {
    struct lock_state state = {.ttl_ms = -1};

    redisAppendCommand(server->own, "TYPE %s", key);
    redisAppendCommand(server->own, "PTTL %s", key);
    redisAppendCommand(server->own, "GETRANGE %s 0 %d", key,
                       (int)sizeof state.value);
    redisAppendCommand(server->own, "HGETALL %s", key);
    redisAppendCommand(server->own, "DBSIZE");
    redisReply *type = instance_hear(server, REDIS_REPLY_STATUS, "TYPE");
    redisReply *ttl = instance_hear(server, REDIS_REPLY_INTEGER, "PTTL");
    redisReply *string = hear_if(server, REDIS_REPLY_STRING, "GETRANGE");
    redisReply *hash = hear_if(server, REDIS_REPLY_ARRAY, "HGETALL");
    redisReply *size = instance_hear(server, REDIS_REPLY_INTEGER, "DBSIZE");

    state.exists = strcmp(type->str, "none") != 0;
    state.ttl_ms = state.exists ? ttl->integer : -1;
    state.alone = size->integer == state.exists;
    if (state.exists && string->type == REDIS_REPLY_STRING)
        add(&state, string->str, string->len);
    else if (strcmp(type->str, "hash") == 0)
        read_hash(hash, &state);
    else if (strcmp(type->str, "list") == 0)
        read_list(server, key, &state);
    else if (state.exists) {
        add(&state, type->str, type->len);
        state.cut = true;
    }
    freeReplyObject(type);
    freeReplyObject(ttl);
    freeReplyObject(string);
    freeReplyObject(hash);
    freeReplyObject(size);
    return state;
}

// Writes a text on one line. Two different texts never look alike: a character
// that cannot be printed becomes \xNN, a backslash becomes two.
static void write_escaped(FILE *out, const char *text, bool space_too) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '\\')
            fputs("\\\\", out);
        else if (isprint(c) && !(c == ' ' && space_too))
            fputc(c, out);
        else
            fprintf(out, "\\x%02x", c);
    }
}

static void write_key(FILE *out, const char *key,
                      const struct lock_state *state) {
    if (state->cut)
        fail("what stands under '%s' cannot be followed: a set, a "
             "stream, or a value of more than %zu bytes", key,
             sizeof state->value - 1);
    write_escaped(out, key, true);
    fprintf(out, " %lld ", (long long)state->ttl_ms);
    write_escaped(out, state->value, false);
    fputc('\n', out);
}

static int by_name(const void *one, const void *other) {
    const redisReply *const *a = one, *const *b = other;
    return strcmp((*a)->str, (*b)->str);
}

char *look_at_all(struct instance *server, const char *key,
                  const struct lock_state *lock) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&text, &size));

    if (lock->alone && lock->exists) {
        write_key(out, key, lock);
    } else if (!lock->alone) {
        redisReply *keys = instance_ask(server, REDIS_REPLY_ARRAY, "KEYS *");
        qsort(keys->element, keys->elements, sizeof *keys->element, by_name);
        for (size_t i = 0; i < keys->elements; i++) {
            const char *name = keys->element[i]->str;
            struct lock_state state = look_at(server, name);
            write_key(out, name, &state);
        }
        freeReplyObject(keys);
    }
    fclose(out);
    return text;
}

// COMMAND INFO name: [[name, arity, [flags…], …]].
static bool writes(struct instance *server, const char *command) {
    redisReply *reply = instance_ask(server, REDIS_REPLY_ARRAY,
                                     "COMMAND INFO %s", command);
    bool found = false;

    if (reply->elements > 0 && reply->element[0]->elements > 2) {
        const redisReply *flags = reply->element[0]->element[2];
        for (size_t i = 0; i < flags->elements; i++)
            found = found || strcmp(flags->element[i]->str, "write") == 0;
    }
    freeReplyObject(reply);
    return found;
}

static bool is_script(const char *command) {
    return strcasecmp(command, "EVAL") == 0 ||
           strcasecmp(command, "EVALSHA") == 0 ||
           strcasecmp(command, "FCALL") == 0;
}

enum script { SCRIPT_READS, SCRIPT_WRITES, SCRIPT_UNKNOWN };

// How many commands the server has refused to run so far, also in scripts.
static long long hear_refused(struct instance *server) {
    static const char counter[] = "rejected_calls=";
    redisReply *reply = instance_hear(server, REDIS_REPLY_STRING,
                                      "INFO commandstats");
    long long refused = 0;

    for (const char *at = reply->str; (at = strstr(at, counter));) {
        at += strlen(counter);
        refused += atoll(at);
    }
    freeReplyObject(reply);
    return refused;
}

// The flags do not say what a script or a function does. So it is run as one
// that may only read: the server refuses each write, and nothing has changed. A
// script that calls with redis.pcall() goes on then: the server has counted.
static enum script try_script(struct instance *server,
                              const struct message *request) {
    const char *words[MAX_SCRIPT_WORDS];
    char command[sizeof "EVALSHA_RO"];
    int count = 0;

    snprintf(command, sizeof command, "%s_RO", request->words[0]);
    words[count++] = command;
    while (count < MAX_SCRIPT_WORDS && request->words[count]) {
        words[count] = request->words[count];
        count++;
    }
    if (count == MAX_SCRIPT_WORDS)
        return SCRIPT_WRITES;
    redisAppendCommand(server->own, "INFO commandstats");
    redisAppendCommandArgv(server->own, count, words, NULL);
    redisAppendCommand(server->own, "INFO commandstats");
    long long before = hear_refused(server);
    redisReply *reply = session_hear(server->own);
    if (!reply)
        instance_fail(server, server->own);
    bool is_error = reply->type == REDIS_REPLY_ERROR;
    bool is_unknown = is_error && strncmp(reply->str, "NOSCRIPT",
                                          strlen("NOSCRIPT")) == 0;
    freeReplyObject(reply);
    if (hear_refused(server) == before && !is_error)
        return SCRIPT_READS;
    return is_unknown ? SCRIPT_UNKNOWN : SCRIPT_WRITES;
}

static bool only_if_absent(const struct message *request) {
    bool absent = strcasecmp(request->words[0], "SETNX") == 0;

    if (strcasecmp(request->words[0], "SET") != 0)
        return absent;
    for (char **word = request->words; *word; word++)
        absent = absent || (word > request->words + 2 &&
                            strcasecmp(*word, "NX") == 0);
    return absent;
}

static bool exists(struct instance *server, const char *key) {
    redisReply *reply = instance_ask(server, REDIS_REPLY_INTEGER,
                                     "EXISTS %s", key ? key : "");
    bool there = reply->integer == 1;

    freeReplyObject(reply);
    return there;
}

bool look_may_change(struct instance *server, const struct message *request,
                     bool in_transaction) {
    const char *command = request->words[0];

    if (in_transaction)
        return strcasecmp(command, "EXEC") == 0;
    return (is_script(command) || writes(server, command)) &&
           !(only_if_absent(request) && exists(server, request->words[1]));
}

bool look_would_change(struct instance *server, const struct message *request,
                       bool in_transaction) {
    return look_may_change(server, request, in_transaction) &&
           (in_transaction || !is_script(request->words[0]) ||
            try_script(server, request) == SCRIPT_WRITES);
}

static bool has_word(const struct message *request, const char *wanted) {
    for (char **word = request->words; *word; word++)
        if (strcmp(*word, wanted) == 0)
            return true;
    return false;
}

bool look_reads(struct instance *server, const struct message *request,
                bool in_transaction, const char *key) {
    return !in_transaction && has_word(request, key) &&
           (is_script(request->words[0])
                ? try_script(server, request) == SCRIPT_READS
                : !look_may_change(server, request, false));
}

static bool is_resource(const char *key) {
    return key && strcmp(key, "resource") == 0;
}

// Is it a script or a function whose first key is the resource?
static bool is_script_on_resource(char *const *words) {
    bool script = strncasecmp(words[0], "EVAL", 4) == 0 ||
                  strncasecmp(words[0], "FCALL", 5) == 0;

    return script && words[1] && words[2] && strcmp(words[2], "0") != 0 &&
           is_resource(words[3]);
}

// Some libraries send "SET", others "set".
static bool writes_resource(char *const *words) {
    return words && (((strcasecmp(words[0], "SET") == 0 ||
                       strcasecmp(words[0], "MSET") == 0) &&
                      is_resource(words[1])) ||
                     is_script_on_resource(words));
}

enum write look_at_write(const struct message *request,
                         const struct message *answer) {
    if (!answer || answer->is_error || !writes_resource(request->words))
        return WRITE_NONE;
    if (strcmp(answer->text, "0") == 0 || strcmp(answer->text, "nil") == 0)
        return WRITE_REFUSED;
    return strcasecmp(request->words[0], "SET") == 0 ? WRITE_TAKEN
                                                     : WRITE_FENCED;
}
