// Detour from stage 2: INCR instead of SETNX.
//
// Lists of ways to lock with Redis like to begin with it: INCR counts everybody
// who tries, and the client that counts to 1 is in. It looks reasonable: one
// command, as atomic as SETNX, and no value to make up. But the count needs an
// end as the lock did, and that is a second command here too. Issue 818 of
// redis-py reports what can happen between two such commands.
//
// Still open: INCR and EXPIRE are two commands, as SETNX and EXPIRE were. A
// client that dies between them, or never hears the first answer, leaves a
// count without a lease.
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
    struct reply reply = redis_call(lock->redis, "INCR %s", lock->key);

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
