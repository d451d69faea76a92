// The library that is preloaded into a server in a Java virtual machine: time
// stands still in all of it, and its network is a folder.
//
// clock_preload.c leaves a server its real monotonic clock. A Java server
// counts its sessions and its rounds by that clock, so here it is the world's,
// too. A thread that waits for a condition until some time goes on when the
// world's clock has reached it. One thread more waits in the page of the clock
// until time moves, and wakes all whose time has come. So nothing in such a
// process runs by itself, and the world can see that it rests
// (machine/tasks.h).
//
// A Java program of today has no Unix sockets unless it asks for them, and a
// port could be found by others. So each host is a folder: LOCKSTEP_PORTS names
// it, with a number at its end. Port 2181 of 127.0.0.2 is a socket of the name
// 2181 in the folder with a 2. bind() and connect() to a port of the internet
// take that socket. The world can cut one host off from another.
#include "machine/clock_page.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { NS = 1000000000 };

static const struct clock_page *page; // NULL: no world
static struct process_page *own;
static unsigned slot;
static const char *ports; // the folders

static bool is_still(void) {
    return page && page->is_virtual;
}

// --- time --------------------------------------------------------------------

static int64_t wall_ns(void) {
    return CLOCK_EPOCH_S * NS + page->now_ns + page->skew_ns[slot];
}

// (The monotonic clock goes on when the world begins again: it is never set
// back.)
static int64_t monotonic_ns(void) {
    return CLOCK_MONOTONIC_S * NS + page->past_ns + page->now_ns;
}

