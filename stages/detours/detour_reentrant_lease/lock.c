// Detour from stage 7: an acquire can have a lease of its own.
//
// Redisson has lock(1, SECONDS), for callers that know how long their work will
// take. A nested acquire is an acquire like any other, so it sets the end of
// the key. Why should the owner not say how long its own lock lasts? But there
// is one key for both calls, and the outer call had asked for more. This was
// reported for Redisson's write lock (issue 1110), which since then adds the
// lease to what is left. Its plain lock does what is done here.
//
// The holder's own deadline moves with the end of the key: lock_held() says no
// as soon as the short lease is over. A release that leaves a count gives back
// the whole lease. So does the watchdog, ten seconds after the acquire.
//
// Still open: a nested acquire with a shorter lease cuts the outer one.
//     ./scenarios/reentry_shrinks_lease
#include "lock.h"

#include "redis.h"
#include "token.h"
#include "wait.h"
#include "watchdog.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct lock {
    struct redis *redis;
    char *key;
    int lease_ms;
    char token[TOKEN_SIZE]; // of the last hold
    char next[TOKEN_SIZE];  // of the next one
    pthread_t thread;       // the owner
    int count;              // how often the owner is in
    struct script acquire;
    struct script release;
    struct script renew;
    struct watchdog *watchdog;
    struct redis *renewals; // the watchdog's own: one thread, one connection
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
    token_new(lock->next);
    lock->redis = redis_open();
    // A renewal without an answer must leave time for the next one.
    lock->renewals = redis_open_within(lease_ms / 6);
    lock->watchdog = watchdog_open((lease_ms + 2) / 3, renew_lease, lock);
    if (lock->redis && lock->renewals && lock->watchdog) {
        lock->acquire = redis_script(lock->redis, acquire);
        lock->release = redis_script(lock->redis, release);
        lock->renew = redis_script(lock->redis, renew);
        return lock;
    }
    lock_close(lock);
    return NULL;
}

// The lease ends no later than that. A renewal that is under way may have run
// before the lease was cut, so it is waited for; what is lost stays lost.
static void expect_end(struct lock *lock, long long end_ms) {
    watchdog_stop(lock->watchdog);
    if (lock->deadline_ms > end_ms)
        lock->deadline_ms = end_ms;
    watchdog_start(lock->watchdog);
}

// How often the calling thread is in.
static int count_of_caller(const struct lock *lock) {
    return pthread_equal(lock->thread, pthread_self()) ? lock->count : 0;
}

// The server says that the lock is not ours.
static enum lock_result lose(struct lock *lock) {
    watchdog_stop(lock->watchdog);
    lock->deadline_ms = 0;
    lock->count = 0;
    return LOCK_LOST;
}

enum lock_result lock_acquire_for(struct lock *lock, int lease_ms) {
    int count = count_of_caller(lock) + 1;
    long long sent_ms = now_ms();

    struct reply reply =
        redis_eval(lock->redis, &lock->acquire, "1 %s %s %d %d", lock->key,
                   count > 1 ? lock->token : lock->next, count, lease_ms);

    switch (reply.type) {
    case REPLY_STATUS:
        if (count > 1) {
            lock->count = count;
            if (lease_ms < lock->lease_ms)
                expect_end(lock, sent_ms + lease_ms);
            return LOCK_OK;
        }
        watchdog_stop(lock->watchdog);
        strcpy(lock->token, lock->next);
        token_new(lock->next);
        lock->thread = pthread_self();
        lock->count = 1;
        lock->deadline_ms = sent_ms + lease_ms;
        if (!lock_held(lock)) { // the answer took a whole lease
            lock_release(lock);
            return LOCK_LOST;
        }
        watchdog_start(lock->watchdog);
        return LOCK_OK;
    case REPLY_INTEGER: // what is left of somebody's lease
        return count == 1 ? LOCK_BUSY : lose(lock);
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
    int left = count_of_caller(lock) - 1;
    long long sent_ms = now_ms(), deadline_ms = lock->deadline_ms;

    if (left < 0 && lock->count > 0)
        return LOCK_LOST; // another thread's
    if (left <= 0) {
        watchdog_stop(lock->watchdog);
        left = lock->count = 0;
    }
    struct reply reply =
        redis_eval(lock->redis, &lock->release, "1 %s %s %d %d", lock->key,
                   lock->token, left, lock->lease_ms);

    switch (reply.type) {
    case REPLY_INTEGER:
        if (reply.integer == 0)
            return lose(lock);
        lock->count = left;
        if (left > 0 && deadline_ms > 0)
            // Unless the watchdog has found out something else meanwhile.
            atomic_compare_exchange_strong(&lock->deadline_ms, &deadline_ms,
                                           sent_ms + lock->lease_ms);
        return LOCK_OK;
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
