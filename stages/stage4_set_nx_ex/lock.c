// Stage 4: one SET that both takes the lock and limits it.
//
// Stage 3 kept the deadline in the value, so a client with a wrong clock could
// take a live lock, and a client that lost still wrote. SET key value NX EX
// seconds (Redis 2.6.12) creates the key with its lease in one command, or does
// nothing. The server's clock decides, and no client can die between the two.
//
// Still open: release deletes whatever lock it finds, also somebody else's.
//     ./scenarios/expired_delete
//     ./scenarios/delayed_delete
//     ./scenarios/stranger_releases
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

enum lock_result lock_acquire(struct lock *lock) {
    struct reply reply = redis_call(lock->redis, "SET %s locked NX EX %d",
                                    lock->key, lock->lease_s);

    switch (reply.type) {
    case REPLY_STATUS: return LOCK_OK;
    case REPLY_NIL:    return LOCK_BUSY;
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
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
