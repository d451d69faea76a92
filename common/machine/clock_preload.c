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
#include "fork_server_preload.h"
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

const struct clock_page *preload_page;
struct process_page *preload_own;
unsigned preload_slot;
static struct sockaddr_un waits; // where waits are announced; empty: a server
static const struct clock_program *program; // NULL: no engine's own

void preload_exit(const char *line) {
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        _exit(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

// --- the pages ---------------------------------------------------------------

// Is it a page? The world has made it so that nobody can change its size.
static int is_page(int fd) {
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
    int found = fcntl(fd, F_GET_SEALS);

    return found >= 0 && (found & seals) == seals;
}

// Asks the world for this process's pages: 1, or 0 if none came.
static int ask_for_pages(int pages[2]) {
    const struct announced_wait wish = {.thread = PAGES_WANTED};
    union {
        char room[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr head;
    } with;
    char byte;
    struct iovec bytes = {&byte, sizeof byte};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1,
                             .msg_control = &with,
                             .msg_controllen = sizeof with};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int came = syscall(SYS_connect, fd, &waits, sizeof waits) == 0 &&
               send(fd, &wish, sizeof wish, MSG_NOSIGNAL) == sizeof wish &&
               recvmsg(fd, &message, 0) == sizeof byte;
    const struct cmsghdr *head = came ? CMSG_FIRSTHDR(&message) : NULL;

    close(fd);
    if (!head || head->cmsg_len != CMSG_LEN(2 * sizeof(int)))
        return 0;
    memcpy(pages, CMSG_DATA(head), 2 * sizeof(int));
    return 1;
}

static void *map(int page, size_t size, int protection) {
    void *memory = mmap(NULL, size, protection, MAP_SHARED, page, 0);

    if (memory == MAP_FAILED)
        preload_exit("lockstep: the world's clock cannot be mapped\n");
    return memory;
}

// A server keeps the descriptors: it may be a wrapper of the true server. A
// client must not have them, for then they would have a name in /proc.
static void map_pages(void) {
    int pages[2] = {CLOCK_PAGE_FD, PROCESS_PAGE_FD};

    if (!is_page(pages[0]) || !is_page(pages[1]))
        if (!preload_is_client() || !ask_for_pages(pages))
            preload_exit("lockstep: the world's clock cannot be mapped\n");
    preload_page = map(pages[0], sizeof *preload_page, PROT_READ);
    preload_own = map(pages[1], sizeof *preload_own, PROT_READ | PROT_WRITE);
    for (int i = 0; i < 2 && preload_is_client(); i++)
        close(pages[i]);
}

// A program that is loaded for its copies has a clock of its own, which stands
// still. So each copy is what it would be had it just been started. The
// descriptors stay open: a shell becomes the true program. Where they are
// closed, this is a program that the loaded one has started. Then there will be
// no copies (fork_server_preload.c), and a page of nobody's will do.
static void join_apart(void) {
    static struct clock_page no_time;
    static struct process_page nobody_s;

    preload_page = &no_time;
    preload_own = !is_page(PROCESS_PAGE_FD) ? &nobody_s
                  : map(PROCESS_PAGE_FD, sizeof *preload_own,
                        PROT_READ | PROT_WRITE);
}

void preload_join_as_copy(uint64_t drawn) {
    map_pages();
    preload_own->first = 0;
    container_enter(&preload_own->first, preload_slot);
    preload_own->drawn = drawn;
}

static void join_world(void) {
    const char *number = getenv(CLOCK_SLOT_VARIABLE);
    const char *waits_path = getenv(CLOCK_WAITS_VARIABLE);

    if (!number)
        return;
    preload_slot = (unsigned)atoi(number) % CLOCK_SLOTS;
    if (waits_path) {
        waits.sun_family = AF_UNIX;
        strncpy(waits.sun_path, waits_path, sizeof waits.sun_path - 1);
    }
    if (fork_server_loads())
        join_apart();
    else
        map_pages();
    if (waits_path) {
        container_enter(&preload_own->first, preload_slot);
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

// (Such a clock has no skew. It counts from the start of a machine, and each
// client has a machine of its own.)
static int64_t since_boot_ns(clockid_t id) {
    int64_t machine = preload_is_client() ? preload_slot : 0;
    int64_t ns = (CLOCK_MONOTONIC_S + machine * CLOCK_APART_S) * NS +
                 preload_page->now_ns;

    return id == CLOCK_BOOTTIME ? ns
                                : ns - preload_page->suspended_ns[preload_slot];
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
        ns = since_boot_ns(id);
    else
        return (int)syscall(SYS_clock_gettime, id, to);
    if (preload_is_client())
        preload_own->reads++;
    to->tv_sec = ns / NS;
    to->tv_nsec = ns % NS;
    return 0;
}

int preload_is_wall(const struct timespec *until) {
    enum { THREE_YEARS_S = 100000000 };
    return until->tv_sec > THREE_YEARS_S;
}

int64_t preload_left_ns(const struct timespec *until, clockid_t id) {
    return until->tv_sec * (int64_t)NS + until->tv_nsec -
           (preload_is_wall(until) ? preload_wall_ns() : since_boot_ns(id));
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
        preload_own->limit_ns[connection - 1] =
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
