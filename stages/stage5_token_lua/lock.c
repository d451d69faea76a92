// Stage 5: the value says whose lock it is, and only the owner deletes it.
//
// Stage 4 deleted whatever lock it found. Here every hold writes a random token
// of its own, and release is a script that deletes the key only while it still
// holds that token. Redis runs a script as one command: nothing can happen
// between its GET and its DEL.
//
// Still open: the lease is a guess. Work that takes longer than the lease goes
// on without a lock, and the holder does not know it.
//     ./scenarios/work_outlives_lease
//     ./scenarios/cut_off_holder
#include "lock.h"

#include "redis.h"
#include "token.h"

#include <stdlib.h>
#include <string.h>

struct lock {
    struct redis *redis;
    char *key;
    int lease_ms;
    char token[TOKEN_SIZE]; // of the last hold
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

enum lock_result lock_acquire(struct lock *lock) {
    char token[TOKEN_SIZE];

    token_new(token);
    struct reply reply = redis_call(lock->redis, "SET %s %s NX PX %d",
                                    lock->key, token, lock->lease_ms);

    switch (reply.type) {
    case REPLY_STATUS:
        strcpy(lock->token, token);
        return LOCK_OK;
    case REPLY_NIL:    return LOCK_BUSY;
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

enum lock_result lock_release(struct lock *lock) {
    struct reply reply = redis_eval(lock->redis, &lock->release, "1 %s %s",
                                    lock->key, lock->token);

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
