// Stage 7: the owner can take the lock again, and is counted.
//
// Stage 6 let the owner wait for itself. Here the key is a hash of one field:
// the owner (client id:thread) and how often it is in. Scripts look and write
// as one command. They are not told "one more" but the count to reach: when an
// answer is lost and the attempt is made again, the usual HINCRBY counts twice,
// and the lock outlives its last release. Setting 1 a second time leaves 1.
//
// Still open: the watchdog renews for a worker that never comes back.
//     ./scenarios/hung_worker
// Still open: a process that is stopped as a whole learns too late that its
// lease is over.
//     ./scenarios/stop_the_world
// Still open: the lock lives in the memory of one server.
//     ./scenarios/restart_empty
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

// Names the calling thread as an owner; says how often it is in.
static int name_owner(const struct lock *lock, char owner[OWNER_SIZE]) {
    static atomic_int threads;
    static _Thread_local int thread;

    if (thread == 0)
        thread = ++threads;
    snprintf(owner, OWNER_SIZE, "%s:%d", lock->id, thread);
    return strcmp(owner, lock->owner) == 0 ? lock->count : 0;
}

enum lock_result lock_acquire(struct lock *lock) {
    char owner[OWNER_SIZE];
    int count = name_owner(lock, owner) + 1;
    long long sent_ms = now_ms();

    struct reply reply =
        redis_eval(lock->redis, &lock->acquire, "1 %s %s %d %d", lock->key,
                   owner, count, lock->lease_ms);

    switch (reply.type) {
    case REPLY_STATUS:
        if (count == 1) { // later on only the watchdog moves the deadline
            watchdog_stop(lock);
            strcpy(lock->owner, owner);
            lock->deadline_ms = sent_ms + lock->lease_ms;
            watchdog_start(lock);
        }
        lock->count = count;
        return LOCK_OK;
    case REPLY_INTEGER: // what is left of somebody's lease; -1: it has no end
        if (reply.integer != -2)
            return LOCK_BUSY;
        lock->count = 0; // we were in, and there is no lock any more
        return LOCK_LOST;
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

enum lock_result lock_release(struct lock *lock) {
    char owner[OWNER_SIZE];
    int count = name_owner(lock, owner);
    int left = count > 1 ? count - 1 : 0;

    if (count == 1)
        watchdog_stop(lock);
    struct reply reply =
        redis_eval(lock->redis, &lock->release, "1 %s %s %d %d", lock->key,
                   owner, left, lock->lease_ms);

    switch (reply.type) {
    case REPLY_INTEGER:
        if (count > 0)
            lock->count = reply.integer == 1 ? left : 0;
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
