// Detour from road_zookeeper: the one in front is gone, so it is our turn.
//
// Engine: zookeeper
//
// A waiter watches the node in front of its own, and when that node is gone the
// waiter is the first. So it seems. But the one in front can also have given up
// or died while it waited itself, and then there is somebody before it.
//
// Still open: a waiter that gives up lets the one behind it in.
//     ./scenarios/predecessor_gone
#include "lock.h"

#include "token.h"
#include "wait.h"
#include "zookeeper.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lock {
    struct zookeeper *zk;
    char *path;
    char name[ZK_PATH_SIZE]; // our node's path, without its number
    char node[ZK_PATH_SIZE]; // our node; empty: there is none
    long long session;       // in which it was made
    long long fence;         // the number of the last hold
    pthread_t owner;         // of the hold: a thread
    int count;               // entries that were not left; 0: not inside
};

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    lock->path = malloc(strlen(key) + 2);
    sprintf(lock->path, "/%s", key);
    lock->zk = zk_open(lease_ms);
    if (lock->zk && zk_ensure(lock->zk, lock->path) == ZK_OK)
        return lock;
    lock_close(lock);
    return NULL;
}

static enum lock_result failed(enum zk_result result) {
    return result == ZK_NONE ? LOCK_UNKNOWN : LOCK_ERROR;
}

// --- the node ----------------------------------------------------------------

// Our place in the queue: by the token. -1: we have none.
static int find(struct lock *lock, const struct zk_children *queue) {
    for (int i = 0; i < queue->count; i++)
        if (strncmp(queue->path[i], lock->name, strlen(lock->name)) == 0)
            return i;
    return -1;
}

// Puts our node at the end of the queue. Somebody may have removed the queue.
static enum zk_result join(struct lock *lock) {
    enum zk_result result;

    do
        result =
            zk_create_ephemeral_sequential(lock->zk, lock->name, lock->node);
    while (result == ZK_NO_NODE && zk_ensure(lock->zk, lock->path) == ZK_OK);
    return result;
}

// The same, where no answer came to the first try: a node with our token may be
// there, and then it is ours. The session may also have ended before.
static enum zk_result join_surely(struct lock *lock) {
    enum zk_result result = join(lock);
    struct zk_children queue;

    if (result == ZK_NONE) {
        result = zk_get_children(lock->zk, lock->path, &queue);
        int place = find(lock, &queue);
        if (result == ZK_OK && place >= 0)
            strcpy(lock->node, queue.path[place]);
        else if (result == ZK_OK || result == ZK_NO_NODE)
            result = join(lock);
    }
    return result == ZK_EXPIRED ? join(lock) : result;
}

// Leaves the queue: with this result, if nothing is left behind.
static enum lock_result give_up(struct lock *lock, enum lock_result otherwise) {
    if (!lock->node[0])
        return LOCK_LOST;
    enum zk_result result = zk_delete(lock->zk, lock->node);

    lock->count = 0;
    switch (result) {
    case ZK_OK:      return otherwise;
    case ZK_NO_NODE: // somebody has removed it, or the session is over
    case ZK_EXPIRED: return otherwise == LOCK_OK ? LOCK_LOST : otherwise;
    default:         return failed(result);
    }
}

// --- the lock ----------------------------------------------------------------

static bool is_ours(struct lock *lock) {
    return lock->count > 0 && pthread_equal(lock->owner, pthread_self());
}

bool lock_held(struct lock *lock) {
    return lock->count > 0 && zk_is_connected(lock->zk) &&
           zk_session(lock->zk) == lock->session;
}

// A nested call is only counted, but where nobody can say whether the session
// goes on the server is asked.
static enum lock_result enter_again(struct lock *lock) {
    enum zk_result there = lock_held(lock) ? ZK_OK
                           : zk_session(lock->zk) == lock->session
                               ? zk_exists(lock->zk, lock->node) : ZK_EXPIRED;

    switch (there) {
    case ZK_OK:
        lock->count++;
        return LOCK_OK;
    case ZK_NO_NODE:
    case ZK_EXPIRED:
        lock->count = 0;
        return LOCK_LOST;
    default:
        return failed(there);
    }
}

// Looks once who is before us, and waits for that one to go, until this time.
static enum lock_result wait_for_turn(struct lock *lock, long long until_ms) {
    struct zk_children queue;

    enum zk_result result = zk_get_children(lock->zk, lock->path, &queue);
    if (result != ZK_OK)
        return failed(result);
    int place = find(lock, &queue);
    if (place == 0)
        return LOCK_OK;
    if (place < 0) {
        lock_explain("our node was removed");
        return LOCK_ERROR;
    }
    for (;;) {
        long long left_ms = until_ms - now_ms();
        if (left_ms <= 0)
            return give_up(lock, LOCK_BUSY);
        flag_lower(zk_flag(lock->zk));
        result = zk_watch(lock->zk, queue.path[place - 1]);
        if (result == ZK_NO_NODE)
            return LOCK_OK;
        if (result != ZK_OK)
            return failed(result);
        wait_ms(zk_flag(lock->zk), (int)left_ms);
    }
}

enum lock_result lock_wait(struct lock *lock, int patience_ms) {
    long long until_ms = now_ms() + patience_ms;
    char token[TOKEN_SIZE];

    if (lock->count > 0 && !is_ours(lock))
        return LOCK_BUSY; // another thread of this process has it
    if (lock->count > 0)
        return enter_again(lock);
    token_new(token);
    snprintf(lock->name, sizeof lock->name, "%s/%s-", lock->path, token);
    enum zk_result joined = join_surely(lock);
    if (joined != ZK_OK)
        return failed(joined);
    lock->session = zk_session(lock->zk);
    enum lock_result result = wait_for_turn(lock, until_ms);
    if (result == LOCK_OK) {
        lock->owner = pthread_self();
        lock->fence = zk_number(lock->node);
        lock->count = 1;
    }
    return result;
}

enum lock_result lock_acquire(struct lock *lock) {
    return lock_wait(lock, 0);
}

enum lock_result lock_release(struct lock *lock) {
    if (lock->count > 0 && !is_ours(lock))
        return LOCK_LOST; // another thread's
    if (lock->count > 1) {
        lock->count--;
        return LOCK_OK;
    }
    return give_up(lock, LOCK_OK);
}

long long lock_fence(struct lock *lock) {
    return lock->fence;
}

void lock_close(struct lock *lock) {
    zk_close(lock->zk);
    free(lock->path);
    free(lock);
}
