// The timers of a client (timerfd): each is an eventfd, into which the world
// writes when its time has come.
#include "waits_preload.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { NS = 1000000000, MAX_TIMERS = 16 };

static pthread_mutex_t timers_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct timer {
    int made; // there is one
    int fd;
    clockid_t id;
    int wait; // where it is announced; 0: it is not set
} timers[MAX_TIMERS];

static struct timer *find_timer(int fd) {
    for (int i = 0; i < MAX_TIMERS; i++)
        if (timers[i].made && timers[i].fd == fd)
            return &timers[i];
    return NULL;
}

int timerfd_create(clockid_t id, int flags) {
    if (!preload_is_client())
        return (int)syscall(SYS_timerfd_create, id, flags);
    int fd = eventfd(0, flags); // EFD_CLOEXEC is TFD_CLOEXEC, and so on
    if (fd < 0)
        return fd;
    pthread_mutex_lock(&timers_mutex);
    struct timer *timer = find_timer(fd); // one that was closed
    for (int i = 0; i < MAX_TIMERS && !timer; i++)
        if (!timers[i].made)
            timer = &timers[i];
    if (!timer)
        preload_exit("lockstep: a client has more than 16 timers\n");
    if (timer->wait)
        close(timer->wait);
    *timer = (struct timer){.made = 1, .fd = fd, .id = id};
    pthread_mutex_unlock(&timers_mutex);
    return fd;
}

static int64_t timer_deadline_ns(const struct timer *timer,
                                 const struct timespec *time, int flags) {
    int64_t ns = time->tv_sec * (int64_t)NS + time->tv_nsec;

    return wait_end_ns(flags & TFD_TIMER_ABSTIME
                           ? preload_left_ns(time, timer->id) : ns);
}

// Forgets when it was to ring, and that it has rung.
static void timer_off(struct timer *timer) {
    struct pollfd rung = {.fd = timer->fd, .events = POLLIN};
    eventfd_t times;

    if (timer->wait)
        close(timer->wait);
    timer->wait = 0;
    if (poll(&rung, 1, 0) > 0)
        eventfd_read(timer->fd, &times);
}

static void timer_on(struct timer *timer, int64_t deadline_ns, clockid_t id) {
    if (deadline_ns <= preload_page->now_ns) {
        eventfd_write(timer->fd, 1);
        return;
    }
    timer->wait = wait_announce_timer(deadline_ns, id,
                                      (int)(timer - timers), timer->fd);
}

int timerfd_settime(int fd, int flags, const struct itimerspec *new,
                    struct itimerspec *old) {
    const struct timespec *value = &new->it_value;

    if (!preload_is_client())
        return (int)syscall(SYS_timerfd_settime, fd, flags, new, old);
    pthread_mutex_lock(&timers_mutex);
    struct timer *timer = find_timer(fd);
    if (!timer || old || new->it_interval.tv_sec || new->it_interval.tv_nsec)
        preload_exit("lockstep: a timer that rings again and again is not "
                     "known in virtual time\n");
    timer_off(timer);
    if (value->tv_sec || value->tv_nsec)
        timer_on(timer, timer_deadline_ns(timer, value, flags),
                 wait_clock(timer->id, flags & TFD_TIMER_ABSTIME));
    pthread_mutex_unlock(&timers_mutex);
    return 0;
}
