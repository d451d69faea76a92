// Detour from stage 7: the server counts, with HINCRBY.
//
// "One more" and "one less" are what acquire and release mean. HINCRBY is
// atomic and makes the field if there is none, so it looks like the command for
// the job, and most articles use it. But the server cannot tell a second
// attempt after a lost answer from a nested call. Redisson had locks that
// counted up to 41 while a cluster failed over, and stayed (issue 4822).
//
// The owner is the client, whichever of its threads calls. A nested call that
// finds the lock lost is told busy; stage 7 tells all calls of the owner.
//
// Still open: an attempt that is made again because its answer was lost counts
// twice. Then one release leaves 1, and the watchdog keeps the lock for
// nobody.
//     ./scenarios/retry_counts_twice
//     ./scenarios/lost_grant_answer
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
    char next[TOKEN_SIZE];  // of the next one
    int count;              // how often the client is in, says the server
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
    "    local count = redis.call('HINCRBY', KEYS[1], ARGV[1], 1)\n"
    "    redis.call('PEXPIRE', KEYS[1], ARGV[3])\n"
    "    return {ok = tostring(count)}\n"
    "end\n"
    "return redis.call('PTTL', KEYS[1])\n";

static const char release[] =
    "-- release\n"
    "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then\n"
    "    return -1\n"
    "end\n"
    "local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)\n"
    "if left == 0 then redis.call('DEL', KEYS[1]) end\n"
    "return left\n";

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

enum lock_result lock_acquire(struct lock *lock) {
    int count = lock->count + 1;
    long long sent_ms = now_ms();

    struct reply reply =
        redis_eval(lock->redis, &lock->acquire, "1 %s %s %d %d", lock->key,
                   count > 1 ? lock->token : lock->next, count, lock->lease_ms);

    switch (reply.type) {
    case REPLY_STATUS:
        lock->count = atoi(reply.text);
        if (count > 1)
            return LOCK_OK;
        watchdog_stop(lock->watchdog);
        strcpy(lock->token, lock->next);
        token_new(lock->next);
        lock->deadline_ms = sent_ms + lock->lease_ms;
        if (!lock_held(lock)) { // the answer took a whole lease
            lock_release(lock);
            return LOCK_LOST;
        }
        watchdog_start(lock->watchdog);
        return LOCK_OK;
    case REPLY_INTEGER: // what is left of somebody's lease
        lock->count = 0;
        return LOCK_BUSY;
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

enum lock_result lock_release(struct lock *lock) {
    if (lock->count <= 1) {
        watchdog_stop(lock->watchdog);
        lock->count = 0;
    }
    struct reply reply = redis_eval(lock->redis, &lock->release, "1 %s %s",
                                    lock->key, lock->token);

    switch (reply.type) {
    case REPLY_INTEGER:
        lock->count = reply.integer > 0 ? (int)reply.integer : 0;
        return reply.integer < 0 ? LOCK_LOST : LOCK_OK;
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
