// Detour from stage 3: a dead lock is deleted, and then taken like a free one.
//
// This is the first idea for a deadline that is past: delete the key, and let
// SETNX decide who is next. It looks reasonable, because each of the two
// commands is atomic. The redis.io page on SETNX warns of it before it comes to
// GETSET; YiiRedis let in two clients that had both found the lock dead (pull
// request 18).
//
// Still open: between GET and DEL somebody else can have taken the lock, and
// then DEL deletes a live one.
//     ./scenarios/double_takeover
#include "lock.h"

#include "redis.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

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

// The wall clock, because another machine's monotonic clock means nothing here.
static long long deadline(const struct lock *lock) {
    return (long long)time(NULL) + lock->lease_s;
}

static bool is_past(const struct reply *deadline) {
    return atoll(deadline->text) < (long long)time(NULL);
}

// DEL may answer 0: then another one has been as far, and SETNX decides.
static enum lock_result take_over(struct lock *lock) {
    struct reply reply = redis_call(lock->redis, "DEL %s", lock->key);

    if (reply.type == REPLY_INTEGER)
        reply = redis_call(lock->redis, "SETNX %s %lld", lock->key,
                           deadline(lock));
    switch (reply.type) {
    case REPLY_INTEGER: return reply.integer == 1 ? LOCK_OK : LOCK_BUSY;
    case REPLY_ERROR:   return LOCK_ERROR;
    default:            return LOCK_UNKNOWN;
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
    struct reply reply = redis_call(lock->redis, "SETNX %s %lld", lock->key,
                                    deadline(lock));

    switch (reply.type) {
    case REPLY_INTEGER:
        return reply.integer == 1 ? LOCK_OK : take_over_if_past(lock);
    case REPLY_ERROR:   return LOCK_ERROR;
    default:            return LOCK_UNKNOWN;
    }
}

static enum lock_result delete_key(struct lock *lock) {
    struct reply reply = redis_call(lock->redis, "DEL %s", lock->key);

    switch (reply.type) {
    case REPLY_INTEGER: return reply.integer == 1 ? LOCK_OK : LOCK_LOST;
    case REPLY_ERROR:   return LOCK_ERROR;
    default:            return LOCK_UNKNOWN;
    }
}

// A deadline that is past is left alone: somebody may be taking over.
enum lock_result lock_release(struct lock *lock) {
    struct reply held = redis_call(lock->redis, "GET %s", lock->key);

    switch (held.type) {
    case REPLY_STRING: return is_past(&held) ? LOCK_LOST : delete_key(lock);
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
