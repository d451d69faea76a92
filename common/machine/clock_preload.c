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
// later it wakes. (What is longer may be a token, and stays random.)
//
// This file calls neither dlsym() nor malloc(): redis-server's allocator asks
// for the time before either of them works. (libfaketime hangs there.) It asks
// the kernel directly for what is not virtual.
#include "clock_page.h"
#include "container_preload.h"
#include "fork_server_page.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
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

static struct clock_page *page; // NULL: no world, real time
static unsigned slot;
static struct sockaddr_un waits; // where waits are announced; empty: a server

// Ends the process with this line. It must not go on in real time: the verdict
// of such a run would mean nothing.
__attribute__((noreturn)) static void exit_with(const char *line) {
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
    void *memory = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE,
                        MAP_SHARED, fd, 0);
    close(fd);
    if (memory == MAP_FAILED)
        exit_with("lockstep: the world's clock cannot be mapped\n");
    slot = (unsigned)atoi(number) % CLOCK_SLOTS;
    if (waits_path) {
        waits.sun_family = AF_UNIX;
        strncpy(waits.sun_path, waits_path, sizeof waits.sun_path - 1);
    }
    page = memory;
    if (waits_path)
        container_enter(&page->first[slot], slot);
    else // nobody may take a server's connections from it
        prctl(PR_SET_DUMPABLE, 0);
}

__attribute__((constructor)) static void begin(void) {
    fork_server_wait();
    join_world();
}

static int is_client(void) {
    return waits.sun_path[0] != '\0';
}

static int64_t wall_ns(void) {
    return CLOCK_EPOCH_S * NS + page->now_ns + page->skew_ns[slot];
}

// Does this thread serve a client? Then it reads from a socket before it waits
// for anything else.
static _Thread_local int serves;

// Is there, in MariaDB.
extern void my_timer_init(void) __attribute__((weak));

static int is_mariadb(void) {
    return my_timer_init != NULL;
}

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

// At its start MariaDB measures how finely its clock goes: it reads it until it
// has changed three times, and on a clock that stands still some twenty million
// times, which takes longer than all the rest of its start. So until it listens
// to clients, the clock of its main thread goes on by a microsecond with each
// look.
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
    int64_t ns = wall_ns(), by_waits_ns = waited_ns;

    if (serves || !is_mariadb())
        return ns;
    return (by_waits_ns > ns ? by_waits_ns : ns) + looked_ns();
}

// It is never wrong (no skew). It counts from the start of a machine, and each
// client runs on one of its own.
static int64_t monotonic_ns(void) {
    int64_t machine = is_client() ? slot : 0;

    return (CLOCK_MONOTONIC_S + machine * CLOCK_APART_S) * NS + page->now_ns;
}

// "4711 (client) S 4700 …": does it sleep? Also if nobody can say.
static int main_thread_sleeps(void) {
    char text[64] = "";
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    const char *end = length > 0 ? strrchr(text, ')') : NULL;
    return !end || end[1] == '\0' || end[2] != 'R';
}

// Is there, in a client that uses libzookeeper.
extern int zookeeper_interest(void) __attribute__((weak));

// That library's thread gives the main thread an answer, looks at the clock,
// and says that it is alive if nothing was sent for long. The main thread has
// its turn before it: otherwise chance would decide which of the two sends
// first.
static void let_main_thread_rest(void) {
    static const struct timespec moment = {.tv_nsec = 20000};
    enum { YIELDS = 100, MOMENTS = 20000 };

    if (!zookeeper_interest || gettid() == getpid())
        return;
    for (int i = 0; i < MOMENTS && !main_thread_sleeps(); i++)
        if (i < YIELDS)
            sched_yield();
        else
            syscall(SYS_nanosleep, &moment, NULL);
}

