#include "clock.h"

#include "clock_page.h"
#include "base/fail.h"
#include "base/paths.h"
#include "base/units.h"
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct clock_page *page;
static int64_t set_ns; // the time to which we have set it
static bool virtual_time;
static unsigned slots;
static char path[SANDBOX_PATH_SIZE];
static char library[SANDBOX_PATH_SIZE], jvm_library[SANDBOX_PATH_SIZE];

// LD_PRELOAD is a list whose parts are separated by spaces and colons, so a
// path with such a character does not work in it. The library therefore gets a
// link with a plain name in the sandbox. The loader only warns about a library
// that is missing, so we check here that it exists.
static void place_library(char *link, const char *name) {
    char built[PATHS_SIZE], file[32];

    snprintf(file, sizeof file, "build/%s", name);
    paths_join(built, file);
    sandbox_path(link, name);
    if (access(built, R_OK) < 0)
        fail("%s is not built: run make", built);
    if (link[strcspn(link, " :")])
        fail("the temporary folder's path has a space or a colon in it: "
             "set TMPDIR to a plain one");
    if (symlink(built, link) < 0)
        fail("cannot make a link in %s: %s", sandbox_folder(),
             strerror(errno));
}

static void map(int fd) {
    if (page)
        munmap(page, sizeof *page); // an earlier world's
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        fail("cannot map the clock: %s", strerror(errno));
    close(fd);
}

void clock_open(bool is_virtual) {
    virtual_time = is_virtual;
    if (is_virtual)
        place_library(library, "clock.so");
    sandbox_path(path, "clock");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    // posix_fallocate() and not ftruncate(): on a full disk ftruncate()
    // succeeds and the first write to the page ends the run with SIGBUS.
    int error = fd < 0 ? errno : posix_fallocate(fd, 0, sizeof *page);
    if (error)
        fail("no room for the clock in %s: %s; set TMPDIR to a folder "
             "with room", sandbox_folder(), strerror(error));
    map(fd);
    page->is_virtual = is_virtual;
    set_ns = page->now_ns;
    slots = 0;
    jvm_library[0] = '\0'; // not before a server needs it
}

int64_t clock_wall_s(unsigned slot) {
    return virtual_time ? CLOCK_EPOCH_S + (page->now_ns + page->skew_ns[slot]) /
                                           1000000000
                     : 0;
}