int clock_gettime(clockid_t id, struct timespec *to) {
    int64_t ns;

    if (is_still() && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        ns = wall_ns();
    else if (is_still() &&
             (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW ||
              id == CLOCK_MONOTONIC_COARSE || id == CLOCK_BOOTTIME))
        ns = monotonic_ns();
    else
        return (int)syscall(SYS_clock_gettime, id, to);
    to->tv_sec = ns / NS;
    to->tv_nsec = ns % NS;
    return 0;
}

// --- waiting -----------------------------------------------------------------

// A wait belongs to its thread, but while it is ENDING: then the thread that
// ends waits uses the condition and the mutex.
enum wait_state { NOBODYS, TAKEN, WAITING, ENDING, ENDED };
enum { MOST_WAITS = 64 };

static struct timed_wait {
    _Atomic int state;
    bool by_wall;
    int64_t until_ns;
    pthread_cond_t *condition;
    pthread_mutex_t *mutex;
} waits[MOST_WAITS];

static bool change(struct timed_wait *wait, int from, int to) {
    return atomic_compare_exchange_strong(&wait->state, &from, to);
}

static int64_t left_ns(const struct timed_wait *wait) {
    return wait->until_ns - (wait->by_wall ? wall_ns() : monotonic_ns());
}

static bool is_over(const struct timed_wait *wait) {
    return left_ns(wait) <= 0;
}

// With the mutex, so that no thread is missed that is about to wait.
static void end_waits(void) {
    for (int i = 0; i < MOST_WAITS; i++) {
        struct timed_wait *wait = &waits[i];
        if (wait->state != WAITING || !is_over(wait) ||
            !change(wait, WAITING, ENDING))
            continue;
        pthread_mutex_lock(wait->mutex);
        pthread_cond_broadcast(wait->condition);
        pthread_mutex_unlock(wait->mutex);
        wait->state = ENDED;
    }
}

static void cut_off(void);

static void *follow_clock(void *nothing) {
    for (;;) {
        uint32_t moves = page->moves;
        end_waits();
        cut_off();
        syscall(SYS_futex, &page->moves, FUTEX_WAIT, moves, NULL, NULL, 0);
    }
    return nothing;
}

__attribute__((noreturn)) static void exit_with(const char *line) {
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        _exit(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

static struct timed_wait *take_wait(void) {
    for (int i = 0; i < MOST_WAITS; i++)
        if (change(&waits[i], NOBODYS, TAKEN))
            return &waits[i];
    exit_with("lockstep: too many threads wait\n");
}

// The caller has the mutex, and gives it away where somebody else is about to
// take it.
static void return_wait(struct timed_wait *wait) {
    if (change(wait, WAITING, NOBODYS))
        return;
    pthread_mutex_unlock(wait->mutex);
    while (wait->state == ENDING)
        sched_yield();
    pthread_mutex_lock(wait->mutex);
    wait->state = NOBODYS;
}

// A condition can be waited for until a time of the wall clock or of the
// monotonic one. No machine has run for three years: so the number says which.
static bool is_wall(const struct timespec *until) {
    enum { THREE_YEARS_S = 100000000 };
    return until->tv_sec > THREE_YEARS_S;
}

static int64_t real_now_ns(void) {
    struct timespec now;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return now.tv_sec * (int64_t)NS + now.tv_nsec;
}

static void stay_awake(int64_t ns) {
    int64_t end_ns = real_now_ns() + ns;

    while (real_now_ns() < end_ns)
        sched_yield();
}

// The virtual machine naps for some microseconds where it waits for its own
// threads. It must not look as if it rested: so it stays awake meanwhile.
int nap_awake(const struct timespec *time, struct timespec *left)
    __asm__("nanosleep");

int nap_awake(const struct timespec *time, struct timespec *left) {
    if (!is_still() || time->tv_sec > 0)
        return (int)syscall(SYS_nanosleep, time, left);
    stay_awake(time->tv_nsec);
    return 0;
}

// The virtual machine waits for a millisecond while another of its threads
// makes a monitor, and then looks again. Nobody signals that. With a clock that
// stands still it would never look. A Java program can wait as shortly, until
// some time, and that wait must end only when the clock moves. The two cannot
// be told apart. So a thread looks again a number of times in a row, and after
// that it waits for the clock.
static bool may_look_again(int64_t ns) {
    enum { MS = NS / 1000, TIMES = 20 };
    static _Thread_local uint32_t moves;
    static _Thread_local int times;

    if (ns <= 0 || ns > MS || moves != page->moves)
        times = 0;
    moves = page->moves;
    return ns > 0 && ns <= MS && times++ < TIMES;
}

// Time can move after the wait is noted and before the thread sleeps. Then the
// thread that ends waits has to wait for the mutex: it is free once the other
// one sleeps.
int pthread_cond_timedwait(pthread_cond_t *restrict condition,
                           pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
    int error = 0;

    if (!is_still())
        return pthread_cond_clockwait(
            condition, mutex, is_wall(until) ? CLOCK_REALTIME : CLOCK_MONOTONIC,
            until);
    struct timed_wait *wait = take_wait();
    wait->by_wall = is_wall(until);
    wait->until_ns = until->tv_sec * (int64_t)NS + until->tv_nsec;
    wait->condition = condition;
    wait->mutex = mutex;
    wait->state = WAITING;
    int64_t left = left_ns(wait);
    bool over = may_look_again(left) || left <= 0;
    if (over) { // others have their turn all the same
        pthread_mutex_unlock(mutex);
        sched_yield();
        stay_awake(left);
        pthread_mutex_lock(mutex);
    } else {
        error = pthread_cond_wait(condition, mutex);
    }
    over |= is_over(wait);
    return_wait(wait);
    return error ? error : over ? ETIMEDOUT : 0;
}

// --- the network -------------------------------------------------------------

static bool is_internet(int family) {
    return page && (family == AF_INET || family == AF_INET6);
}

static int port_of(const struct sockaddr *address) {
    return ntohs(address->sa_family == AF_INET
                     ? ((const struct sockaddr_in *)address)->sin_port
                     : ((const struct sockaddr_in6 *)address)->sin6_port);
}

// The last number of 127.0.0.2.
static int host_of(const struct sockaddr *address) {
    return address->sa_family == AF_INET
               ? ((const unsigned char *)&((const struct sockaddr_in *)address)
                      ->sin_addr)[3]
               : 1;
}

static struct sockaddr_un name_of(const struct sockaddr *address) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};

    snprintf(name.sun_path, sizeof name.sun_path, "%s%d/%d", ports,
             host_of(address), port_of(address));
    return name;
}

// Says that this port of the loopback is the address.
static void say_address(struct sockaddr *address, socklen_t *length,
                        unsigned port) {
    const struct sockaddr_in loopback = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };

    if (!address)
        return;
    memcpy(address, &loopback,
           *length < sizeof loopback ? *length : sizeof loopback);
    *length = sizeof loopback;
}

// The C library declares these with types that only gcc knows.
int bind_here(int fd, const struct sockaddr *address, socklen_t length)
    __asm__("bind");
int connect_here(int fd, const struct sockaddr *address, socklen_t length)
    __asm__("connect");
int accept_here(int fd, struct sockaddr *address, socklen_t *length)
    __asm__("accept");
int getsockname_here(int fd, struct sockaddr *address, socklen_t *length)
    __asm__("getsockname");

// To which hosts this process has connected, by the descriptor. One that was
// closed may still stand here: then it is no socket any more, or a new one.
enum { MOST_FILES = 1024 };

