// Detour from stage 2: INCR and EXPIRE in one transaction.
//
// This is the next idea for closing the gap between the two: EXEC runs all
// that was queued after MULTI, or nothing. The maintainer of sidekiq-grouping
// thought of it for his lock. But a transaction has no if: EXPIRE is queued
// before anybody knows what INCR will answer.
//
// Still open: EXPIRE runs for those that lose as well, so every attempt gives
// the lock of a dead holder a new lease.
//     ./scenarios/losers_keep_it_alive
//     ./scenarios/loser_overwrites_deadline
#include "lock.h"

#include "redis.h"

#include <stdlib.h>
#include <string.h>

struct lock {
    struct redis *redis;
    char *key;
    int lease_s;
};

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    lock->key = strdup(key);
    lock->lease_s = (lease_ms + 999) / 1000;
    lock->redis = redis_open();
    if (lock->redis)
        return lock;
    lock_close(lock);
    return NULL;
}

// [count, 1]. No answer ends it: the next command would go to a new connection,
// which knows of no MULTI, and would run by itself.
static struct reply count_with_lease(struct lock *lock) {
    struct reply reply = redis_call(lock->redis, "MULTI");

    if (reply.type != REPLY_STATUS)
        return reply;
    reply = redis_call(lock->redis, "INCR %s", lock->key);
    if (reply.type == REPLY_NONE)
        return reply;
    reply = redis_call(lock->redis, "EXPIRE %s %d", lock->key, lock->lease_s);
    if (reply.type == REPLY_NONE)
        return reply;
    return redis_call(lock->redis, "EXEC");
}

enum lock_result lock_acquire(struct lock *lock) {
    struct reply reply = count_with_lease(lock);

    switch (reply.type) {
    case REPLY_ARRAY:   return reply.integer == 1 ? LOCK_OK : LOCK_BUSY;
    case REPLY_ERROR:   return LOCK_ERROR;
    default:            return LOCK_UNKNOWN;
    }
}

enum lock_result lock_release(struct lock *lock) {
    struct reply reply = redis_call(lock->redis, "DEL %s", lock->key);

    switch (reply.type) {
    case REPLY_INTEGER: return reply.integer == 1 ? LOCK_OK : LOCK_LOST;
    case REPLY_ERROR:   return LOCK_ERROR;
    default:            return LOCK_UNKNOWN;
    }
}

void lock_close(struct lock *lock) {
    redis_close(lock->redis);
    free(lock->key);
    free(lock);
}
