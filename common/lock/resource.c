#include "resource.h"

#include "redis.h"

#include <stdlib.h>

static const char write_numbered[] =
    "-- write\n"
    "local highest = tonumber(redis.call('GET', KEYS[2]) or 0)\n"
    "if tonumber(ARGV[1]) < highest then\n"
    "    return 0\n"
    "end\n"
    "return redis.call('MSET', KEYS[1], 'written', KEYS[2], ARGV[1])\n";

static struct redis *connected(void) {
    static struct redis *redis;

    if (!redis)
        redis = redis_open();
    return redis;
}

static enum lock_result understood(const struct reply *reply) {
    switch (reply->type) {
    case REPLY_STATUS:  return LOCK_OK;
    case REPLY_INTEGER: return LOCK_LOST;
    case REPLY_ERROR:   return LOCK_ERROR;
    default:            return LOCK_UNKNOWN;
    }
}

enum lock_result resource_write(long long fence) {
    struct redis *redis = connected();

    if (!redis)
        return LOCK_UNKNOWN;
    struct reply reply =
        fence == NO_FENCE
            ? redis_call(redis, "SET resource written")
            : redis_call(redis, "EVAL %s 2 resource resource:fence %lld",
                         write_numbered, fence);
    return understood(&reply);
}

enum lock_result resource_write_apart(long long fence) {
    struct redis *redis = connected();

    if (!redis)
        return LOCK_UNKNOWN;
    struct reply highest = redis_call(redis, "GET resource:fence");
    if (highest.type != REPLY_STRING && highest.type != REPLY_NIL)
        return understood(&highest);
    if (highest.type == REPLY_STRING && fence != NO_FENCE &&
        fence < atoll(highest.text))
        return LOCK_LOST;
    struct reply reply =
        fence == NO_FENCE
            ? redis_call(redis, "SET resource written")
            : redis_call(redis, "MSET resource written resource:fence %lld",
                         fence);
    return understood(&reply);
}
