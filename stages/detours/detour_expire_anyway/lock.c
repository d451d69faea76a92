// Detour from stage 2: EXPIRE, whatever SETNX said.
//
// When a holder has died before its EXPIRE, the next client gives the lock the
// lease that it lacks. One EXPIRE too many looks harmless. node-mutex did it
// without meaning to, in a script: SETNX answers 0 to the loser, and in Lua 0
// is true. Its users found locks that never ended.
//
// Still open: every client that loses gives the lock a new lease, so a dead
// holder's lock lasts for as long as anybody wants it.
//     ./scenarios/losers_keep_it_alive
//     ./scenarios/loser_overwrites_deadline
// Still open: a lock whose holder died before its EXPIRE gets its lease from
// the next attempt, and that attempt is still told that the lock is busy.
//     ./scenarios/crash_mid_acquire
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
    enum lock_result lease;

    switch (reply.type) {
    case REPLY_INTEGER:
        lease = set_lease(lock);
        return reply.integer == 1 ? lease : LOCK_BUSY;
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
