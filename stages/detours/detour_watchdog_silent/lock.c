// Detour from stage 6: the watchdog does not tell the holder.
//
// Redisson's watchdog renews, and logs it when it cannot. It has no way to tell
// the holder; users have asked for one since 2022 (issue 4698). This looks
// reasonable: what could a holder do in the middle of its work? And a lock that
// is renewed should not end.
//
// Still open: the holder is not told when its lock is gone, or has not been
// renewed for a whole lease, and works on beside the next one.
//     ./scenarios/loss_untold
//     ./scenarios/cut_off_holder
// Still open: nobody compares the time that an attempt took with the lease.
//     ./scenarios/late_grant
#include "lock.h"

#include "redis.h"
#include "token.h"
#include "watchdog.h"

#include <stdlib.h>
#include <string.h>

struct lock {
    struct redis *redis;
    char *key;
    int lease_ms;
    char token[TOKEN_SIZE]; // of the last hold
    struct script release;
    struct script renew;
    struct watchdog *watchdog;
    struct redis *renewals; // the watchdog's own: one thread, one connection
};

static const char release[] =
    "-- release\n"
    "if redis.call('GET', KEYS[1]) == ARGV[1] then\n"
    "    return redis.call('DEL', KEYS[1])\n"
    "end\n"
    "return 0\n";

static const char renew[] =
    "-- renew\n"
    "if redis.call('GET', KEYS[1]) == ARGV[1] then\n"
    "    return redis.call('PEXPIRE', KEYS[1], ARGV[2])\n"
    "end\n"
    "return 0\n";

// The watchdog's task. False when there is nothing left to renew.
static bool renew_lease(void *argument) {
    struct lock *lock = argument;
    struct reply reply = redis_eval(lock->renewals, &lock->renew, "1 %s %s %d",
                                    lock->key, lock->token, lock->lease_ms);

    // No answer, or an error: there is a next time.
    return reply.type != REPLY_INTEGER || reply.integer == 1;
}

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    lock->key = strdup(key);
    lock->lease_ms = lease_ms;
    lock->redis = redis_open();
    // A renewal without an answer must leave time for the next one.
    lock->renewals = redis_open_within(lease_ms / 6);
    lock->watchdog = watchdog_open((lease_ms + 2) / 3, renew_lease, lock);
    if (lock->redis && lock->renewals && lock->watchdog) {
        lock->release = redis_script(lock->redis, release);
        lock->renew = redis_script(lock->redis, renew);
        return lock;
    }
    lock_close(lock);
    return NULL;
}

enum lock_result lock_acquire(struct lock *lock) {
    char token[TOKEN_SIZE];

    token_new(token);
    struct reply reply = redis_call(lock->redis, "SET %s %s NX PX %d",
                                    lock->key, token, lock->lease_ms);

    switch (reply.type) {
    case REPLY_STATUS:
        watchdog_stop(lock->watchdog);
        strcpy(lock->token, token);
        watchdog_start(lock->watchdog);
        return LOCK_OK;
    case REPLY_NIL:    return LOCK_BUSY;
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

enum lock_result lock_release(struct lock *lock) {
    watchdog_stop(lock->watchdog);
    struct reply reply = redis_eval(lock->redis, &lock->release, "1 %s %s",
                                    lock->key, lock->token);

    switch (reply.type) {
    case REPLY_INTEGER: return reply.integer == 1 ? LOCK_OK : LOCK_LOST;
    case REPLY_ERROR:   return LOCK_ERROR;
    default:            return LOCK_UNKNOWN;
    }
}

void lock_close(struct lock *lock) {
    watchdog_close(lock->watchdog);
    redis_close(lock->renewals);
    redis_close(lock->redis);
    free(lock->key);
    free(lock);
}
