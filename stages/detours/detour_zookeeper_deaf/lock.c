// Detour from road_zookeeper: nobody listens to what happens to the session.
//
// Engine: zookeeper
//
// The library tells when the connection is lost and when the session is over.
// This lock does not ask: who got in is inside until it leaves. But while there
// is no connection nobody can say whether the session goes on. When it is over,
// the node is gone and somebody else has the lock.
//
// Still open: a holder without a session says that it holds the lock.
//     ./scenarios/cut_off_holder
#include "lock.h"

#include "token.h"
#include "wait.h"
#include "zookeeper.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct lock {
    struct zookeeper *zk;
    char queue[ZK_QUEUE_SIZE]; // the path of the lock's node
    char node[ZK_PATH_SIZE];   // of our last one in it; empty: there was none
    int count;                 // entries that were not left; 0: not inside
    long long fence;           // the number of the last hold
    pthread_t owner;           // its thread
};

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    snprintf(lock->queue, sizeof lock->queue, "/%s", key);
    lock->zk = zk_open(lease_ms);
    if (lock->zk && zk_ensure(lock->zk, lock->queue) == ZK_OK)
        return lock;
    lock_close(lock);
    return NULL;
}

// Puts a node into the queue. If no answer comes, it may be there all the same:
// a token in its name tells which one is ours. First goes what an attempt or a
// release has left there without an answer.
static enum lock_result join(struct lock *lock) {
    char token[TOKEN_SIZE];
    enum zk_result left = zk_leave_queue(lock->zk, lock->node);

    if (left == ZK_NONE || left == ZK_ERROR)
        return zk_answer(left, LOCK_LOST);
    token_new(token);
    snprintf(lock->node, sizeof lock->node, "%s/%s-", lock->queue, token);
    enum zk_result result = zk_join_queue(lock->zk, lock->node);
    if (result == ZK_NONE)
        result = zk_find(lock->zk, lock->node);
    if (result == ZK_NO_NODE || result == ZK_EXPIRED)
        result = zk_join_queue(lock->zk, lock->node);
    return zk_answer(result, LOCK_LOST);
}

// Waits until nobody is before us, or it is that late.
static enum lock_result wait_for_turn(struct lock *lock, long long until_ms) {
    struct zk_place place;
    enum zk_result result;

    while ((result = zk_get_place(lock->zk, lock->node, &place)) == ZK_OK) {
        long long left_ms = until_ms - now_ms();
        if (place.before == 0)
            return LOCK_OK;
        if (left_ms <= 0) { // our node must not stay
            result = zk_leave_queue(lock->zk, lock->node);
            return result == ZK_OK ? LOCK_BUSY : zk_answer(result, LOCK_BUSY);
        }
        result = zk_watch(lock->zk, place.next);
        if (result == ZK_OK)
            zk_wait(lock->zk, (int)left_ms);
        else if (result != ZK_NO_NODE)
            break;
    }
    return zk_answer(result, LOCK_LOST);
}

static bool is_ours(const struct lock *lock) {
    return pthread_equal(lock->owner, pthread_self());
}

bool lock_held(struct lock *lock) {
    return lock->count > 0;
}

static enum lock_result enter_again(struct lock *lock) {
    lock->count++;
    return LOCK_OK;
}

enum lock_result lock_wait(struct lock *lock, int patience_ms) {
    long long until_ms = now_ms() + patience_ms;

    if (lock->count > 0)
        return is_ours(lock) ? enter_again(lock) : LOCK_BUSY;
    enum lock_result result = join(lock);
    if (result == LOCK_OK)
        result = wait_for_turn(lock, until_ms);
    if (result == LOCK_ERROR && lock->node[0])
        result = LOCK_UNKNOWN; // our node is still in the queue
    if (result == LOCK_OK) {
        lock->count = 1;
        lock->fence = zk_number(lock->node);
        lock->owner = pthread_self();
    }
    return result;
}

enum lock_result lock_acquire(struct lock *lock) {
    return lock_wait(lock, 0);
}

enum lock_result lock_release(struct lock *lock) {
    if (lock->count > 0 && !is_ours(lock))
        return LOCK_LOST; // another thread's
    if (lock->count > 0 && --lock->count > 0)
        return LOCK_OK;
    return zk_answer(zk_leave_queue(lock->zk, lock->node), LOCK_LOST);
}

long long lock_fence(struct lock *lock) {
    return lock->fence;
}

void lock_close(struct lock *lock) {
    zk_close(lock->zk);
    free(lock);
}
