// Stage 0: a mutex, the lock that everybody starts with.
//
// Nothing came before this stage, so it mends nothing. Between the threads of
// one process a mutex is right: locking it changes memory that all of them see.
// Each key has a mutex of its own. It is recursive: the thread that owns it can
// lock it again in an inner function.
//
// Local: no server knows of this lock.
//
// Still open: two processes share no memory, so each has a mutex of its own.
//     ./scenarios/two_processes
//     ./scenarios/matrix --stage 0
#include "lock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct lock {
    char *key;
    pthread_mutex_t mutex;
    struct lock *next;
};

static struct lock *locks; // all that this process has opened
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static struct lock *add_lock(const char *key) {
    struct lock *lock = calloc(1, sizeof *lock);

    lock->key = strdup(key);
    lock->mutex = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    lock->next = locks;
    locks = lock;
    return lock;
}

struct lock *lock_open(const char *key, int lease_ms) {
    (void)lease_ms;
    pthread_mutex_lock(&guard);
    struct lock *lock = locks;
    while (lock && strcmp(lock->key, key) != 0)
        lock = lock->next;
    if (!lock)
        lock = add_lock(key);
    pthread_mutex_unlock(&guard);
    return lock;
}

enum lock_result lock_acquire(struct lock *lock) {
    return pthread_mutex_trylock(&lock->mutex) == 0 ? LOCK_OK : LOCK_BUSY;
}

enum lock_result lock_release(struct lock *lock) {
    return pthread_mutex_unlock(&lock->mutex) == 0 ? LOCK_OK : LOCK_LOST;
}

// The mutex stays: whoever opens this key next must find the same one.
void lock_close(struct lock *lock) {
    (void)lock;
}
