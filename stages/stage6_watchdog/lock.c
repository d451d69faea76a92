// Stage 6: a watchdog renews the lease for as long as the holder works.
//
// Stage 5 lost the lock when the work took longer than the lease. Here a thread
// renews the lease every third of it, if the lock is still ours. A holder that
// dies takes its watchdog with it, and the lease ends as before.
//
// And the holder is told when the lock is lost: lock_held(). It is lost when
// the server says so, or when no renewal has succeeded for a whole lease. That
// deadline is on our own clock. It is counted from before the command was sent,
// so it is never later than the server's. A grant that arrives after its own
// deadline is given back at once.
//
// Still open: the watchdog renews for a worker that never comes back.
//     ./scenarios/hung_worker
// Still open: an owner that needs the lock again in an inner function waits for
// itself.
//     ./scenarios/nested_call
#include "lock.h"

#include "redis.h"
#include "token.h"
#include "wait.h"
#include "watchdog.h"

#include <stdatomic.h>
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
    atomic_llong deadline_ms; // when we stop believing; 0: at once
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
    long long sent_ms = now_ms();
    struct reply reply = redis_eval(lock->renewals, &lock->renew, "1 %s %s %d",
                                    lock->key, lock->token, lock->lease_ms);

    // No answer, or an error: the deadline stands, and there is a next time.
    if (reply.type == REPLY_INTEGER)
        lock->deadline_ms = reply.integer == 1 ? sent_ms + lock->lease_ms : 0;
    return lock->deadline_ms > 0;
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
    long long sent_ms = now_ms();

    token_new(token);
    struct reply reply = redis_call(lock->redis, "SET %s %s NX PX %d",
                                    lock->key, token, lock->lease_ms);

    switch (reply.type) {
    case REPLY_STATUS:
        watchdog_stop(lock->watchdog);
        strcpy(lock->token, token);
        lock->deadline_ms = sent_ms + lock->lease_ms;
        if (!lock_held(lock)) { // the answer took a whole lease
            lock_release(lock);
            return LOCK_LOST;
        }
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

bool lock_held(struct lock *lock) {
    return now_ms() < lock->deadline_ms;
}

void lock_close(struct lock *lock) {
    watchdog_close(lock->watchdog);
    redis_close(lock->renewals);
    redis_close(lock->redis);
    free(lock->key);
    free(lock);
}
