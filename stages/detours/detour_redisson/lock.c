// Detour from stage 7: the owner is the client and its thread, for all holds.
//
// Redisson does it, and after it most articles: the field of the hash is the
// client's id and the number of the thread, and HINCRBY counts. Every call of a
// thread is its own without keeping anything, so it looks simpler than a token
// for each hold. But two holds of one thread look the same to the server, like
// two attempts of one hold: it cannot tell what is new from what is late.
//
// Still open: a release of an earlier hold that arrives late ends the next one,
// because its owner is the same.
//     ./scenarios/late_retry_kills_next_hold
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
    int count;              // how often the owner is in, says the server
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
    "    local count = redis.call('HINCRBY', KEYS[1], ARGV[1], 1)\n"
    "    redis.call('PEXPIRE', KEYS[1], ARGV[2])\n"
    "    return {ok = tostring(count)}\n"
    "end\n"
    "return redis.call('PTTL', KEYS[1])\n";

static const char release[] =
    "-- release\n"
    "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then\n"
    "    return -1\n"
    "end\n"
    "local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)\n"
    "if left > 0 then\n"
    "    redis.call('PEXPIRE', KEYS[1], ARGV[2])\n"
    "else\n"
    "    redis.call('DEL', KEYS[1])\n"
    "end\n"
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
                                    lock->key, lock->owner, lock->lease_ms);

    // No answer, or an error: the deadline stands, and there is a next time.
    if (reply.type == REPLY_INTEGER)
        lock->deadline_ms = reply.integer == 1 ? sent_ms + lock->lease_ms : 0;
    return lock->deadline_ms > 0;
}

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    lock->key = strdup(key);
    lock->lease_ms = lease_ms;
    token_new(lock->id);
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

// Names the calling thread as an owner; says how often it is in.
static int name_owner(const struct lock *lock, char owner[OWNER_SIZE]) {
    static atomic_int threads;
    static _Thread_local int thread;

    if (thread == 0)
        thread = ++threads;
    snprintf(owner, OWNER_SIZE, "%s:%d", lock->id, thread);
    return strcmp(owner, lock->owner) == 0 ? lock->count : 0;
}

// The server says that the lock is not ours.
static enum lock_result lose(struct lock *lock) {
    watchdog_stop(lock->watchdog);
    lock->deadline_ms = 0;
    lock->count = 0;
    return LOCK_LOST;
}

enum lock_result lock_acquire(struct lock *lock) {
    char owner[OWNER_SIZE];
    long long sent_ms = now_ms();

    name_owner(lock, owner);
    struct reply reply =
        redis_eval(lock->redis, &lock->acquire, "1 %s %s %d", lock->key, owner,
                   lock->lease_ms);

    switch (reply.type) {
    case REPLY_STATUS:
        watchdog_stop(lock->watchdog);
        strcpy(lock->owner, owner);
        lock->count = atoi(reply.text);
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
    char owner[OWNER_SIZE];
    int count = name_owner(lock, owner);

    if (count == 1)
        watchdog_stop(lock->watchdog);
    struct reply reply =
        redis_eval(lock->redis, &lock->release, "1 %s %s %d", lock->key, owner,
                   lock->lease_ms);

    switch (reply.type) {
    case REPLY_INTEGER:
        if (reply.integer < 0)
            return count > 0 ? lose(lock) : LOCK_LOST;
        if (count > 0)
            lock->count = (int)reply.integer;
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
