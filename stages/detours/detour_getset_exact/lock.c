// Detour from stage 3: release only what ends with exactly our deadline.
//
// hiredis-locker releases like this: the deadline that we wrote says whose
// lock it is, and a script compares and deletes as one command. It looks like
// the end of all late and foreign releases. But hiredis-locker also takes the
// lock by script, so its losers write nothing. Here GETSET writes.
//
// Still open: a loser's GETSET has put its own deadline in the place of the
// owner's. The lock ends later, and the owner can no longer release it, because
// it does not find its deadline there.
//     ./scenarios/loser_overwrites_deadline
//     ./scenarios/loser_blocks_release
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
    struct script release;
};

static const char release[] =
    "-- release\n"
    "if redis.call('GET', KEYS[1]) == ARGV[1] then\n"
    "    return redis.call('DEL', KEYS[1])\n"
    "end\n"
    "return 0\n";

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    lock->key = strdup(key);
    lock->lease_s = (lease_ms + 999) / 1000;
    lock->redis = redis_open();
    if (lock->redis) {
        lock->release = redis_script(lock->redis, release);
        return lock;
    }
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

enum lock_result lock_release(struct lock *lock) {
    struct reply reply = redis_eval(lock->redis, &lock->release, "1 %s %lld",
                                    lock->key, lock->until);

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
