// Stage 0: a mutex, the lock that everybody starts with.
//
// There is nothing to mend yet: between the threads of one process a mutex is
// right. It is recursive, so that its owner can take it again in an inner
// function. It rests on memory that all who want the lock share.
//
// Still open: two processes share no memory, so each has a mutex of its own.
//     ./scenarios/two_processes
//     ./scenarios/matrix --stage 0
#include "lock.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

struct lock {
    pthread_mutex_t *mutex;
};

struct lock *lock_open(const char *key, int lease_ms) {
    struct lock *lock = calloc(1, sizeof *lock);

    (void)key;
    (void)lease_ms;
    lock->mutex = &mutex;
    return lock;
}

enum lock_result lock_acquire(struct lock *lock) {
    return pthread_mutex_trylock(lock->mutex) == 0 ? LOCK_OK : LOCK_BUSY;
}

enum lock_result lock_release(struct lock *lock) {
    return pthread_mutex_unlock(lock->mutex) == 0 ? LOCK_OK : LOCK_LOST;
}

void lock_close(struct lock *lock) {
    free(lock);
}
