// Detour from stage 3: release what ends with our deadline, or later.
//
// redis-py released like this until 2.9, and tornado-redis still does. Release
// has to tell its own lock from the next one, and the deadline can do that. It
// looks reasonable not to insist that both are equal: a loser's GETSET may have
// moved our deadline to a later second.
//
// Still open: the next owner's deadline is later than ours as well, so release
// takes the next owner's lock for our own.
//     ./scenarios/expired_delete
#include "lock.h"

#include "redis.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct lock {
    struct redis *redis;
    char *key;
    int lease_s;
    long long until; // the deadline of the last hold; 0: there was none
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

// The wall clock, because another machine's monotonic clock means nothing here.
static long long deadline(const struct lock *lock) {
    return (long long)time(NULL) + lock->lease_s;
}

static bool is_past(const struct reply *deadline) {
    return atoll(deadline->text) < (long long)time(NULL);
}

static enum lock_result acquired(struct lock *lock, long long until) {
    lock->until = until;
    return LOCK_OK;
}

// nil: the holder has released meanwhile, and nobody was before us.
static enum lock_result take_over(struct lock *lock) {
    long long until = deadline(lock);
    struct reply old = redis_call(lock->redis, "GETSET %s %lld", lock->key,
                                  until);

    switch (old.type) {
    case REPLY_STRING: return is_past(&old) ? acquired(lock, until) : LOCK_BUSY;
    case REPLY_NIL:    return acquired(lock, until);
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

static enum lock_result take_over_if_past(struct lock *lock) {
    struct reply held = redis_call(lock->redis, "GET %s", lock->key);

    switch (held.type) {
    case REPLY_STRING: return is_past(&held) ? take_over(lock) : LOCK_BUSY;
    case REPLY_NIL:    return LOCK_BUSY;
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

enum lock_result lock_acquire(struct lock *lock) {
    long long until = deadline(lock);
    struct reply reply = redis_call(lock->redis, "SETNX %s %lld", lock->key,
                                    until);

    switch (reply.type) {
    case REPLY_INTEGER:
        return reply.integer == 1 ? acquired(lock, until)
                                  : take_over_if_past(lock);
    case REPLY_ERROR:   return LOCK_ERROR;
    default:            return LOCK_UNKNOWN;
    }
}

static enum lock_result delete_key(struct lock *lock) {
    struct reply reply = redis_call(lock->redis, "DEL %s", lock->key);

    switch (reply.type) {
    case REPLY_INTEGER:
        lock->until = 0;
        return reply.integer == 1 ? LOCK_OK : LOCK_LOST;
    case REPLY_ERROR:   return LOCK_ERROR;
    default:            return LOCK_UNKNOWN;
    }
}

// An earlier deadline than ours is not ours: somebody's clock is behind.
enum lock_result lock_release(struct lock *lock) {
    if (lock->until == 0)
        return LOCK_LOST;
    struct reply held = redis_call(lock->redis, "GET %s", lock->key);

    switch (held.type) {
    case REPLY_STRING:
        return atoll(held.text) < lock->until ? LOCK_LOST : delete_key(lock);
    case REPLY_NIL:    return LOCK_LOST;
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

void lock_close(struct lock *lock) {
    redis_close(lock->redis);
    free(lock->key);
    free(lock);
}
