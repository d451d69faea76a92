// The waits of a client in which a thread waits for a descriptor, or sleeps.
//
// A wait with a limit is announced to the world, each on a connection of its
// own: until when it lasts, and which thread waits. For the kernel it has no
// limit. When its time has come, the world writes a byte to the connection, so
// the thread waits for that one, too. When the wait ends for another reason,
// this process closes the connection, and the world sees that.
#include "waits_preload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { NS = 1000000000, MS_NS = 1000000, MAX_POLLED = 256 };

// --- announcing --------------------------------------------------------------

int64_t wait_end_ns(int64_t left) {
    return preload_page->now_ns + (left > 0 ? left : 0);
}

static int64_t thread_number(void) {
    static _Atomic int64_t others;
    static _Thread_local int64_t number;
    pid_t process = (pid_t)syscall(SYS_getpid);

    if (number == 0 && gettid() != getpid())
        number = ++others;
    return process == preload_own->first
               ? number : WAIT_OF_CHILD + number;
}

// If the wait is a timer's, the world gets the timer's descriptor with it.
static int send_wait(int fd, struct announced_wait wait, int timer) {
    struct iovec bytes = {&wait, sizeof wait};
    union {
        char room[CMSG_SPACE(sizeof timer)];
        struct cmsghdr head;
    } with = {.head = {CMSG_LEN(sizeof timer), SOL_SOCKET, SCM_RIGHTS}};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};

    if (timer >= 0) {
        memcpy(CMSG_DATA(&with.head), &timer, sizeof timer);
        message.msg_control = &with;
        message.msg_controllen = sizeof with;
    }
    return sendmsg(fd, &message, 0) == sizeof wait;
}

// Does this clock go on while the machine is suspended?
static int goes_on(clockid_t id) {
    return id == CLOCK_REALTIME || id == CLOCK_BOOTTIME;
}

clockid_t wait_clock(clockid_t id, int for_an_instant) {
    return id == CLOCK_REALTIME && !for_an_instant ? CLOCK_MONOTONIC : id;
}

// If a signal interrupts connect(), it is called again.
static int announce(struct announced_wait wait, int timer) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr_un *waits = preload_waits();
    int made;

    do {
        made = (int)syscall(SYS_connect, fd, waits, sizeof *waits);
    } while (made < 0 && errno == EINTR);
    if (made < 0 || !send_wait(fd, wait, timer))
        preload_exit("lockstep: cannot announce a wait to the world\n");
    return fd;
}

int wait_announce(int64_t until_ns, clockid_t id) {
    return announce((struct announced_wait){until_ns, thread_number(),
                                            goes_on(id)}, -1);
}

int wait_announce_timer(int64_t until_ns, clockid_t id, int number, int timer) {
    return announce((struct announced_wait){until_ns, WAIT_OF_TIMER + number,
                                            goes_on(id)}, timer);
}

static int64_t ns_of(const struct timespec *time) {
    return time->tv_sec * (int64_t)NS + time->tv_nsec;
}

// --- poll --------------------------------------------------------------------

static int kernel_poll(struct pollfd *fds, nfds_t count,
                       const struct timespec *limit, const sigset_t *mask) {
    return (int)syscall(SYS_ppoll, fds, count, limit, mask,
                        (size_t)(_NSIG / 8));
}

int wait_in_kernel(struct pollfd *fds, nfds_t count, const sigset_t *mask) {
    return kernel_poll(fds, count, NULL, mask);
}

static int poll_until(struct pollfd *fds, nfds_t count, int64_t until_ns,
                      const sigset_t *mask) {
    struct pollfd both[MAX_POLLED + 1];

    if (count > MAX_POLLED)
        preload_exit("lockstep: cannot wait for more than 256 descriptors\n");
    int wait = wait_announce(until_ns, CLOCK_MONOTONIC);
    memcpy(both, fds, count * sizeof *fds);
    both[count] = (struct pollfd){.fd = wait, .events = POLLIN};
    int ready = wait_in_kernel(both, count + 1, mask);
    int error = errno;
    close(wait);
    memcpy(fds, both, count * sizeof *fds);
    errno = error;
    return ready > 0 && both[count].revents ? ready - 1 : ready;
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit,
          const sigset_t *mask) {
    if (!preload_is_client() || !limit || ns_of(limit) <= 0)
        return kernel_poll(fds, count, limit, mask);
    return poll_until(fds, count, wait_end_ns(ns_of(limit)), mask);
}

int poll(struct pollfd *fds, nfds_t count, int ms) {
    const struct timespec limit = {ms / 1000, ms % 1000 * (long)MS_NS};

    return ppoll(fds, count, ms < 0 ? NULL : &limit, NULL);
}

// As the compiler calls them where it knows how long the list is.
int poll_checked(struct pollfd *fds, nfds_t count, int ms, size_t size)
    __asm__("__poll_chk");
int ppoll_checked(struct pollfd *fds, nfds_t count,
                  const struct timespec *limit, const sigset_t *mask,
                  size_t size) __asm__("__ppoll_chk");

int poll_checked(struct pollfd *fds, nfds_t count, int ms, size_t size) {
    if (size / sizeof *fds < count)
        abort();
    return poll(fds, count, ms);
}

int ppoll_checked(struct pollfd *fds, nfds_t count,
                  const struct timespec *limit, const sigset_t *mask,
                  size_t size) {
    if (size / sizeof *fds < count)
        abort();
    return ppoll(fds, count, limit, mask);
}

// --- epoll -------------------------------------------------------------------