int clock_gettime(clockid_t id, struct timespec *to) {
    int64_t ns;

    if (page && is_client())
        let_main_thread_rest();
    if (page && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        ns = wall_of_thread_ns();
    else if (page && is_client() &&
             (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW ||
              id == CLOCK_MONOTONIC_COARSE || id == CLOCK_BOOTTIME))
        ns = monotonic_ns();
    else
        return (int)syscall(SYS_clock_gettime, id, to);
    if (is_client())
        page->reads[slot]++;
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
        exit_with("lockstep: cannot announce a wait to the world\n");
    return fd;
}

int poll(struct pollfd *fds, nfds_t count, int ms) {
    struct pollfd both[MAX_POLLED + 1];

    if (!page || !is_client() || ms <= 0)
        return kernel_poll(fds, count, ms);
    if (count > MAX_POLLED)
        exit_with("lockstep: cannot wait for more than 16 descriptors\n");
    int wait = announce_wait(
        (struct announced_wait){page->now_ns + ms * 1000000LL, thread_number()},
        -1);
    memcpy(both, fds, count * sizeof *fds);
    both[count] = (struct pollfd){.fd = wait, .events = POLLIN};
    int ready = kernel_poll(both, count + 1, -1);
    int error = errno;
    close(wait);
    memcpy(fds, both, count * sizeof *fds);
    errno = error;
    return ready > 0 && both[count].revents ? ready - 1 : ready;
}

// One can wait until a time of the wall clock or of the monotonic one. No
// machine has run for three years: so the number says which.
static int is_wall(const struct timespec *until) {
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
    if (!page || !is_client())
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
        exit_with("lockstep: a client has more than 16 timers\n");
    if (timer->wait)
        close(timer->wait);
    *timer = (struct timer){.made = 1, .fd = fd};
    pthread_mutex_unlock(&timers_mutex);
    return fd;
}

static int64_t timer_deadline_ns(const struct timespec *time, int flags) {
    int64_t ns = time->tv_sec * (int64_t)NS + time->tv_nsec;

    if (!(flags & TFD_TIMER_ABSTIME))
        return page->now_ns + ns;
    return page->now_ns + ns - (is_wall(time) ? wall_ns() : monotonic_ns());
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

    if (deadline_ns <= page->now_ns) {
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

    if (!page || !is_client())
        return (int)syscall(SYS_timerfd_settime, fd, flags, new, old);
    pthread_mutex_lock(&timers_mutex);
    struct timer *timer = find_timer(fd);
    if (!timer || old || new->it_interval.tv_sec || new->it_interval.tv_nsec)
        exit_with("lockstep: a timer that rings again and again is not known "
                  "in virtual time\n");
    timer_off(timer);
    if (value->tv_sec || value->tv_nsec)
        timer_on(timer, timer_deadline_ns(value, flags));
    pthread_mutex_unlock(&timers_mutex);
    return 0;
}

static _Thread_local struct kept_wait *kept; // in the page; NULL: it waits not
static pthread_key_t at_end; // of a thread that has waited
static _Thread_local int64_t last_until_ns; // of its request's last kept wait

static void forget_wait(void) {
    if (kept)
        kept->owner = 0;
    kept = NULL;
}

static void forget_at_end(void *is_set) {
    (void)is_set;
    forget_wait();
}

__attribute__((constructor)) static void note_ends(void) {
    if (pthread_key_create(&at_end, forget_at_end))
        exit_with("lockstep: no key is left for a thread's end\n");
}

ssize_t recv(int fd, void *bytes, size_t length, int flags) {
    serves = 1;
    last_until_ns = 0;
    forget_wait();
    return syscall(SYS_recvfrom, fd, bytes, length, flags, NULL, NULL);
}

// The world sees in the page which threads wait, and until when.
static void keep_wait(int64_t until_ns) {
    if (kept && kept->until_ns == until_ns)
        return;
    forget_wait();
    pthread_setspecific(at_end, &at_end);
    for (int i = 0; i < KEPT_WAITS; i++) {
        uint32_t nobody = 0;
        struct kept_wait *wait = &page->kept_waits[i];
        if (!atomic_compare_exchange_strong(&wait->owner, &nobody, UINT_MAX))
            continue;
        wait->until_ns = until_ns;
        wait->thread = (uint64_t)pthread_self();
        wait->owner = slot + 1;
        kept = wait;
        return;
    }
    exit_with("lockstep: too many threads wait for a condition\n");
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
// it has to wait on; until then its wait stays in the page.
int pthread_cond_timedwait(pthread_cond_t *restrict condition,
                           pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
    int64_t until_ns = until->tv_sec * (int64_t)NS + until->tv_nsec;
    enum { MOMENT_NS = 2000000, MOMENTS = 25, SHORTEST_NS = NS };
    int error = ETIMEDOUT;

    if (!page || is_client() || !is_wall(until))
        return pthread_cond_clockwait(condition, mutex,
                                      is_wall(until) ? CLOCK_REALTIME
                                                     : CLOCK_MONOTONIC, until);
    if (!serves || (until_ns != last_until_ns &&
                    until_ns - wall_ns() < SHORTEST_NS)) {
        error = wait_really(condition, mutex, until_ns - wall_of_thread_ns());
        if (error == ETIMEDOUT && !serves)
            note_waited(until_ns);
        return error;
    }
    last_until_ns = until_ns;
    keep_wait(until_ns);
    for (int i = 0; i < MOMENTS && error == ETIMEDOUT && wall_ns() < until_ns;
         i++)
        error = wait_really(condition, mutex, MOMENT_NS);
    if (error == ETIMEDOUT && wall_ns() < until_ns)
        return 0;
    forget_wait();
    return error;
}

// A thread that serves a client and waits without a limit is in the page, too.
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    static const struct timespec never = {.tv_sec = INT_MAX};
    int is_seen = page && !is_client() && serves;

    if (is_seen)
        keep_wait(KEPT_WITHOUT_END);
    int error = pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC,
                                       &never);
    if (is_seen)
        forget_wait();
    return error;
}

ssize_t getrandom(void *bytes, size_t length, unsigned flags) {
    enum { PAUSE_LENGTH = 4 };

    if (!page || !is_client() || length > PAUSE_LENGTH)
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

    if (page && is_client() && made == 0 && fd < MAX_FDS)
        number[fd] = ++connections;
    return made;
}

static void note_limit(int fd, const struct timeval *limit) {
    int connection = fd >= 0 && fd < MAX_FDS ? number[fd] : 0;

    if (connection > 0 && connection <= CLOCK_CONNECTIONS)
        page->limit_ns[slot][connection - 1] =
            limit->tv_sec * (int64_t)NS + limit->tv_usec * INT64_C(1000);
}

int setsockopt(int fd, int level, int name, const void *value,
               socklen_t length) {
    if (page && is_client() && level == SOL_SOCKET &&
        (name == SO_RCVTIMEO || name == SO_SNDTIMEO)) {
        if (name == SO_RCVTIMEO && length == sizeof(struct timeval))
            note_limit(fd, value);
        return 0;
    }
    return (int)syscall(SYS_setsockopt, fd, level, name, value, length);
}
