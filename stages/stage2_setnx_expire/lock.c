// Stage 2: a lease, so that a dead holder's lock ends by itself.
//
// Stage 1 kept the lock of a dead holder for ever. EXPIRE key seconds gives the
// key an end: the server deletes the key when that time has passed. No client
// has to be alive for that.
//
// Still open: SETNX and EXPIRE are two commands, and between them it is stage 1
// again: a client that dies there, or never hears the first answer, leaves a
// lock without a lease.
//     ./scenarios/crash_mid_acquire
//     ./scenarios/lost_grant_answer
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

// 0: the key was gone before it got its lease.
static enum lock_result set_lease(struct lock *lock) {
    struct reply reply =
        redis_call(lock->redis, "EXPIRE %s %d", lock->key, lock->lease_s);

    switch (reply.type) {
    case REPLY_INTEGER: return reply.integer == 1 ? LOCK_OK : LOCK_LOST;
    default:            return LOCK_UNKNOWN;
    }
}

enum lock_result lock_acquire(struct lock *lock) {
    struct reply reply = redis_call(lock->redis, "SETNX %s locked", lock->key);

    switch (reply.type) {
    case REPLY_INTEGER: return reply.integer == 1 ? set_lease(lock) : LOCK_BUSY;
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
