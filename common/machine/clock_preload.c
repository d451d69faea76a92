// The library that is preloaded into servers and clients: virtual time.
//
// It replaces the functions of the C library that tell the time. They read the
// wall clock from a page that the world writes, so that a lease of 30 seconds
// passes when the world says so. A server keeps its real monotonic clock,
// because its event loop needs that one. A client has only virtual time. Its
// monotonic clock is the world's, too. If it waits with a time-out, the world
// ends the wait (waits_preload.c, conditions_preload.c and, for timers,
// timers_preload.c). Socket time-outs are counted by the kernel, which knows
// only real time: they are left out, and the world cuts the connection instead.
// For an engine's own programs its room has further rules (clock_preload.h).
//
// This file calls neither dlsym() nor malloc(): redis-server's allocator asks
// for the time before either of them works. (libfaketime hangs there.) It asks
// the kernel directly for what is not virtual.
#include "clock_preload.h"
#include "container_preload.h"
#include "fork_server_page.h"
#include "random_preload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
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
    preload_page = memory;
    if (waits_path) {
        waits.sun_family = AF_UNIX;
        strncpy(waits.sun_path, waits_path, sizeof waits.sun_path - 1);
        container_enter(&preload_page->first[preload_slot], preload_slot);
        random_begin();
    } else { // nobody may take a server's connections from it
        prctl(PR_SET_DUMPABLE, 0);
    }
}

__attribute__((constructor)) static void begin(void) {
    fork_server_wait();
    join_world();
}

void preload_rule(const struct clock_program *rule) {
    program = rule;
}

const struct sockaddr_un *preload_waits(void) {
    return &waits;
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
    else if (preload_is_client() &&
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

int preload_is_wall(const struct timespec *until) {
    enum { THREE_YEARS_S = 100000000 };
    return until->tv_sec > THREE_YEARS_S;
}

int64_t preload_left_ns(const struct timespec *until) {
    return until->tv_sec * (int64_t)NS + until->tv_nsec -
           (preload_is_wall(until) ? preload_wall_ns() : monotonic_ns());
}

// --- limits for answers ------------------------------------------------------

enum { MAX_FDS = 256 };

static _Atomic int connections;     // made so far
static _Atomic int number[MAX_FDS]; // of a descriptor's connection, from 1

// connect(): its declaration has a type that ISO C does not know.
int connect_noted(int fd, const struct sockaddr *address, socklen_t length)
    __asm__("connect");

int connect_noted(int fd, const struct sockaddr *address, socklen_t length) {
    int made = (int)syscall(SYS_connect, fd, address, length);

    if (preload_is_client() && made == 0 && fd < MAX_FDS)
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
    if (preload_is_client() && level == SOL_SOCKET &&
        (name == SO_RCVTIMEO || name == SO_SNDTIMEO)) {
        if (name == SO_RCVTIMEO && length == sizeof(struct timeval))
            note_limit(fd, value);
        return 0;
    }
    return (int)syscall(SYS_setsockopt, fd, level, name, value, length);
}