static int kernel_epoll(int epoll, struct epoll_event *events, int most, int ms,
                        const sigset_t *mask) {
    return (int)syscall(SYS_epoll_pwait, epoll, events, most, ms, mask,
                        (size_t)(_NSIG / 8));
}

// An epoll descriptor can be waited for like any other.
static int epoll_until(int epoll, struct epoll_event *events, int most,
                       int64_t until_ns, const sigset_t *mask) {
    int wait = wait_announce(until_ns, CLOCK_MONOTONIC);
    struct pollfd both[] = {{.fd = epoll, .events = POLLIN},
                            {.fd = wait, .events = POLLIN}};
    int ready = wait_in_kernel(both, 2, mask), error = errno;

    close(wait);
    errno = error;
    return ready < 0 || !both[0].revents
               ? (ready < 0 ? ready : 0)
               : kernel_epoll(epoll, events, most, 0, NULL);
}

int epoll_pwait(int epoll, struct epoll_event *events, int most, int ms,
                const sigset_t *mask) {
    if (!preload_is_client() || ms <= 0)
        return kernel_epoll(epoll, events, most, ms, mask);
    return epoll_until(epoll, events, most, wait_end_ns(ms * (int64_t)MS_NS),
                       mask);
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int ms) {
    return epoll_pwait(epoll, events, most, ms, NULL);
}

int epoll_pwait2(int epoll, struct epoll_event *events, int most,
                 const struct timespec *limit, const sigset_t *mask) {
    if (!preload_is_client() || !limit || ns_of(limit) <= 0)
        return (int)syscall(SYS_epoll_pwait2, epoll, events, most, limit, mask,
                            (size_t)(_NSIG / 8));
    return epoll_until(epoll, events, most, wait_end_ns(ns_of(limit)), mask);
}

// --- select ------------------------------------------------------------------

static int kernel_select(int count, fd_set *reads, fd_set *writes,
                         fd_set *others, const struct timespec *limit,
                         const sigset_t *mask) {
    const struct {
        const sigset_t *mask;
        size_t size;
    } signals = {mask, _NSIG / 8};
    struct timespec left = limit ? *limit : (struct timespec){0};

    return (int)syscall(SYS_pselect6, count, reads, writes, others,
                        limit ? &left : NULL, &signals);
}

int pselect(int count, fd_set *reads, fd_set *writes, fd_set *others,
            const struct timespec *limit, const sigset_t *mask) {
    fd_set with_wait;

    if (!preload_is_client() || !limit || ns_of(limit) <= 0)
        return kernel_select(count, reads, writes, others, limit, mask);
    int wait = wait_announce(wait_end_ns(ns_of(limit)), CLOCK_MONOTONIC);
    if (wait >= FD_SETSIZE)
        preload_exit("lockstep: select() cannot wait for so many descriptors\n");
    FD_ZERO(&with_wait);
    if (reads)
        with_wait = *reads;
    FD_SET(wait, &with_wait);
    int ready = kernel_select(wait < count ? count : wait + 1, &with_wait,
                              writes, others, NULL, mask);
    int error = errno, is_over = ready > 0 && FD_ISSET(wait, &with_wait);
    FD_CLR(wait, &with_wait);
    if (reads && ready > 0)
        *reads = with_wait;
    close(wait);
    errno = error;
    return ready - is_over;
}

int select(int count, fd_set *restrict reads, fd_set *restrict writes,
           fd_set *restrict others, struct timeval *restrict limit) {
    const struct timespec time = {limit ? limit->tv_sec : 0,
                                  limit ? limit->tv_usec * 1000 : 0};

    return pselect(count, reads, writes, others, limit ? &time : NULL, NULL);
}

// --- sleep -------------------------------------------------------------------

// Returns an error's number.
static int sleep_until(int64_t until_ns, clockid_t id) {
    struct pollfd wait = {.fd = wait_announce(until_ns, id), .events = POLLIN};
    int error = wait_in_kernel(&wait, 1, NULL) < 0 ? errno : 0;

    close(wait.fd);
    return error;
}

// Less than a millisecond is no time to wait for: such a sleep lets others run.
static int is_short(int flags, const struct timespec *time) {
    return !(flags & TIMER_ABSTIME) && ns_of(time) < MS_NS;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *time,
                    struct timespec *left) {
    int absolute = flags & TIMER_ABSTIME;

    if (!preload_is_client() || is_short(flags, time) ||
        (id != CLOCK_REALTIME && id != CLOCK_MONOTONIC && id != CLOCK_BOOTTIME))
        return syscall(SYS_clock_nanosleep, id, flags, time, left) < 0 ? errno
                                                                       : 0;
    int64_t ns = absolute ? preload_left_ns(time, id) : ns_of(time);
    if (ns <= 0)
        return 0;
    int64_t until_ns = wait_end_ns(ns);
    int error = sleep_until(until_ns, wait_clock(id, absolute));
    int64_t rest_ns = until_ns - preload_page->now_ns;
    if (error && left && !absolute)
        *left = rest_ns > 0 ? (struct timespec){rest_ns / NS, rest_ns % NS}
                            : (struct timespec){0};
    return error;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    int error = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);

    if (error)
        errno = error;
    return error ? -1 : 0;
}

int usleep(useconds_t us) {
    return nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000L},
                     NULL);
}

unsigned sleep(unsigned seconds) {
    struct timespec left = {0};

    return nanosleep(&(struct timespec){.tv_sec = seconds}, &left) < 0
               ? (unsigned)(left.tv_sec + (left.tv_nsec > 0)) : 0;
}
