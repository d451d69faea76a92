// Detour from road_redlock: the time that acquiring took is not subtracted.
//
// The client counts its lease from the last answer. But each key has counted
// from the command that made it. If the answers are slow, the keys end before
// the client thinks so; they may have ended before it hears that it got in.
//
// Masters: 5
//
// Still open: the answers of a majority arrive after its leases have ended.
//     ./scenarios/late_majority
#include "lock.h"

#include "redis.h"
#include "token.h"
#include "wait.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SERVERS = 16, PAUSE_MS = 50 };

struct lock {
    struct redis *servers[MAX_SERVERS];
    struct script release[MAX_SERVERS];
    int count;
    char *key;
    int lease_ms;
    char token[TOKEN_SIZE]; // of the last hold
    long long deadline_ms;  // of the last hold: until then it is valid
};

// The servers' answers. Of a silent one nobody knows whether the command has
// run; an absent one could not even be sent it.
struct votes {
    int yes, no, errors, silent, absent;
};

static const char release[] =
    "-- release\n"
    "if redis.call('GET', KEYS[1]) == ARGV[1] then\n"
    "    return redis.call('DEL', KEYS[1])\n"
    "end\n"
    "return 0\n";

// A server that is down must not cost much of the lease.
static int server_limit_ms(int lease_ms) {
    int limit_ms = lease_ms / 200;
    return limit_ms < 5 ? 5 : limit_ms > 50 ? 50 : limit_ms;
}

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    lock->key = strdup(key);
    lock->lease_ms = lease_ms;
    while (lock->count < MAX_SERVERS && lock->count < redis_servers()) {
        int i = lock->count++;
        lock->servers[i] = redis_open_one(i, server_limit_ms(lease_ms));
        if (!lock->servers[i]) {
            lock_close(lock);
            return NULL;
        }
        lock->release[i] = redis_script(lock->servers[i], release);
    }
    return lock;
}

static int majority(const struct lock *lock) {
    return lock->count / 2 + 1;
}

static void count_vote(struct votes *votes, struct reply reply) {
    static const char unsent[] = "cannot connect";

    switch (reply.type) {
    case REPLY_STATUS:  votes->yes++; break;
    case REPLY_NIL:     votes->no++; break;
    case REPLY_INTEGER: reply.integer == 1 ? votes->yes++ : votes->no++; break;
    case REPLY_ERROR:   votes->errors++; break;
    default:
        if (strncmp(lock_reason(), unsent, strlen(unsent)) == 0)
            votes->absent++;
        else
            votes->silent++;
    }
}

// Too few servers have answered with yes or no.
static enum lock_result no_answer(const struct lock *lock,
                                  struct votes votes) {
    if (votes.absent == lock->count)
        lock_explain("cannot connect to any of %d servers", lock->count);
    else
        lock_explain("of %d servers %d gave no answer and %d an error",
                     lock->count, votes.silent + votes.absent, votes.errors);
    return votes.silent + votes.absent > 0 ? LOCK_UNKNOWN : LOCK_ERROR;
}

static struct votes remove_token(struct lock *lock, const char *token) {
    struct votes votes = {0};

    for (int i = 0; i < lock->count; i++)
        count_vote(&votes, redis_eval(lock->servers[i], &lock->release[i],
                                      "1 %s %s", lock->key, token));
    return votes;
}

enum lock_result lock_acquire(struct lock *lock) {
    char token[TOKEN_SIZE];
    struct votes votes = {0};
    int drift_ms = lock->lease_ms / 100 + 2;

    token_new(token);
    for (int i = 0; i < lock->count; i++)
        count_vote(&votes, redis_call(lock->servers[i], "SET %s %s NX PX %d",
                                      lock->key, token, lock->lease_ms));
    long long deadline_ms = now_ms() + lock->lease_ms - drift_ms;

    if (votes.yes >= majority(lock) && now_ms() < deadline_ms) {
        strcpy(lock->token, token);
        lock->deadline_ms = deadline_ms;
        return LOCK_OK;
    }
    remove_token(lock, token);
    if (votes.yes >= majority(lock))
        return LOCK_LOST; // the answers took a whole lease
    if (votes.no > 0 &&
        votes.yes + votes.silent + votes.errors < majority(lock))
        return LOCK_BUSY;
    return no_answer(lock, votes);
}

// Clients that have taken the masters from each other try again. Random pauses
// see to it that one of them comes first.
enum lock_result lock_wait(struct lock *lock, int patience_ms) {
    long long end_ms = now_ms() + patience_ms;

    for (;;) {
        enum lock_result result = lock_acquire(lock);
        long long left_ms = end_ms - now_ms();
        int pause_ms = PAUSE_MS + random_ms(2 * PAUSE_MS);
        if (result != LOCK_BUSY || left_ms <= 0)
            return result;
        wait_ms(NULL, left_ms < pause_ms ? (int)left_ms : pause_ms);
    }
}

enum lock_result lock_release(struct lock *lock) {
    struct votes votes = remove_token(lock, lock->token);

    if (votes.yes >= majority(lock))
        return LOCK_OK;
    if (lock->count - votes.no < majority(lock))
        return LOCK_LOST;
    return no_answer(lock, votes);
}

bool lock_held(struct lock *lock) {
    return now_ms() < lock->deadline_ms;
}

void lock_close(struct lock *lock) {
    for (int i = 0; i < lock->count; i++)
        redis_close(lock->servers[i]);
    free(lock->key);
    free(lock);
}