static _Atomic unsigned char peers[MOST_FILES]; // 0: none

static void note_peer(int fd, int host) {
    if (fd >= MOST_FILES)
        exit_with("lockstep: a server has more than 1024 files open\n");
    if (fd >= 0)
        peers[fd] = (unsigned char)host;
}

static bool is_cut_off(int host) {
    return page->cut_off[slot] >> host & 1;
}

static void cut_off(void) {
    for (int fd = 0; page->cut_off[slot] && fd < MOST_FILES; fd++)
        if (peers[fd] && is_cut_off(peers[fd])) {
            peers[fd] = 0;
            shutdown(fd, SHUT_RDWR);
        }
}

int socket(int family, int type, int protocol) {
    bool ours = is_internet(family) && (type & SOCK_STREAM);
    int fd = (int)syscall(SYS_socket, ours ? AF_UNIX : family, type,
                          ours ? 0 : protocol);
    note_peer(fd, 0);
    return fd;
}

int bind_here(int fd, const struct sockaddr *address, socklen_t length) {
    if (!is_internet(address->sa_family))
        return (int)syscall(SYS_bind, fd, address, length);
    struct sockaddr_un name = name_of(address);
    unlink(name.sun_path);
    return (int)syscall(SYS_bind, fd, &name, sizeof name);
}

int connect_here(int fd, const struct sockaddr *address, socklen_t length) {
    if (!is_internet(address->sa_family))
        return (int)syscall(SYS_connect, fd, address, length);
    struct sockaddr_un name = name_of(address);
    int host = host_of(address);
    if (is_cut_off(host)) {
        errno = ECONNREFUSED;
        return -1;
    }
    if (syscall(SYS_connect, fd, &name, sizeof name) < 0)
        return -1;
    note_peer(fd, host);
    own->connected++;
    return 0;
}

// Every connection is counted, and comes from another port.
int accept_here(int fd, struct sockaddr *address, socklen_t *length) {
    enum { FIRST_PORT = 1024 };

    if (!page)
        return (int)syscall(SYS_accept, fd, address, length);
    int connection = (int)syscall(SYS_accept, fd, NULL, NULL);
    note_peer(connection, 0);
    if (connection >= 0)
        say_address(address, length, FIRST_PORT + own->accepted++);
    return connection;
}

int getsockname_here(int fd, struct sockaddr *address, socklen_t *length) {
    struct sockaddr_un name = {0};
    socklen_t size = sizeof name;

    if (!page || syscall(SYS_getsockname, fd, &name, &size) < 0 ||
        name.sun_family != AF_UNIX)
        return (int)syscall(SYS_getsockname, fd, address, length);
    const char *slash = strrchr(name.sun_path, '/');
    say_address(address, length, slash ? (unsigned)atoi(slash + 1) : 0);
    return 0;
}

// A wait for another server has no limit here: the end of a connection is heard
// at once.
int poll_here(struct pollfd *fds, nfds_t count, int ms) __asm__("poll");

int poll_here(struct pollfd *fds, nfds_t count, int ms) {
    return (int)syscall(SYS_poll, fds, count,
                        is_still() && ms > 0 ? -1 : ms);
}

// Options of TCP mean nothing to a Unix socket, and are accepted.
int setsockopt(int fd, int level, int name, const void *value,
               socklen_t length) {
    if (page && level != SOL_SOCKET)
        return 0;
    return (int)syscall(SYS_setsockopt, fd, level, name, value, length);
}

// --- joining the world -------------------------------------------------------

// The thread that follows the clock must get no signal of the virtual machine.
static void start_following(void) {
    pthread_t thread;
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, follow_clock, NULL) != 0)
        _exit(EXIT_FAILURE);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

__attribute__((constructor)) static void begin(void) {
    const char *number = getenv(CLOCK_SLOT_VARIABLE);

    ports = getenv(CLOCK_PORTS_VARIABLE);
    if (!number || !ports)
        return;
    void *memory = mmap(NULL, sizeof *page, PROT_READ, MAP_SHARED,
                        CLOCK_PAGE_FD, 0);
    own = mmap(NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_SHARED,
               PROCESS_PAGE_FD, 0);
    if (memory == MAP_FAILED || own == MAP_FAILED)
        _exit(EXIT_FAILURE);
    slot = (unsigned)atoi(number) % CLOCK_SLOTS;
    page = memory;
    prctl(PR_SET_DUMPABLE, 0); // nobody may take its connections from it
    start_following();
}
