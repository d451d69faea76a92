// Detour from stage 6: the watchdog does not tell.
//
// Redisson's renews, logs when it cannot, and has no way to tell the holder;
// one has been asked for since 2022 (issue 4698). It looks reasonable, for
// what could a holder do that is in the middle of its work? Who holds a lock
// that is renewed need not ask.
//
// Still open: the holder is not told when its lock is gone, or has not been
// renewed for a whole lease, and works on beside the next one.
//     ./scenarios/loss_untold
//     ./scenarios/cut_off_holder
#include "lock.h"

#include "redis.h"
#include "token.h"
#include "wait.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct lock {
    struct redis *redis;
    char *key;
    int lease_ms;
    char token[TOKEN_SIZE]; // of the last hold
    struct script release;
    struct script renew;
    struct redis *renewals; // the watchdog's own: one thread, one connection
    pthread_t watchdog;
    bool watched;           // the thread runs
    struct flag stop;
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

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    lock->key = strdup(key);
    lock->lease_ms = lease_ms;
    lock->redis = redis_open();
    lock->renewals = redis_open();
    if (flag_open(&lock->stop) && lock->redis && lock->renewals) {
        lock->release = redis_script(lock->redis, release);
        lock->renew = redis_script(lock->redis, renew);
        return lock;
    }
    lock_close(lock);
    return NULL;
}

// False when there is nothing left to renew.
static bool renew_lease(struct lock *lock) {
    struct reply reply = redis_eval(lock->renewals, &lock->renew, "1 %s %s %d",
                                    lock->key, lock->token, lock->lease_ms);

    // No answer, or an error: there is a next time.
    return reply.type != REPLY_INTEGER || reply.integer == 1;
}

static void *watch(void *argument) {
    struct lock *lock = argument;
    int third_ms = (lock->lease_ms + 2) / 3;

    while (!wait_ms(&lock->stop, third_ms) && renew_lease(lock))
        continue;
    return NULL;
}

static void watchdog_stop(struct lock *lock) {
    if (!lock->watched)
        return;
    flag_raise(&lock->stop);
    pthread_join(lock->watchdog, NULL);
    flag_lower(&lock->stop);
    lock->watched = false;
}

static void watchdog_start(struct lock *lock) {
    lock->watched = pthread_create(&lock->watchdog, NULL, watch, lock) == 0;
}

enum lock_result lock_acquire(struct lock *lock) {
    char token[TOKEN_SIZE];

    token_new(token);
    struct reply reply = redis_call(lock->redis, "SET %s %s NX PX %d",
                                    lock->key, token, lock->lease_ms);

    switch (reply.type) {
    case REPLY_STATUS:
        watchdog_stop(lock);
        strcpy(lock->token, token);
        watchdog_start(lock);
        return LOCK_OK;
    case REPLY_NIL:    return LOCK_BUSY;
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

enum lock_result lock_release(struct lock *lock) {
    watchdog_stop(lock);
    struct reply reply = redis_eval(lock->redis, &lock->release, "1 %s %s",
                                    lock->key, lock->token);

    switch (reply.type) {
    case REPLY_INTEGER: return reply.integer == 1 ? LOCK_OK : LOCK_LOST;
    case REPLY_ERROR:   return LOCK_ERROR;
    default:            return LOCK_UNKNOWN;
    }
}

void lock_close(struct lock *lock) {
    watchdog_stop(lock);
    flag_close(&lock->stop);
    redis_close(lock->renewals);
    redis_close(lock->redis);
    free(lock->key);
    free(lock);
}
