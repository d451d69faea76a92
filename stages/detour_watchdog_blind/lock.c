// Detour from stage 6: a renewal does not ask whose lock it renews.
//
// Redisson's watchdog did not until September 2016 (issue 597). Only who has
// got the lock starts one, and stops it on release: so while it runs, it looks
// reasonable to believe that the lock is its own, and PEXPIRE is all that a
// renewal needs. It even says when the key is gone.
//
// Still open: a holder that lost the lock to somebody else renews that one's,
// and goes on to when its new owner has died: nobody ever gets in.
//     ./scenarios/renewal_revives_a_stranger
#include "lock.h"

#include "redis.h"
#include "token.h"
#include "wait.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct lock {
    struct redis *redis;
    char *key;
    int lease_ms;
    char token[TOKEN_SIZE]; // of the last hold
    struct script release;
    struct redis *renewals; // the watchdog's own: one thread, one connection
    pthread_t watchdog;
    bool watched;           // the thread runs
    struct flag stop;
    atomic_llong deadline_ms; // when we stop believing; 0: at once
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
    lock->lease_ms = lease_ms;
    lock->redis = redis_open();
    lock->renewals = redis_open();
    if (flag_open(&lock->stop) && lock->redis && lock->renewals) {
        lock->release = redis_script(lock->redis, release);
        return lock;
    }
    lock_close(lock);
    return NULL;
}

// False when there is nothing left to renew.
static bool renew_lease(struct lock *lock) {
    long long sent_ms = now_ms();
    struct reply reply = redis_call(lock->renewals, "PEXPIRE %s %d", lock->key,
                                    lock->lease_ms);

    if (reply.type == REPLY_INTEGER && reply.integer == 1)
        lock->deadline_ms = sent_ms + lock->lease_ms;
    else if (reply.type == REPLY_INTEGER)
        lock->deadline_ms = 0;
    // No answer, or an error: the deadline stands, and there is a next time.
    return lock->deadline_ms > 0;
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
    long long sent_ms = now_ms();

    token_new(token);
    struct reply reply = redis_call(lock->redis, "SET %s %s NX PX %d",
                                    lock->key, token, lock->lease_ms);

    switch (reply.type) {
    case REPLY_STATUS:
        watchdog_stop(lock);
        strcpy(lock->token, token);
        lock->deadline_ms = sent_ms + lock->lease_ms;
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

bool lock_held(struct lock *lock) {
    return now_ms() < lock->deadline_ms;
}

void lock_close(struct lock *lock) {
    watchdog_stop(lock);
    flag_close(&lock->stop);
    redis_close(lock->renewals);
    redis_close(lock->redis);
    free(lock->key);
    free(lock);
}
