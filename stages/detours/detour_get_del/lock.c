// Detour from stage 5: GET, compare, DEL.
//
// This does what the script does, without a script: no second language, and
// nothing that a server could refuse. Spring Integration's RedisLockRegistry
// released like this (issue 8699); redis-py before 3.0 meant to wrap it in a
// transaction, and sent none. It looks reasonable, because a client deletes
// only what it has seen to be its own.
//
// Still open: between GET and DEL the lease can end and somebody else get in;
// then DEL deletes that other client's lock.
//     ./scenarios/check_then_delete
//     ./scenarios/delayed_delete
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
};

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    lock->key = strdup(key);
    lock->lease_ms = lease_ms;
    lock->redis = redis_open();
    if (lock->redis)
        return lock;
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

static enum lock_result delete_key(struct lock *lock) {
    struct reply reply = redis_call(lock->redis, "DEL %s", lock->key);

    switch (reply.type) {
    case REPLY_INTEGER: return reply.integer == 1 ? LOCK_OK : LOCK_LOST;
    case REPLY_ERROR:   return LOCK_ERROR;
    default:            return LOCK_UNKNOWN;
    }
}

enum lock_result lock_release(struct lock *lock) {
    struct reply held = redis_call(lock->redis, "GET %s", lock->key);

    switch (held.type) {
    case REPLY_STRING:
        return strcmp(held.text, lock->token) == 0 ? delete_key(lock)
                                                   : LOCK_LOST;
    case REPLY_NIL:    return LOCK_LOST;
    case REPLY_ERROR:  return LOCK_ERROR;
    default:           return LOCK_UNKNOWN;
    }
}

void lock_close(struct lock *lock) {
    redis_close(lock->redis);
    free(lock->key);
    free(lock);
}
