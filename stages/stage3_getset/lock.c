// Stage 3: the deadline is the value, so that taking the lock is one command.
//
// Stage 2 could die between the lock and its lease. Here SETNX writes both at
// once: the value is the second in which the lock ends. A client that finds a
// deadline in the past takes over with GETSET, which writes a new deadline and
// answers the old one. Of several clients that try, only the first gets a past
// deadline back.
//
// Still open: every client compares the deadline with a clock of its own, and
// clocks differ.
//     ./scenarios/client_clock_fast
// Still open: GETSET has written before it answers, so a client that loses has
// already moved the winner's deadline.
//     ./scenarios/loser_overwrites_deadline
// Still open: when release's DEL arrives, the lock can have changed hands since
// release looked at it.
//     ./scenarios/check_then_delete
//     ./scenarios/delayed_delete
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

// nil: the holder has released meanwhile, and nobody was before us.
static enum lock_result take_over(struct lock *lock) {
    struct reply old = redis_call(lock->redis, "GETSET %s %lld", lock->key,
                                  deadline(lock));

    switch (old.type) {
    case REPLY_STRING: return is_past(&old) ? LOCK_OK : LOCK_BUSY;
    case REPLY_NIL:    return LOCK_OK;
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
