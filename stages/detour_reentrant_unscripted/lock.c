// Detour from stage 7: GET, compare, SET the count.
//
// Redisson's lock did it in 2014 (issue 84): the value is owner and count in
// one string. SET NX takes a free lock; an owner that finds itself there
// writes the next count, and the last release deletes. It looks reasonable,
// since what is our own nobody else will touch between our look and our write.
// But it may end there.
//
// Still open: between GET and what is written after it the lease can end and
// somebody else get in, whose lock is then overwritten, or deleted.
//     ./scenarios/reentry_check_then_set
//     ./scenarios/check_then_delete
//     ./scenarios/delayed_delete
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
    struct script renew;
    struct redis *renewals; // the watchdog's own: one thread, one connection
    pthread_t watchdog;
    bool watched;           // the thread runs
    struct flag stop;
    atomic_llong deadline_ms; // when we stop believing; 0: at once
};

static const char renew[] =
    "-- renew\n"
    "local value = redis.call('GET', KEYS[1]) or ''\n"
    "if value:match('(.+)=') == ARGV[1] then\n"
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

// "owner=count"
static bool is_owner(const char *owner, const struct reply *value) {
    size_t length = strlen(owner);

    return strncmp(value->text, owner, length) == 0 &&
           value->text[length] == '=';
}

static struct reply set_count(struct lock *lock, const char *owner, int count) {
    return redis_call(lock->redis, "SET %s %s=%d PX %d", lock->key, owner,
                      count, lock->lease_ms);
}

// OK, or what was found instead of our own: somebody else's value, or nil.
static struct reply take(struct lock *lock, const char *owner, int count) {
    struct reply reply = {.type = REPLY_NIL};

    if (count == 1)
        reply = redis_call(lock->redis, "SET %s %s=1 NX PX %d", lock->key,
                           owner, lock->lease_ms);
    if (reply.type == REPLY_NIL)
        reply = redis_call(lock->redis, "GET %s", lock->key);
    if (reply.type == REPLY_STRING && is_owner(owner, &reply))
        reply = set_count(lock, owner, count);
    return reply;
}

enum lock_result lock_acquire(struct lock *lock) {
    char owner[OWNER_SIZE];
    int count = name_owner(lock, owner) + 1;
    long long sent_ms = now_ms();

    struct reply reply = take(lock, owner, count);

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
    case REPLY_STRING: return LOCK_BUSY;
    case REPLY_NIL: // it has just been released, by us or by somebody else
        if (count == 1)
            return LOCK_BUSY;
        lock->count = 0; // we were in, and there is no lock any more
        return LOCK_LOST;
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

// OK or 1, or what was found instead of our own.
static struct reply give(struct lock *lock, const char *owner, int left) {
    struct reply reply = redis_call(lock->redis, "GET %s", lock->key);

    if (reply.type == REPLY_STRING && is_owner(owner, &reply))
        reply = left > 0 ? set_count(lock, owner, left)
                         : redis_call(lock->redis, "DEL %s", lock->key);
    return reply;
}

enum lock_result lock_release(struct lock *lock) {
    char owner[OWNER_SIZE];
    int count = name_owner(lock, owner);
    int left = count > 1 ? count - 1 : 0;

    if (count == 1)
        watchdog_stop(lock);
    struct reply reply = give(lock, owner, left);
    bool given = reply.type == REPLY_STATUS ||
                 (reply.type == REPLY_INTEGER && reply.integer == 1);

    switch (reply.type) {
    case REPLY_STATUS:
    case REPLY_INTEGER:
    case REPLY_STRING:
    case REPLY_NIL:
        if (count > 0)
            lock->count = given ? left : 0;
        return given ? LOCK_OK : LOCK_LOST;
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
