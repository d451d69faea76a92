// Detour from stage 7: "it is mine already", and no count.
//
// Many articles make their lock reentrant with one line: if the value is our
// own, we are in. This is what stage 6 lacked. It looks complete: the owner no
// longer waits for itself, and nobody else gets in. But an owner that goes in
// twice also comes out twice.
//
// Still open: the lock does not know how often its owner is in, so the release
// of the inner function ends it for the outer one.
//     ./scenarios/inner_release
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
    bool inside;            // the owner is in
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
    "if mine or free then\n"
    "    redis.call('HSET', KEYS[1], ARGV[1], 1)\n"
    "    redis.call('PEXPIRE', KEYS[1], ARGV[2])\n"
    "    return {ok = 'OK'}\n"
    "end\n"
    "return redis.call('PTTL', KEYS[1])\n";

static const char release[] =
    "-- release\n"
    "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then\n"
    "    return 0\n"
    "end\n"
    "return redis.call('DEL', KEYS[1])\n";

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

static bool caller_is_inside(const struct lock *lock) {
    return lock->inside && pthread_equal(lock->thread, pthread_self());
}

// The server says that the lock is not ours.
static enum lock_result lose(struct lock *lock) {
    watchdog_stop(lock->watchdog);
    lock->deadline_ms = 0;
    lock->inside = false;
    return LOCK_LOST;
}

enum lock_result lock_acquire(struct lock *lock) {
    bool again = caller_is_inside(lock);
    long long sent_ms = now_ms();

    struct reply reply =
        redis_eval(lock->redis, &lock->acquire, "1 %s %s %d", lock->key,
                   again ? lock->token : lock->next, lock->lease_ms);

    switch (reply.type) {
    case REPLY_STATUS:
        watchdog_stop(lock->watchdog);
        if (!again) {
            strcpy(lock->token, lock->next);
            token_new(lock->next);
        }
        lock->thread = pthread_self();
        lock->inside = true;
        lock->deadline_ms = sent_ms + lock->lease_ms;
        if (!lock_held(lock)) { // the answer took a whole lease
            lock_release(lock);
            return LOCK_LOST;
        }
        watchdog_start(lock->watchdog);
        return LOCK_OK;
    // The rest of somebody's lease.
    case REPLY_INTEGER: return LOCK_BUSY;
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

enum lock_result lock_release(struct lock *lock) {
    if (lock->inside && !caller_is_inside(lock))
        return LOCK_LOST; // another thread's
    watchdog_stop(lock->watchdog);
    lock->inside = false;
    struct reply reply = redis_eval(lock->redis, &lock->release, "1 %s %s",
                                    lock->key, lock->token);

    switch (reply.type) {
    case REPLY_INTEGER: return reply.integer == 1 ? LOCK_OK : lose(lock);
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
