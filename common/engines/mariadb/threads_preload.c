// The threads of a MariaDB server: part of build/clock.so.
//
// A thread that serves a client and waits for a lock waits by the world's clock
// alone, and the world sees the wait in the server's page. All other threads of
// the server keep real time.
#include "machine/waits_preload.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NS = 1000000000 };

// Is there, in MariaDB's server alone.
extern void my_timer_init(void) __attribute__((weak));

// Does this thread serve a client? Then it reads from a socket before it waits
// for anything else.
static _Thread_local int serves;

// Until when those of MariaDB's threads have waited that serve nobody
// (wait_really()). For all of them, that time has come: otherwise a timer of
// the server's would find each time that it is too early. And if only the
// thread that has waited knew of it, a timer that another one sets would be
// over at once, again and again.
static _Atomic int64_t waited_ns;

static void note_waited(int64_t until_ns) {
    int64_t before_ns = waited_ns;

    while (before_ns < until_ns &&
           !atomic_compare_exchange_weak(&waited_ns, &before_ns, until_ns))
        continue;
}

static int listens; // it is done with its start

// At its start MariaDB measures how finely its clock goes: it reads the clock
// until it has changed three times. On a clock that stands still it reads it
// some twenty million times, and that takes longer than all the rest of its
// start. So until it listens to clients, the clock of its main thread goes on
// by a microsecond with each look.
static int64_t looked_ns(void) {
    enum { TICK_NS = 1000 };
    static int64_t looks;

    return listens || gettid() != getpid() ? 0 : ++looks * TICK_NS;
}

int listen(int fd, int backlog) {
    listens = 1;
    return (int)syscall(SYS_listen, fd, backlog);
}

static int64_t wall_of_thread_ns(void) {
    int64_t ns = preload_wall_ns(), by_waits_ns = waited_ns;

    if (serves || !my_timer_init)
        return ns;
    return (by_waits_ns > ns ? by_waits_ns : ns) + looked_ns();
}

PRELOAD_RULE static void enter(void) {
    static const struct clock_program server = {
        .wall_of_thread_ns = wall_of_thread_ns,
    };

    if (my_timer_init)
        preload_rule(&server);
}

static _Thread_local struct server_wait *wait; // in the page; NULL: none
static pthread_key_t at_end; // of a thread that has waited
static _Thread_local int64_t last_until_ns; // of its request's last wait

static void forget_wait(void) {
    if (wait)
        wait->state = WAIT_FREE;
    wait = NULL;
}

static void forget_at_end(void *is_set) {
    (void)is_set;
    forget_wait();
}

__attribute__((constructor)) static void note_ends(void) {
    if (pthread_key_create(&at_end, forget_at_end))
        preload_exit("lockstep: no key is left for a thread's end\n");
}

ssize_t recv(int fd, void *bytes, size_t length, int flags) {
    serves = 1;
    last_until_ns = 0;
    forget_wait();
    return syscall(SYS_recvfrom, fd, bytes, length, flags, NULL, NULL);
}

// The world sees in the page which threads wait, and until when.
static void show_wait(int64_t until_ns) {
    if (wait && wait->until_ns == until_ns)
        return;
    forget_wait();
    pthread_setspecific(at_end, &at_end);
    for (int i = 0; i < SERVER_WAITS; i++) {
        uint32_t state = WAIT_FREE;
        struct server_wait *free = &preload_own->server_waits[i];
        if (!atomic_compare_exchange_strong(&free->state, &state, WAIT_TAKEN))
            continue;
        wait = free;
        wait->until_ns = until_ns;
        wait->thread = (uint64_t)pthread_self();
        wait->state = WAIT_SHOWN;
        return;
    }
    preload_exit("lockstep: too many threads wait for a condition\n");
}

// In real time for as long as it would be by this thread's clock.
static int wait_really(pthread_cond_t *condition, pthread_mutex_t *mutex,
                       int64_t ns) {
    struct timespec until;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &until);
    ns = (ns < 0 ? 0 : ns) + until.tv_nsec;
    until.tv_sec += ns / NS;
    until.tv_nsec = ns % NS;
    return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &until);
}

// A thread that waits until a time of the wall clock. If it serves a client (it
// waits for another client's lock), the world says when that time has come. The
// server's other threads do what no client notices, such as writing pages to
// the disk; some of it is only done when such a wait is over. It is the same
// with waits that are shorter than any for a lock can be, unless only the rest
// of a longer one is left.
//
// A signal that comes between two moments wakes nobody. So the caller is woken
// now and then without a reason, as POSIX allows, and looks by itself whether
// it has to wait on. Until then its wait stays in the page.
int pthread_cond_timedwait(pthread_cond_t *restrict condition,
                           pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
    int64_t until_ns = until->tv_sec * (int64_t)NS + until->tv_nsec;
    enum { MOMENT_NS = 2000000, MOMENTS = 25, SHORTEST_NS = NS };
    int error = ETIMEDOUT;

    if (!preload_page || preload_is_client() || !preload_is_wall(until))
        return pthread_cond_clockwait(condition, mutex,
                                      preload_is_wall(until)
                                          ? CLOCK_REALTIME : CLOCK_MONOTONIC,
                                      until);
    if (!serves || (until_ns != last_until_ns &&
                    until_ns - preload_wall_ns() < SHORTEST_NS)) {
        error = wait_really(condition, mutex, until_ns - wall_of_thread_ns());
        if (error == ETIMEDOUT && !serves)
            note_waited(until_ns);
        return error;
    }
    last_until_ns = until_ns;
    show_wait(until_ns);
    for (int i = 0; i < MOMENTS && error == ETIMEDOUT &&
                    preload_wall_ns() < until_ns; i++)
        error = wait_really(condition, mutex, MOMENT_NS);
    if (error == ETIMEDOUT && preload_wall_ns() < until_ns)
        return 0;
    forget_wait();
    return error;
}

// A thread that serves a client and waits without a limit is in the page, too.
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    static const struct timespec never = {.tv_sec = INT_MAX};

    if (!preload_page || preload_is_client())
        return wait_for_condition(condition, mutex);
    if (serves)
        show_wait(SERVER_WAIT_ENDLESS);
    int error = pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC,
                                       &never);
    if (serves)
        forget_wait();
    return error;
}
