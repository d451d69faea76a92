// The library that is preloaded into servers and clients: virtual time.
//
// It replaces the functions of the C library that tell the time. They read the
// wall clock from a page that the world writes, so that a lease of 30 seconds
// passes when the world says so. A server keeps its real monotonic clock,
// because its event loop needs that one. A client has only virtual time: its
// monotonic clock is the world's, too. When a client calls poll() with a
// time-out, it announces this wait to the world, and the world ends the wait
// when its time has come. A timer of a client's (timerfd) is an eventfd, into
// which the world writes. Socket time-outs are counted by the kernel, which
// knows only real time: they are left out, and the world cuts the connection
// instead. A random number of up to four bytes, such as a pause may be made of,
// is 0 in a client: it waits the shortest time, and the world chooses how much
// later it wakes. (A longer number may be a token, and stays random.) For an
// engine's own programs its room has further rules (clock_preload.h).
//
// This file calls neither dlsym() nor malloc(): redis-server's allocator asks
// for the time before either of them works. (libfaketime hangs there.) It asks
// the kernel directly for what is not virtual.
#include "clock_preload.h"
#include "container_preload.h"
#include "fork_server_page.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { NS = 1000000000, MAX_POLLED = 16, MAX_TIMERS = 16 };

struct clock_page *preload_page;
unsigned preload_slot;
static struct sockaddr_un waits; // where waits are announced; empty: a server
static const struct clock_program *program; // NULL: no engine's own

