// The waits of a client in which a thread waits for another thread, with a
// limit: for a condition, or for a semaphore.
//
// Such a thread cannot wait for a descriptor, too. So a thread of our own waits
// for the world's word in its place, and wakes it. At a condition it wakes all
// that wait there, because POSIX lets a thread wake without a reason. At a
// semaphore it interrupts the one with a signal. The world speaks only while
// all threads sleep: so the thread waits there by then.
#include "fork_server_preload.h"
#include "waits_preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { MAX_LIMITED = 64 };

// A thread that waits with a limit. It lives on that thread's stack.
struct limited {
    int wait; // announced
    bool is_over;
    pthread_cond_t *condition; // NULL: a semaphore
    pthread_t thread;
    struct limited *next;
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static struct limited *all;
static int changed = -1; // an eventfd: the list is another one; -1: no thread
                         // of ours runs

static int waking_signal(void) {
    return SIGRTMAX - 2;
}

// --- our own thread ----------------------------------------------------------

static void wake(int wait) {
    for (struct limited *one = all; one; one = one->next) {
        if (one->wait != wait)
            continue;
        one->is_over = true;
        if (one->condition)
            pthread_cond_broadcast(one->condition);
        else
            pthread_kill(one->thread, waking_signal());
    }
}

static void *wait_for_world(void *nothing) {
    struct pollfd fds[1 + MAX_LIMITED];

    for (;;) {
        nfds_t count = 1;
        fds[0] = (struct pollfd){.fd = changed, .events = POLLIN};
        pthread_mutex_lock(&guard);
        for (struct limited *one = all; one; one = one->next)
            if (!one->is_over)
                fds[count++] =
                    (struct pollfd){.fd = one->wait, .events = POLLIN};
        pthread_mutex_unlock(&guard);
        if (wait_in_kernel(fds, count, NULL) < 0)
            continue;
        pthread_mutex_lock(&guard);
        for (nfds_t i = 1; i < count; i++)
            if (fds[i].revents)
                wake(fds[i].fd);
        pthread_mutex_unlock(&guard);
        eventfd_t times;
        if (fds[0].revents)
            eventfd_read(changed, &times);
    }
    return nothing;
}

static void do_nothing(int signal) {
    (void)signal;
}

// Under the guard. A child that was forked has no such thread yet.
static void forget_thread(void) {
    changed = -1;
    all = NULL;
}

static void start_thread(void) {
    const struct sigaction interrupts = {.sa_handler = do_nothing};
    static bool forks_noted;
    sigset_t every, before;
    pthread_t thread;

    changed = eventfd(0, EFD_CLOEXEC);
    sigaction(waking_signal(), &interrupts, NULL);
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    if (changed < 0 || pthread_create(&thread, NULL, wait_for_world, NULL) != 0)
        preload_exit("lockstep: no thread for a client's waits\n");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_detach(thread);
    if (!forks_noted)
        pthread_atfork(NULL, NULL, forget_thread);
    forks_noted = true;
}

// --- a wait ------------------------------------------------------------------

static void begin(struct limited *limited, int64_t ns, clockid_t id) {
    int count = 0;

    limited->wait = wait_announce(wait_end_ns(ns), id);
    limited->thread = pthread_self();
    pthread_mutex_lock(&guard);
    if (changed < 0)
        start_thread();
    limited->next = all;
    all = limited;
    for (struct limited *one = all; one; one = one->next)
        count++;
    if (count > MAX_LIMITED)
        preload_exit("lockstep: more than 64 threads wait with a limit\n");
    pthread_mutex_unlock(&guard);
    eventfd_write(changed, 1);
}

static void end(struct limited *limited) {
    struct limited **link = &all;

    pthread_mutex_lock(&guard);
    while (*link != limited)
        link = &(*link)->next;
    *link = limited->next;
    close(limited->wait);
    pthread_mutex_unlock(&guard);
    eventfd_write(changed, 1);
}

int wait_for_condition(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    int (*next)(pthread_cond_t *, pthread_mutex_t *);

    *(void **)&next = dlsym(RTLD_NEXT, "pthread_cond_wait");
    int place = copied_begin_wait(condition);
    int error = next(condition, mutex);
    copied_end_wait(place);
    return error;
}

int pthread_cond_clockwait(pthread_cond_t *restrict condition,
                           pthread_mutex_t *restrict mutex, clockid_t id,
                           const struct timespec *restrict until) {
    int (*next)(pthread_cond_t *, pthread_mutex_t *, clockid_t,
                const struct timespec *);
    struct limited limited = {.condition = condition};

    *(void **)&next = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
    if (!preload_is_client())
        return next(condition, mutex, id, until);
    int64_t ns = preload_left_ns(until, id);
    if (ns <= 0)
        return ETIMEDOUT;
    begin(&limited, ns, preload_is_wall(until) ? CLOCK_REALTIME : id);
    int error = wait_for_condition(condition, mutex);
    end(&limited);
    return limited.is_over ? ETIMEDOUT : error;
}

int sem_clockwait(sem_t *restrict semaphore, clockid_t id,
                  const struct timespec *restrict until) {
    int (*next)(sem_t *, clockid_t, const struct timespec *);
    struct limited limited = {0};

    *(void **)&next = dlsym(RTLD_NEXT, "sem_clockwait");
    if (!preload_is_client())
        return next(semaphore, id, until);
    if (sem_trywait(semaphore) == 0)
        return 0;
    int64_t ns = preload_left_ns(until, id);
    if (ns > 0) {
        begin(&limited, ns, preload_is_wall(until) ? CLOCK_REALTIME : id);
        int waited = sem_wait(semaphore), error = errno;
        end(&limited);
        errno = error;
        if (waited == 0 || !limited.is_over)
            return waited;
    }
    errno = ETIMEDOUT;
    return -1;
}

int sem_timedwait(sem_t *restrict semaphore,
                  const struct timespec *restrict until) {
    return sem_clockwait(semaphore, CLOCK_REALTIME, until);
}
