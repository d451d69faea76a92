// Detour from stage 5: WATCH, GET, MULTI, DEL, EXEC.
//
// "Redis in Action" releases like this, and redis-py before 3.0 meant to. WATCH
// makes the server note whether the key changes, and EXEC then runs nothing if
// it has. So the DEL runs only on the value that GET has shown, and the release
// is right. It costs five round trips instead of one, and more code.
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

// [1], or nil: the key has changed since WATCH. No answer ends it: the next
// command would go to a new connection, which watches nothing.
static struct reply delete_watched(struct lock *lock) {
    struct reply reply = redis_call(lock->redis, "MULTI");

    if (reply.type != REPLY_STATUS)
        return reply;
    reply = redis_call(lock->redis, "DEL %s", lock->key);
    if (reply.type == REPLY_NONE)
        return reply;
    return redis_call(lock->redis, "EXEC");
}

enum lock_result lock_release(struct lock *lock) {
    struct reply reply = redis_call(lock->redis, "WATCH %s", lock->key);

    if (reply.type == REPLY_STATUS)
        reply = redis_call(lock->redis, "GET %s", lock->key);
    if (reply.type == REPLY_STRING && strcmp(reply.text, lock->token) == 0)
        reply = delete_watched(lock);
    else if (reply.type == REPLY_STRING || reply.type == REPLY_NIL)
        redis_call(lock->redis, "UNWATCH");
    switch (reply.type) {
    case REPLY_ARRAY:  return reply.integer == 1 ? LOCK_OK : LOCK_LOST;
    case REPLY_STRING:
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
