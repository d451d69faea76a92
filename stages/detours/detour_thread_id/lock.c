// Detour from stage 5: the thread's number is the token.
//
// Threads own mutexes, so a thread's number looks like the natural owner: it
// needs no randomness, and release can ask for it again instead of keeping it.
// A reader of Redisson reported that two hosts could have the same number
// (issue 4724); Redisson puts a random id in front of it, this lock does not.
//
// Still open: every process numbers its threads from 1, so the clients of two
// hosts are the same owner, and each releases the other's lock.
//     ./scenarios/same_thread_id
//     ./scenarios/expired_delete
//     ./scenarios/delayed_delete
//     ./scenarios/stranger_releases
#include "lock.h"

#include "redis.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct lock {
    struct redis *redis;
    char *key;
    int lease_ms;
    struct script release;
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
    if (lock->redis) {
        lock->release = redis_script(lock->redis, release);
        return lock;
    }
    lock_close(lock);
    return NULL;
}

static int thread_number(void) {
    static atomic_int threads;
    static _Thread_local int thread;

    if (thread == 0)
        thread = ++threads;
    return thread;
}

enum lock_result lock_acquire(struct lock *lock) {
    struct reply reply =
        redis_call(lock->redis, "SET %s %d NX PX %d", lock->key,
                   thread_number(), lock->lease_ms);

    switch (reply.type) {
    case REPLY_STATUS: return LOCK_OK;
    case REPLY_NIL:    return LOCK_BUSY;
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

enum lock_result lock_release(struct lock *lock) {
    struct reply reply = redis_eval(lock->redis, &lock->release, "1 %s %d",
                                    lock->key, thread_number());

    switch (reply.type) {
    case REPLY_INTEGER: return reply.integer == 1 ? LOCK_OK : LOCK_LOST;
    case REPLY_ERROR:   return LOCK_ERROR;
    default:            return LOCK_UNKNOWN;
    }
}

void lock_close(struct lock *lock) {
    redis_close(lock->redis);
    free(lock->key);
    free(lock);
}
