// Detour from stage 5: EVALSHA, with no EVAL to fall back on.
//
// The script is loaded once, when the client opens the lock. From then on its
// SHA-1 is enough, which saves sending the text with every call. The
// documentation said that a loaded script stays for ever. redlock-rb did it
// (issue 27) until its server was flushed.
//
// Still open: a server that was restarted or flushed does not know the script
// any more. It refuses every release of this client from then on, and each lock
// lasts until its lease is over.
//     ./scenarios/script_flush
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
    struct reply reply =
        redis_call(lock->redis, "EVALSHA %s 1 %s %s", lock->release.sha1,
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
