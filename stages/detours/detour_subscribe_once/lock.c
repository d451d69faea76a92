// Detour from stage 8: the waiter sleeps as soon as it has subscribed.
//
// It has just tried, the lock was taken, and now it has subscribed to the
// message that says that the lock is free. So it can go to sleep: a second
// attempt looks like a round trip for nothing. But the first attempt and
// SUBSCRIBE are two commands. A message that is published between them reaches
// no later subscriber, and the server does not keep it.
//
// Still open: a release between the two commands goes unheard. The waiter
// sleeps beside a free lock, until the lease would have ended that the holder
// no longer needs.
//     ./scenarios/lost_wakeup
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
    long long busy_ms;      // what was left of the holder's lease; -1: no end
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
    "    redis.call('PUBLISH', KEYS[1], 'free')\n"
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

enum lock_result lock_acquire(struct lock *lock) {
    int count = count_of_caller(lock) + 1;
    long long sent_ms = now_ms();

    struct reply reply =
        redis_eval(lock->redis, &lock->acquire, "1 %s %s %d %d", lock->key,
                   count > 1 ? lock->token : lock->next, count, lock->lease_ms);

    switch (reply.type) {
    case REPLY_STATUS:
        if (count > 1) {
            lock->count = count;
            return LOCK_OK;
        }
        watchdog_stop(lock->watchdog);
        strcpy(lock->token, lock->next);
        token_new(lock->next);
        lock->thread = pthread_self();
        lock->count = 1;
        lock->deadline_ms = sent_ms + lock->lease_ms;
        if (!lock_held(lock)) { // the answer took a whole lease
            lock_release(lock);
            return LOCK_LOST;
        }
        watchdog_start(lock->watchdog);
        return LOCK_OK;
    case REPLY_INTEGER:
        lock->busy_ms = reply.integer;
        return count == 1 ? LOCK_BUSY : lose(lock);
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

// How long to sleep at most. A key is gone a millisecond after its last one.
static int sleep_ms(const struct lock *lock, long long left_ms) {
    bool ends = lock->busy_ms >= 0 && lock->busy_ms < left_ms;
    return (int)(ends ? lock->busy_ms + 1 : left_ms);
}

// Sleeps until it is time to try again. False: the server cannot be reached.
static bool sleep_until_free(const struct lock *lock, struct redis **messages,
                             long long left_ms) {
    if (!*messages)
        *messages = redis_subscribe(lock->key);
    if (!*messages)
        return false;
    if (!redis_listen(*messages, sleep_ms(lock, left_ms))) {
        redis_close(*messages);
        *messages = NULL;
    }
    return true;
}

enum lock_result lock_wait(struct lock *lock, int patience_ms) {
    long long end_ms = now_ms() + patience_ms, left_ms;
    struct redis *messages = NULL;
    enum lock_result result;

    while ((result = lock_acquire(lock)) == LOCK_BUSY &&
           (left_ms = end_ms - now_ms()) > 0)
        if (!sleep_until_free(lock, &messages, left_ms)) {
            result = LOCK_UNKNOWN;
            break;
        }
    redis_close(messages);
    return result;
}

enum lock_result lock_release(struct lock *lock) {
    int left = count_of_caller(lock) - 1;

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