// Somebody may wait for it.
static void tell_of_move(void) {
    page->moves++;
    syscall(SYS_futex, &page->moves, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void clock_rewind(unsigned kept) {
    enum { STEP_S = 1000 }; // a whole number of them, so that what is counted
                            // in rounds begins at the beginning of one
    int64_t steps = page->now_ns / (STEP_S * SECOND) + 2;

    page->past_ns += steps * STEP_S * SECOND;
    page->now_ns = set_ns = 0;
    for (unsigned slot = 0; slot < CLOCK_SLOTS; slot++)
        page->skew_ns[slot] = 0;
    tell_of_move();
    slots = kept;
}

unsigned clock_reads(unsigned slot) {
    return page->reads[slot];
}

int64_t clock_limit(unsigned slot, int connection) {
    return connection < 1 || connection > CLOCK_CONNECTIONS
           ? 0 : page->limit_ns[slot][connection - 1];
}

int64_t clock_now(void) {
    if (page->now_ns != set_ns)
        fail("a client has set the world's clock");
    return set_ns;
}

// Has this entry been taken by a thread of the process with this slot? (The
// owner is read once: a thread can give its entry back at any moment.)
static bool is_of(const struct server_wait *wait, unsigned slot) {
    return wait->owner == slot + 1;
}

// As clock_now(), from the time of this process's own clock;
// SERVER_WAIT_ENDLESS stays what it is.
static int64_t end_of_wait(const struct server_wait *wait, unsigned slot) {
    int64_t until_ns = wait->until_ns;

    return until_ns == SERVER_WAIT_ENDLESS
               ? until_ns
               : until_ns - page->skew_ns[slot] - CLOCK_EPOCH_S * SECOND;
}

bool clock_has_overdue(unsigned slot) {
    for (int i = 0; i < SERVER_WAITS; i++) {
        const struct server_wait *wait = &page->server_waits[i];
        if (is_of(wait, slot) && end_of_wait(wait, slot) <= page->now_ns)
            return true;
    }
    return false;
}

bool clock_waits(unsigned slot) {
    for (int i = 0; i < SERVER_WAITS; i++) {
        const struct server_wait *wait = &page->server_waits[i];
        if (!is_of(wait, slot))
            continue;
        int64_t end_ns = end_of_wait(wait, slot);
        if (end_ns > page->now_ns && end_ns != SERVER_WAIT_ENDLESS)
            return true;
    }
    return false;
}

bool clock_thread_waits(unsigned slot, uint64_t thread) {
    for (int i = 0; i < SERVER_WAITS; i++) {
        const struct server_wait *wait = &page->server_waits[i];
        if (is_of(wait, slot) && wait->thread == thread)
            return true;
    }
    return !virtual_time;
}

int64_t clock_next_server_wait(void) {
    int64_t next_ns = SERVER_WAIT_ENDLESS;

    for (int i = 0; i < SERVER_WAITS; i++) {
        const struct server_wait *wait = &page->server_waits[i];
        uint32_t owner = wait->owner;
        if (owner == 0 || owner > CLOCK_SLOTS)
            continue;
        int64_t end_ns = end_of_wait(wait, owner - 1);
        if (end_ns < next_ns)
            next_ns = end_ns;
    }
    return next_ns == SERVER_WAIT_ENDLESS ? -1 : next_ns;
}

void clock_forget_waits(unsigned slot) {
    for (int i = 0; i < SERVER_WAITS; i++)
        if (page->server_waits[i].owner == slot + 1)
            page->server_waits[i].owner = 0;
}

void clock_move(int64_t ns) {
    set_ns = clock_now() + ns;
    page->now_ns = set_ns;
    tell_of_move();
}

unsigned clock_slot(void) {
    if (slots == CLOCK_SLOTS)
        fail("more than %d processes in one world", CLOCK_SLOTS);
    for (int i = 0; i < CLOCK_CONNECTIONS; i++)
        page->limit_ns[slots][i] = 0;
    page->first[slots] = 0;
    page->drawn[slots] = 0;
    return slots++;
}

void clock_seed(uint64_t seed) {
    page->seed = seed;
}

void clock_skew(unsigned slot, int64_t ns) {
    page->skew_ns[slot] = ns;
    tell_of_move();
}

// By 2^29 seconds. A server knows how long a key has not been used. Its clock
// for that starts again at zero after such a number of seconds, so the server
// does not notice.
int64_t clock_set_back(unsigned slot) {
    int64_t skew_ns = page->skew_ns[slot];

    page->skew_ns[slot] -= (INT64_C(1) << 29) * SECOND;
    return skew_ns;
}

static int join(struct variable *environment, unsigned slot,
                const char *preloaded) {
    static char slots_text[CLOCK_SLOTS][8];

    snprintf(slots_text[slot], sizeof slots_text[slot], "%u", slot);
    environment[0] = (struct variable){"LD_PRELOAD", preloaded};
    environment[1] = (struct variable){CLOCK_PAGE_VARIABLE, path};
    environment[2] = (struct variable){CLOCK_SLOT_VARIABLE, slots_text[slot]};
    return 3;
}

void clock_environment_of_jvm(struct variable *environment, unsigned slot,
                              const char *ports) {
    if (!jvm_library[0])
        place_library(jvm_library, "jvm.so");
    int count = join(environment, slot, jvm_library);
    environment[count++] = (struct variable){CLOCK_PORTS_VARIABLE, ports};
    environment[count] = (struct variable){NULL, NULL};
}

unsigned clock_accepted(unsigned slot) {
    return page->accepted[slot];
}

unsigned clock_connected(unsigned slot) {
    return page->connected[slot];
}

void clock_cut_off(unsigned slot, int host) {
    page->cut_off[slot] |= 1u << host;
    tell_of_move();
}

void clock_age_servers(int64_t ns) {
    page->past_ns += ns;
    tell_of_move();
}

void clock_environment(struct variable *environment, unsigned slot,
                       const char *waits) {
    int count = 0;

    if (virtual_time) {
        count = join(environment, slot, library);
        if (waits)
            environment[count++] =
                (struct variable){CLOCK_WAITS_VARIABLE, waits};
    }
    environment[count] = (struct variable){NULL, NULL};
}