void preload_exit(const char *line) {
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        _exit(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

static void join_world(void) {
    const char *path = getenv(CLOCK_PAGE_VARIABLE);
    const char *number = getenv(CLOCK_SLOT_VARIABLE);
    const char *waits_path = getenv(CLOCK_WAITS_VARIABLE);
    if (!path || !number)
        return;

    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *memory = mmap(NULL, sizeof *preload_page, PROT_READ | PROT_WRITE,
                        MAP_SHARED, fd, 0);
    close(fd);
    if (memory == MAP_FAILED)
        preload_exit("lockstep: the world's clock cannot be mapped\n");
    preload_slot = (unsigned)atoi(number) % CLOCK_SLOTS;
    if (waits_path) {
        waits.sun_family = AF_UNIX;
        strncpy(waits.sun_path, waits_path, sizeof waits.sun_path - 1);
    }
    preload_page = memory;
    if (waits_path)
        container_enter(&preload_page->first[preload_slot], preload_slot);
    else // nobody may take a server's connections from it
        prctl(PR_SET_DUMPABLE, 0);
}

__attribute__((constructor)) static void begin(void) {
    fork_server_wait();
    join_world();
}

void preload_rule(const struct clock_program *rule) {
    program = rule;
}

int preload_is_client(void) {
    return waits.sun_path[0] != '\0';
}

int64_t preload_wall_ns(void) {
    return CLOCK_EPOCH_S * NS + preload_page->now_ns +
           preload_page->skew_ns[preload_slot];
}

// (The monotonic clock has no skew. It counts from the start of a machine, and
// each client has a machine of its own.)
static int64_t monotonic_ns(void) {
    int64_t machine = preload_is_client() ? preload_slot : 0;

    return (CLOCK_MONOTONIC_S + machine * CLOCK_APART_S) * NS +
           preload_page->now_ns;
}

int clock_gettime(clockid_t id, struct timespec *to) {
    int64_t ns;

    if (preload_page && program && program->before_look)
        program->before_look();
    if (preload_page && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        ns = program && program->wall_of_thread_ns
                 ? program->wall_of_thread_ns() : preload_wall_ns();
    else if (preload_page && preload_is_client() &&
             (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW ||
              id == CLOCK_MONOTONIC_COARSE || id == CLOCK_BOOTTIME))
        ns = monotonic_ns();
    else
        return (int)syscall(SYS_clock_gettime, id, to);
    if (preload_is_client())
        preload_page->reads[preload_slot]++;
    to->tv_sec = ns / NS;
    to->tv_nsec = ns % NS;
    return 0;
}

static int kernel_poll(struct pollfd *fds, nfds_t count, int ms) {
    struct timespec limit = {ms / 1000, ms % 1000 * 1000000L};

    return (int)syscall(SYS_ppoll, fds, count, ms < 0 ? NULL : &limit, NULL,
                        (size_t)(_NSIG / 8));
}

static int64_t thread_number(void) {
    static _Atomic int64_t others;
    static _Thread_local int64_t number;

    if (number == 0 && gettid() != getpid())
        number = ++others;
    return number;
}

// Sends the announcement of a wait. If the wait is a timer's, the world gets
// the timer's descriptor with it.
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

static int kernel_connect(int fd, const struct sockaddr *address,
                          socklen_t length) {
    return (int)syscall(SYS_connect, fd, address, length);
}

// Tells the world of a wait. Each wait has a connection of its own. When its
// time has come, the world writes a byte to the connection, or to the timer's
// descriptor. When the wait ends for another reason, this process closes the
// connection, and the world sees that. If a signal interrupts connect(), it is
// called again.
static int announce_wait(struct announced_wait wait, int timer) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int made;

    do {
        made = kernel_connect(fd, (const struct sockaddr *)&waits,
                              sizeof waits);
    } while (made < 0 && errno == EINTR);
    if (made < 0 || !send_wait(fd, wait, timer))
        preload_exit("lockstep: cannot announce a wait to the world\n");
    return fd;
}

int poll(struct pollfd *fds, nfds_t count, int ms) {
    struct pollfd both[MAX_POLLED + 1];

    if (!preload_page || !preload_is_client() || ms <= 0)
        return kernel_poll(fds, count, ms);
    if (count > MAX_POLLED)
        preload_exit("lockstep: cannot wait for more than 16 descriptors\n");
    int64_t until_ns = preload_page->now_ns + ms * 1000000LL;
    int wait = announce_wait(
        (struct announced_wait){until_ns, thread_number()}, -1);
    memcpy(both, fds, count * sizeof *fds);
    both[count] = (struct pollfd){.fd = wait, .events = POLLIN};
    int ready = kernel_poll(both, count + 1, -1);
    int error = errno;
    close(wait);
    memcpy(fds, both, count * sizeof *fds);
    errno = error;
    return ready > 0 && both[count].revents ? ready - 1 : ready;
}

int preload_is_wall(const struct timespec *until) {
    enum { THREE_YEARS_S = 100000000 };
    return until->tv_sec > THREE_YEARS_S;
}

static pthread_mutex_t timers_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct timer {
    int made; // there is one
    int fd;
    int wait; // where it is announced; 0: it is not set
} timers[MAX_TIMERS];

static struct timer *find_timer(int fd) {
    for (int i = 0; i < MAX_TIMERS; i++)
        if (timers[i].made && timers[i].fd == fd)
            return &timers[i];
    return NULL;
}

int timerfd_create(clockid_t id, int flags) {
    if (!preload_page || !preload_is_client())
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
    *timer = (struct timer){.made = 1, .fd = fd};
    pthread_mutex_unlock(&timers_mutex);
    return fd;
}

static int64_t timer_deadline_ns(const struct timespec *time, int flags) {
    int64_t ns = time->tv_sec * (int64_t)NS + time->tv_nsec;

    if (!(flags & TFD_TIMER_ABSTIME))
        return preload_page->now_ns + ns;
    return preload_page->now_ns + ns -
           (preload_is_wall(time) ? preload_wall_ns() : monotonic_ns());
}

// Forgets when it was to ring, and that it has rung.
static void timer_off(struct timer *timer) {
    struct pollfd rung = {.fd = timer->fd, .events = POLLIN};
    eventfd_t times;

    if (timer->wait)
        close(timer->wait);
    timer->wait = 0;
    if (kernel_poll(&rung, 1, 0) > 0)
        eventfd_read(timer->fd, &times);
}

static void timer_on(struct timer *timer, int64_t deadline_ns) {
    enum { FIRST_TIMER = 1000 }; // after all threads

    if (deadline_ns <= preload_page->now_ns) {
        eventfd_write(timer->fd, 1);
        return;
    }
    timer->wait = announce_wait(
        (struct announced_wait){deadline_ns, FIRST_TIMER + (timer - timers)},
        timer->fd);
}

int timerfd_settime(int fd, int flags, const struct itimerspec *new,
                    struct itimerspec *old) {
    const struct timespec *value = &new->it_value;

    if (!preload_page || !preload_is_client())
        return (int)syscall(SYS_timerfd_settime, fd, flags, new, old);
    pthread_mutex_lock(&timers_mutex);
    struct timer *timer = find_timer(fd);
    if (!timer || old || new->it_interval.tv_sec || new->it_interval.tv_nsec)
        preload_exit("lockstep: a timer that rings again and again is not "
                     "known in virtual time\n");
    timer_off(timer);
    if (value->tv_sec || value->tv_nsec)
        timer_on(timer, timer_deadline_ns(value, flags));
    pthread_mutex_unlock(&timers_mutex);
    return 0;
}

ssize_t getrandom(void *bytes, size_t length, unsigned flags) {
    enum { PAUSE_LENGTH = 4 };

    if (!preload_page || !preload_is_client() || length > PAUSE_LENGTH)
        return syscall(SYS_getrandom, bytes, length, flags);
    memset(bytes, 0, length);
    return (ssize_t)length;
}

// --- limits for answers ------------------------------------------------------

enum { MAX_FDS = 256 };

static _Atomic int connections;     // made so far
static _Atomic int number[MAX_FDS]; // of a descriptor's connection, from 1

// connect(), whose declaration takes something that ISO C does not know.
int connect_noted(int fd, const struct sockaddr *address, socklen_t length)
    __asm__("connect");

int connect_noted(int fd, const struct sockaddr *address, socklen_t length) {
    int made = kernel_connect(fd, address, length);

    if (preload_page && preload_is_client() && made == 0 && fd < MAX_FDS)
        number[fd] = ++connections;
    return made;
}

static void note_limit(int fd, const struct timeval *limit) {
    int connection = fd >= 0 && fd < MAX_FDS ? number[fd] : 0;

    if (connection > 0 && connection <= CLOCK_CONNECTIONS)
        preload_page->limit_ns[preload_slot][connection - 1] =
            limit->tv_sec * (int64_t)NS + limit->tv_usec * INT64_C(1000);
}

int setsockopt(int fd, int level, int name, const void *value,
               socklen_t length) {
    if (preload_page && preload_is_client() && level == SOL_SOCKET &&
        (name == SO_RCVTIMEO || name == SO_SNDTIMEO)) {
        if (name == SO_RCVTIMEO && length == sizeof(struct timeval))
            note_limit(fd, value);
        return 0;
    }
    return (int)syscall(SYS_setsockopt, fd, level, name, value, length);
}
