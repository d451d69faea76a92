// Detour from stage 3: ours only if GETSET answers what GET had shown.
//
// jedis-lock does it, and many articles copy its loop. GET shows a deadline
// that is past; GETSET writes ours and answers the old one; if both are equal,
// nobody was between the two. It looks stricter than stage 3, which asks again
// whether the old deadline is past. But the question comes too late: GETSET has
// written already. And if the holder has released in between, the answer is
// nil: this client takes that for busy, and leaves behind a lock that nobody
// holds.
//
// Still open: every client compares the deadline with a clock of its own, and
// clocks differ.
//     ./scenarios/client_clock_fast
// Still open: GETSET has written before it answers, so a client that loses has
// already moved the winner's deadline.
//     ./scenarios/loser_overwrites_deadline
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

// Something else, or nil: somebody was between GET and GETSET.
static enum lock_result take_over(struct lock *lock, const char *shown) {
    struct reply old = redis_call(lock->redis, "GETSET %s %lld", lock->key,
                                  deadline(lock));

    switch (old.type) {
    case REPLY_STRING:
        return strcmp(old.text, shown) == 0 ? LOCK_OK : LOCK_BUSY;
    case REPLY_NIL:    return LOCK_BUSY;
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

static enum lock_result take_over_if_past(struct lock *lock) {
    struct reply held = redis_call(lock->redis, "GET %s", lock->key);

    switch (held.type) {
    case REPLY_STRING:
        return is_past(&held) ? take_over(lock, held.text) : LOCK_BUSY;
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
