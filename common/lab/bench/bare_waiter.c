#include "bare_waiter.h"

#include "driven.h"

#include <string.h>

static bool take(redisContext *commands) {
    redisReply *reply = must_answer(redisCommand(commands, "SET lock x NX"));
    bool taken = reply->type == REDIS_REPLY_STATUS;

    freeReplyObject(reply);
    return taken;
}

static void give(redisContext *commands) {
    freeReplyObject(must_answer(redisCommand(
        commands, "EVAL %s 1 lock",
        "redis.call('DEL', KEYS[1])\n"
        "return redis.call('PUBLISH', KEYS[1], 'free')\n")));
}

static void wait_for(const char *path, redisContext *commands) {
    redisContext *messages = connect_to(path);

    freeReplyObject(must_answer(redisCommand(messages, "SUBSCRIBE lock")));
    while (!take(commands)) {
        void *message = NULL;
        redisGetReply(messages, &message);
        freeReplyObject(must_answer(message));
    }
    redisFree(messages);
}

void bare_waiter(const void *path) {
    redisContext *commands = connect_to(path);
    char told[32];

    driven_say("ready");
    while (fgets(told, sizeof told, stdin)) {
        if (strncmp(told, "leave", 5) == 0)
            give(commands);
        else
            wait_for(path, commands);
        driven_say("ok");
    }
}
