// Detour from stage 7: GET, compare, SET the count.
//
// Redisson's lock did it in 2014 (issue 84): the value is owner and count in
// one string. SET NX takes a free lock. An owner that finds itself in the value
// writes the next count, and the last release deletes the key. It looks
// reasonable, because nobody else touches a lock that is ours. But between our
// look and our write it may end, and then it is not ours.
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
    struct script renew;
    struct watchdog *watchdog;
    struct redis *renewals; // the watchdog's own: one thread, one connection
    atomic_llong deadline_ms; // when we stop believing; 0: at once
};

static const char renew[] =
    "-- renew\n"
    "local value = redis.call('GET', KEYS[1]) or ''\n"
    "if value:match('(.+)=') == ARGV[1] then\n"
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

// "token=count"
static bool has_token(const char *token, const struct reply *value) {
    size_t length = strlen(token);

    return strncmp(value->text, token, length) == 0 &&
           value->text[length] == '=';
}

static struct reply set_count(struct lock *lock, const char *token, int count) {
    return redis_call(lock->redis, "SET %s %s=%d PX %d", lock->key, token,
                      count, lock->lease_ms);
}

// OK, or what was found instead of our own: somebody else's value, or nil.
static struct reply take(struct lock *lock, const char *token, int count) {
    struct reply reply = {.type = REPLY_NIL};

    if (count == 1)
        reply = redis_call(lock->redis, "SET %s %s=1 NX PX %d", lock->key,
                           token, lock->lease_ms);
    if (reply.type == REPLY_NIL)
        reply = redis_call(lock->redis, "GET %s", lock->key);
    if (reply.type == REPLY_STRING && has_token(token, &reply))
        reply = set_count(lock, token, count);
    return reply;
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
        take(lock, count > 1 ? lock->token : lock->next, count);

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
    case REPLY_STRING: // somebody else's
    case REPLY_NIL:    // it has just been released
        return count == 1 ? LOCK_BUSY : lose(lock);
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

// OK or 1, or what was found instead of our own.
static struct reply give(struct lock *lock, int left) {
    struct reply reply = redis_call(lock->redis, "GET %s", lock->key);

    if (reply.type == REPLY_STRING && has_token(lock->token, &reply))
        reply = left > 0 ? set_count(lock, lock->token, left)
                         : redis_call(lock->redis, "DEL %s", lock->key);
    return reply;
}

enum lock_result lock_release(struct lock *lock) {
    int left = count_of_caller(lock) - 1;

    if (left < 0 && lock->count > 0)
        return LOCK_LOST; // another thread's
    if (left <= 0) {
        watchdog_stop(lock->watchdog);
        left = lock->count = 0;
    }
    struct reply reply = give(lock, left);
    bool given = reply.type == REPLY_STATUS ||
                 (reply.type == REPLY_INTEGER && reply.integer == 1);

    switch (reply.type) {
    case REPLY_STATUS:
    case REPLY_INTEGER:
    case REPLY_STRING:
    case REPLY_NIL:
        if (!given)
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
