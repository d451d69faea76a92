// Stage 1: one key on one server that all processes reach.
//
// Stage 0 kept the lock in memory that another process does not see. SETNX key
// value creates the key only if it does not exist. It answers 1 if it has
// created the key, and 0 if not. Redis runs one command at a time, so of any
// number of clients that try, one gets the 1.
//
// Still open: only the holder's DEL ever ends the lock, and it may never come.
//     ./scenarios/crash_holding
//     ./scenarios/hung_worker
// Still open: a client that never hears of its 1 has taken the lock all the
// same, and does not know that it should release it.
//     ./scenarios/crash_mid_acquire
//     ./scenarios/lost_grant_answer
#include "lock.h"

#include "redis.h"

#include <stdlib.h>
#include <string.h>

struct lock {
    struct redis *redis;
    char *key;
};

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    (void)lease_ms;
    lock->key = strdup(key);
    lock->redis = redis_open();
    if (lock->redis)
        return lock;
    lock_close(lock);
    return NULL;
}

enum lock_result lock_acquire(struct lock *lock) {
    struct reply reply = redis_call(lock->redis, "SETNX %s locked", lock->key);

    switch (reply.type) {
    case REPLY_INTEGER: return reply.integer == 1 ? LOCK_OK : LOCK_BUSY;
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
