// Detour from stage 7: an acquire can have a lease of its own.
//
// Redisson has lock(1, SECONDS), for who knows how long its work will take. A
// nested acquire is one like any other and sets the key's end: why should the
// owner not say how long its own lock shall last? But there is one key for both
// calls, and the outer one had asked for more. That was reported for Redisson's
// write lock (issue 1110), which has since added the lease to what is left. Its
// plain lock does what is done here.
//
// The holder's own deadline moves with the key's: lock_held() says no as soon
// as the short lease is over. A release that leaves a count gives back the
// whole lease, and so does the watchdog, ten seconds after the acquire.
//
// Still open: a nested acquire with a shorter lease cuts the outer one.
//     ./scenarios/reentry_shrinks_lease
#include "lock.h"

#include "redis.h"
#include "token.h"
#include "wait.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWNER_SIZE = TOKEN_SIZE + 12 };

struct lock {
    struct redis *redis;
    char *key;
    int lease_ms;
    char id[TOKEN_SIZE];    // of this client
    char owner[OWNER_SIZE]; // id:thread of the last hold
    int count;              // how often that one is in
    struct script acquire;
    struct script release;
    struct script renew;
    struct redis *renewals; // the watchdog's own: one thread, one connection
    pthread_t watchdog;
    bool watched;           // the thread runs
    struct flag stop;
    atomic_llong deadline_ms; // when we stop believing; 0: at once
};

static const char acquire[] =
    "-- acquire\n"
    "local mine = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1\n"
    "local free = redis.call('EXISTS', KEYS[1]) == 0\n"
    "if mine or (free and ARGV[2] == '1') then\n"
    "    redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])\n"
    "    redis.call('PEXPIRE', KEYS[1], ARGV[3])\n"
    "    return {ok = 'OK'}\n"
    "end\n"
    "return redis.call('PTTL', KEYS[1])\n";

static const char release[] =
    "-- release\n"
    "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then\n"
    "    return 0\n"
    "elseif ARGV[2] == '0' then\n"
    "    return redis.call('DEL', KEYS[1])\n"
    "end\n"
    "redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])\n"
    "return redis.call('PEXPIRE', KEYS[1], ARGV[3])\n";

static const char renew[] =
    "-- renew\n"
    "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then\n"
    "    return redis.call('PEXPIRE', KEYS[1], ARGV[2])\n"
    "end\n"
    "return 0\n";

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    lock->key = strdup(key);
    lock->lease_ms = lease_ms;
    lock->redis = redis_open();
    lock->renewals = redis_open();
    token_new(lock->id);
    if (flag_open(&lock->stop) && lock->redis && lock->renewals) {
        lock->acquire = redis_script(lock->redis, acquire);
        lock->release = redis_script(lock->redis, release);
        lock->renew = redis_script(lock->redis, renew);
        return lock;
    }
    lock_close(lock);
    return NULL;
}

// False when there is nothing left to renew.
static bool renew_lease(struct lock *lock) {
    long long sent_ms = now_ms();
    struct reply reply = redis_eval(lock->renewals, &lock->renew, "1 %s %s %d",
                                    lock->key, lock->owner, lock->lease_ms);

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

// No later than that. A renewal that is under way, and may have run before the
// lease was cut, ends first; what is lost already stays lost.
static void expect_end(struct lock *lock, long long end_ms) {
    watchdog_stop(lock);
    if (lock->deadline_ms > end_ms)
        lock->deadline_ms = end_ms;
    watchdog_start(lock);
}

// Names the calling thread as an owner; says how often it is in.
static int name_owner(const struct lock *lock, char owner[OWNER_SIZE]) {
    static atomic_int threads;
    static _Thread_local int thread;

    if (thread == 0)
        thread = ++threads;
    snprintf(owner, OWNER_SIZE, "%s:%d", lock->id, thread);
    return strcmp(owner, lock->owner) == 0 ? lock->count : 0;
}

enum lock_result lock_acquire_for(struct lock *lock, int lease_ms) {
    char owner[OWNER_SIZE];
    int count = name_owner(lock, owner) + 1;
    long long sent_ms = now_ms();

    struct reply reply =
        redis_eval(lock->redis, &lock->acquire, "1 %s %s %d %d", lock->key,
                   owner, count, lease_ms);

    switch (reply.type) {
    case REPLY_STATUS:
        if (count == 1) { // later on no acquire moves it further away
            watchdog_stop(lock);
            strcpy(lock->owner, owner);
            lock->deadline_ms = sent_ms + lease_ms;
            watchdog_start(lock);
        } else if (lease_ms < lock->lease_ms) {
            expect_end(lock, sent_ms + lease_ms);
        }
        lock->count = count;
        return LOCK_OK;
    case REPLY_INTEGER: // what is left of somebody's lease; -1: it has no end
        if (reply.integer != -2)
            return LOCK_BUSY;
        lock->count = 0; // we were in, and there is no lock any more
        return LOCK_LOST;
    case REPLY_ERROR:  return LOCK_ERROR;
    default: // it may have run, and cut the lease
        if (count > 1 && lease_ms < lock->lease_ms)
            expect_end(lock, sent_ms + lease_ms);
        return LOCK_UNKNOWN;
    }
}

enum lock_result lock_acquire(struct lock *lock) {
    return lock_acquire_for(lock, lock->lease_ms);
}

enum lock_result lock_release(struct lock *lock) {
    char owner[OWNER_SIZE];
    int count = name_owner(lock, owner);
    int left = count > 1 ? count - 1 : 0;
    long long sent_ms = now_ms(), deadline_ms = lock->deadline_ms;

    if (count == 1)
        watchdog_stop(lock);
    struct reply reply =
        redis_eval(lock->redis, &lock->release, "1 %s %s %d %d", lock->key,
                   owner, left, lock->lease_ms);

    switch (reply.type) {
    case REPLY_INTEGER:
        if (count > 0)
            lock->count = reply.integer == 1 ? left : 0;
        if (left > 0 && reply.integer == 1 && deadline_ms > 0)
            // Unless the watchdog has found out something else meanwhile.
            atomic_compare_exchange_strong(&lock->deadline_ms, &deadline_ms,
                                           sent_ms + lock->lease_ms);
        return reply.integer == 1 ? LOCK_OK : LOCK_LOST;
    case REPLY_ERROR:   return LOCK_ERROR;
    default: // the repetition asks for the same count
        if (count == 1)
            lock->count = 0;
        return LOCK_UNKNOWN;
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
