#include "resource.h"

#include "redis.h"

static const char write_numbered[] =
    "-- write\n"
    "local highest = tonumber(redis.call('GET', KEYS[2]) or 0)\n"
    "if tonumber(ARGV[1]) < highest then\n"
    "    return 0\n"
    "end\n"
    "return redis.call('MSET', KEYS[1], 'written', KEYS[2], ARGV[1])\n";

enum lock_result resource_write(long long fence) {
    static struct redis *redis;

    if (!redis && !(redis = redis_open()))
        return LOCK_UNKNOWN;
    struct reply reply =
        fence == NO_FENCE
            ? redis_call(redis, "SET resource written")
            : redis_call(redis, "EVAL %s 2 resource resource:fence %lld",
                         write_numbered, fence);
    switch (reply.type) {
    case REPLY_STATUS:  return LOCK_OK;
    case REPLY_INTEGER: return LOCK_LOST;
    case REPLY_ERROR:   return LOCK_ERROR;
    default:            return LOCK_UNKNOWN;
    }
}
