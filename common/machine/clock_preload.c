// The library that is preloaded into servers and clients: virtual time.
//
// The wall clock is read from a page that the world writes, so that a lease of
// 30 seconds passes when the world says so. A server keeps its real monotonic
// clock, because its event loop runs on that. A client has only virtual time:
// its monotonic clock is the world's, a poll() with a time-out becomes an
// appointment that the world keeps, and socket time-outs, which are the
// kernel's own time, are left out (the world makes them happen by cutting the
// connection).
//
// No dlsym, no malloc: redis-server's allocator asks for the time before
// either works. (libfaketime hangs there.) What is not virtual goes straight
// to the kernel.
#include "clock_page.h"
#include "fork_server_page.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { NS = 1000000000, MAX_POLLED = 16 };

static struct clock_page *page; // NULL: no world, real time
static unsigned slot;
static struct sockaddr_un waits; // empty path: a server

// Real time instead of the world's would give a verdict that means nothing.
__attribute__((noreturn)) static void refuse_to_live(const char *line) {
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        _exit(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

static void join_world(void) {
    const char *path = getenv(CLOCK_PAGE_VARIABLE);
    const char *number = getenv(CLOCK_SLOT_VARIABLE);
    const char *appointments = getenv(CLOCK_WAITS_VARIABLE);
    if (!path || !number)
        return;

    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *memory = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE,
                        MAP_SHARED, fd, 0);
    close(fd);
    if (memory == MAP_FAILED)
        refuse_to_live("lockstep: the world's clock cannot be mapped\n");
    slot = (unsigned)atoi(number) % CLOCK_SLOTS;
    if (appointments) {
        waits.sun_family = AF_UNIX;
        strncpy(waits.sun_path, appointments, sizeof waits.sun_path - 1);
    }
    page = memory;
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

// Not the wall clock: starts elsewhere and knows nothing of skew.
static int64_t monotonic_ns(void) {
    return 1000LL * NS + page->now_ns;
}

int clock_gettime(clockid_t id, struct timespec *to) {
    int64_t ns;

    if (page && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        ns = wall_ns();
    else if (page && is_client() &&
             (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW ||
              id == CLOCK_MONOTONIC_COARSE || id == CLOCK_BOOTTIME))
        ns = monotonic_ns();
    else
        return (int)syscall(SYS_clock_gettime, id, to);
    page->reads[slot]++;
    to->tv_sec = ns / NS;
    to->tv_nsec = ns % NS;
    return 0;
}

int gettimeofday(struct timeval *restrict to, void *restrict zone) {
    struct timespec now;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    to->tv_sec = now.tv_sec;
    to->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *to) {
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (to)
        *to = now.tv_sec;
    return now.tv_sec;
}

static int kernel_poll(struct pollfd *fds, nfds_t count, int ms) {
    struct timespec limit = {ms / 1000, ms % 1000 * 1000000L};

    return (int)syscall(SYS_ppoll, fds, count, ms < 0 ? NULL : &limit, NULL,
                        (size_t)(_NSIG / 8));
}

// Tells the world until when this thread waits. The connection is the
// appointment: the world writes a byte when it is over, and sees it closed
// when the wait ended for another reason. A signal does not keep it from being
// made; it would end the poll() after it.
static int make_appointment(int64_t deadline_ns) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int made;

    do {
        made = connect(fd, (const struct sockaddr *)&waits, sizeof waits);
    } while (made < 0 && errno == EINTR);
    if (made < 0 ||
        write(fd, &deadline_ns, sizeof deadline_ns) != sizeof deadline_ns)
        refuse_to_live("lockstep: the world cannot be told of a wait\n");
    return fd;
}

int poll(struct pollfd *fds, nfds_t count, int ms) {
    struct pollfd both[MAX_POLLED + 1];

    if (!page || !is_client() || ms <= 0)
        return kernel_poll(fds, count, ms);
    if (count > MAX_POLLED)
        refuse_to_live("lockstep: a wait for more than 16 descriptors\n");
    int appointment = make_appointment(page->now_ns + ms * 1000000LL);
    memcpy(both, fds, count * sizeof *fds);
    both[count] = (struct pollfd){.fd = appointment, .events = POLLIN};
    int ready = kernel_poll(both, count + 1, -1);
    int error = errno;
    close(appointment);
    memcpy(fds, both, count * sizeof *fds);
    errno = error;
    return ready > 0 && both[count].revents ? ready - 1 : ready;
}

int setsockopt(int fd, int level, int name, const void *value,
               socklen_t length) {
    if (page && is_client() && level == SOL_SOCKET &&
        (name == SO_RCVTIMEO || name == SO_SNDTIMEO))
        return 0;
    return (int)syscall(SYS_setsockopt, fd, level, name, value, length);
}
