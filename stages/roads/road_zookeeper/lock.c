// Road: a queue of nodes that live as long as their sessions.
//
// Engine: zookeeper
//
// Each client puts a node into the lock's node. The server numbers them; who
// has the lowest number has the lock. A node is ephemeral: it is gone when its
// client's session ends, because that has died or was not heard for too long.
// A client that waits watches only the node just before its own: one release
// wakes one client. A holder that was not heard has lost the lock before it
// knows. So it writes under its node's number, and the resource refuses a
// smaller one.
//
// Still open: until the new holder writes, the resource knows no newer number.
//     ./scenarios/new_holder_silent
// Still open: a holder that hangs keeps the lock: its session goes on.
//     ./scenarios/hung_worker
// Still open: a client that dies in the queue holds up those behind it.
//     ./scenarios/chosen_waiter_dies
// Still open: a lost release that is not repeated leaves the node there.
//     ./scenarios/lost_release_not_repeated
// Still open: a holder whose node was removed is not told.
//     ./scenarios/loss_untold
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
    long long session, fence;  // of the last hold; its number
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
    return lock->count > 0 && zk_is_connected(lock->zk, lock->session);
}

// A nested call is only counted. But the server is asked where this side cannot
// know whether the session goes on.
static enum lock_result enter_again(struct lock *lock) {
    enum zk_result there = lock_held(lock) ? ZK_OK
                           : zk_exists(lock->zk, lock->node, lock->session);
    enum lock_result still = zk_answer(there, LOCK_LOST);

    lock->count = still == LOCK_LOST ? 0 : lock->count + (still == LOCK_OK);
    return still;
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
        lock->session = zk_session(lock->zk);
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
