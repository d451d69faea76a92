// A library that is preloaded into MariaDB's server, before the world's. It
// makes threads late at those instants at which the server says something that
// is not true yet, or not any more. A machine with much to do does the same now
// and then.
//
// - The server says that a transaction waits for a row. Its thread has yet to
//   look at the clock, to know until when.
// - A thread that waits for a row looks again and again whether it has to wait
//   on, also when little of its time is left.
// - The time of a thread is over. The server says that it waits until the
//   thread has found that nobody reads that list at this moment.
//
// tests/test_roads.py compares a run's bytes with and without it. LATE names a
// file to which a letter is added for each pause, so that the test knows that
// there was one of each kind.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000, NS = 1000000000 };

static _Thread_local int wants_row; // it was asked to lock one
static _Thread_local int is_over;   // its wait, and others are not told yet
static _Atomic int some_wait;       // threads that have begun to, for a row

static void pause_ms(int ms, char kind) {
    int notes = open(getenv("LATE"), O_WRONLY | O_APPEND);

    if (write(notes, &kind, 1) != 1)
        abort();
    close(notes);
    nanosleep(&(struct timespec){.tv_nsec = (long)ms * MS}, NULL);
}

// The same function of the library that is preloaded after this one.
static void *next(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

ssize_t recv(int fd, void *bytes, size_t length, int flags) {
    static ssize_t (*receive)(int, void *, size_t, int);
    static const char locks[] = "FOR UPDATE", skips[] = "SKIP LOCKED";

    if (!receive)
        *(void **)&receive = next("recv");
    ssize_t got = receive(fd, bytes, length, flags);
    size_t there = got > 0 ? (size_t)got : 0;
    wants_row = memmem(bytes, there, locks, strlen(locks)) &&
                !memmem(bytes, there, skips, strlen(skips));
    return got;
}

int clock_gettime(clockid_t id, struct timespec *to) {
    static int (*get)(clockid_t, struct timespec *);

    if (!get)
        *(void **)&get = next("clock_gettime");
    if (wants_row && id == CLOCK_REALTIME)
        pause_ms(5, 'c');
    return get(id, to);
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition,
                           pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
    static int (*wait)(pthread_cond_t *, pthread_mutex_t *,
                       const struct timespec *);

    if (!wait)
        *(void **)&wait = next("pthread_cond_timedwait");
    some_wait += wants_row;
    int error = wait(condition, mutex, until);
    is_over = wants_row && error == ETIMEDOUT;
    if (is_over)
        pause_ms(2, 'o'); // somebody begins to read the list
    else
        some_wait -= wants_row;
    return error;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    static int (*unlock)(pthread_mutex_t *);

    if (!unlock)
        *(void **)&unlock = next("pthread_mutex_unlock");
    int error = unlock(mutex);
    if (is_over) {
        pause_ms(60, 'u');
        some_wait--;
    }
    is_over = 0;
    return error;
}

// The list of those who wait takes long to print.
size_t fwrite(const void *from, size_t size, size_t count, FILE *to) {
    static size_t (*write_all)(const void *, size_t, size_t, FILE *);
    static const char waits[] = "LOCK WAIT ";

    if (!write_all)
        *(void **)&write_all = next("fwrite");
    if (some_wait && size * count == strlen(waits) &&
        memcmp(from, waits, strlen(waits)) == 0)
        pause_ms(5, 'p');
    return write_all(from, size, count, to);
}

// How the world's library waits for a moment. (It also waits without a limit in
// this way.)
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           clockid_t clock, const struct timespec *until) {
    static int (*wait)(pthread_cond_t *, pthread_mutex_t *, clockid_t,
                       const struct timespec *);
    struct timespec soon;

    if (!wait)
        *(void **)&wait = next("pthread_cond_clockwait");
    clock_gettime(clock, &soon);
    soon.tv_nsec += MS / 10;
    soon.tv_sec += soon.tv_nsec / NS;
    soon.tv_nsec %= NS;
    return wait(condition, mutex, clock,
                wants_row && until->tv_sec != INT_MAX ? &soon : until);
}
