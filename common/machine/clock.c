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

// A page of memory that we share with processes.
struct clock_shared {
    void *memory; // as we see it; NULL: not made yet
    int fd;       // what a process inherits
};

static struct clock_page *page;
static struct clock_shared time_page, own_pages[CLOCK_SLOTS];
static bool virtual_time;
static unsigned slots;        // in use, or kept for clients
static unsigned first_client; // the slot of the client A
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

static void make_room(int fd, size_t size) {
    // posix_fallocate() and not ftruncate(): where there is no memory,
    // ftruncate() succeeds and the first write ends the run with SIGBUS.
    int error = fd < 0 ? errno : posix_fallocate(fd, 0, (off_t)size);

    if (error)
        fail("no room for the clock: %s", strerror(error));
}

// The same memory, as a descriptor through which it can only be read.
static int reading(int fd) {
    char path[32];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int read_only = open(path, O_RDONLY | O_CLOEXEC);
    if (read_only < 0)
        fail("cannot open the clock: %s", strerror(errno));
    close(fd);
    return read_only;
}

// Nobody can change its size: a smaller page would end each of its readers.
// F_SEAL_FUTURE_WRITE is for a page that only we may write. After it nobody can
// map the page for writing, also through a descriptor that is opened again.
static void make_shared(struct clock_shared *shared, size_t size,
                        bool only_we_write) {
    int seals = F_SEAL_SHRINK | F_SEAL_GROW;

    shared->fd = memfd_create("lockstep", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    make_room(shared->fd, size);
    shared->memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
                          shared->fd, 0);
    if (shared->memory == MAP_FAILED)
        fail("cannot map the clock: %s", strerror(errno));
    if (only_we_write)
        fcntl(shared->fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE); // Linux 5.1
    if (fcntl(shared->fd, F_ADD_SEALS, seals | F_SEAL_SEAL) < 0)
        fail("cannot seal the clock: %s", strerror(errno));
    if (only_we_write) {
        int writing = shared->fd;
        shared->fd = reading(writing);
        close(writing);
    }
}

static void drop_shared(struct clock_shared *shared, size_t size) {
    if (!shared->memory)
        return;
    munmap(shared->memory, size);
    close(shared->fd);
    shared->memory = NULL;
}

static struct process_page *own_of(unsigned slot) {
    return own_pages[slot].memory;
}

void clock_open(bool is_virtual) {
    virtual_time = is_virtual;
    if (is_virtual)
        place_library(library, "clock.so");
    drop_shared(&time_page, sizeof *page); // an earlier world's
    for (unsigned slot = 0; slot < CLOCK_SLOTS; slot++)
        drop_shared(&own_pages[slot], sizeof(struct process_page));
    make_shared(&time_page, sizeof *page, true);
    page = time_page.memory;
    page->is_virtual = is_virtual;
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
    page->now_ns = 0;
    for (unsigned slot = 0; slot < CLOCK_SLOTS; slot++)
        page->skew_ns[slot] = page->suspended_ns[slot] = 0;
    tell_of_move();
    slots = kept;
}

unsigned clock_reads(unsigned slot) {
    return own_of(slot)->reads;
}

int64_t clock_limit(unsigned slot, int connection) {
    return connection < 1 || connection > CLOCK_CONNECTIONS
           ? 0 : own_of(slot)->limit_ns[connection - 1];
}

int64_t clock_now(void) {
    return page->now_ns;
}

// As clock_now(), from the time of this process's own clock;
// SERVER_WAIT_ENDLESS stays what it is, also for an entry in which no thread
// waits.
static int64_t end_of_wait(unsigned slot, int number) {
    if (!own_of(slot)) // kept for a client
        return SERVER_WAIT_ENDLESS;
    const struct server_wait *wait = &own_of(slot)->server_waits[number];
    int64_t until_ns = wait->until_ns;

    return wait->state != WAIT_SHOWN || until_ns == SERVER_WAIT_ENDLESS
               ? SERVER_WAIT_ENDLESS
               : until_ns - page->skew_ns[slot] - CLOCK_EPOCH_S * SECOND;
}

bool clock_has_overdue(unsigned slot) {
    for (int i = 0; i < SERVER_WAITS; i++)
        if (end_of_wait(slot, i) <= page->now_ns)
            return true;
    return false;
}

bool clock_waits(unsigned slot) {
    for (int i = 0; i < SERVER_WAITS; i++) {
        int64_t end_ns = end_of_wait(slot, i);
        if (end_ns > page->now_ns && end_ns != SERVER_WAIT_ENDLESS)
            return true;
    }
    return false;
}

bool clock_thread_waits(unsigned slot, uint64_t thread) {
    for (int i = 0; i < SERVER_WAITS; i++) {
        const struct server_wait *wait = &own_of(slot)->server_waits[i];
        if (wait->state == WAIT_SHOWN && wait->thread == thread)
            return true;
    }
    return !virtual_time;
}

int64_t clock_next_server_wait(void) {
    int64_t next_ns = SERVER_WAIT_ENDLESS;

    for (unsigned slot = 0; slot < slots; slot++)
        for (int i = 0; i < SERVER_WAITS; i++) {
            int64_t end_ns = end_of_wait(slot, i);
            if (end_ns < next_ns)
                next_ns = end_ns;
        }
    return next_ns == SERVER_WAIT_ENDLESS ? -1 : next_ns;
}

void clock_forget_waits(unsigned slot) {
    for (int i = 0; i < SERVER_WAITS; i++)
        own_of(slot)->server_waits[i].state = WAIT_FREE;
}

void clock_move(int64_t ns) {
    page->now_ns += ns;
    tell_of_move();
}

void clock_clean(unsigned slot) {
    struct process_page *own = own_of(slot);

    for (int i = 0; i < CLOCK_CONNECTIONS; i++)
        own->limit_ns[i] = 0;
    clock_forget_waits(slot);
    own->first = 0;
    own->drawn = 0;
    own->is_loaded = 0;
}

static unsigned prepared(unsigned slot) {
    if (slot >= CLOCK_SLOTS)
        fail("more than %d processes in one world", CLOCK_SLOTS);
    if (!own_pages[slot].memory)
        make_shared(&own_pages[slot], sizeof(struct process_page), false);
    clock_clean(slot);
    return slot;
}

unsigned clock_server_slot(void) {
    return prepared(slots++);
}

void clock_await_clients(void) {
    first_client = slots;
    slots += 'Z' - 'A' + 1;
}

unsigned clock_client_slot(char name) {
    if (name < 'A' || name > 'Z')
        fail("a client's name begins with a capital letter, and not \"%c\"", name);
    return prepared(first_client + (unsigned)(name - 'A'));
}

bool clock_is_loaded(unsigned slot) {
    return own_of(slot)->is_loaded;
}

void clock_seed(uint64_t seed) {
    page->seed = seed;
}

void clock_skew(unsigned slot, int64_t ns) {
    page->skew_ns[slot] = ns;
    tell_of_move();
}

void clock_add_suspension(unsigned slot, int64_t ns) {
    page->suspended_ns[slot] += ns;
}

// By 2^29 seconds. A server knows how long a key has not been used. Its clock
// for that starts again at zero after such a number of seconds, so the server
// does not notice.
int64_t clock_set_back(unsigned slot) {
    int64_t skew_ns = page->skew_ns[slot];

    page->skew_ns[slot] -= (INT64_C(1) << 29) * SECOND;
    return skew_ns;
}

struct clock_pages clock_pages(unsigned slot) {
    return (struct clock_pages){time_page.fd, own_pages[slot].fd};
}

static int join(struct variable *environment, struct process *process,
                unsigned slot, const char *preloaded) {
    struct clock_pages pages = clock_pages(slot);
    static char slots_text[CLOCK_SLOTS][8];

    snprintf(slots_text[slot], sizeof slots_text[slot], "%u", slot);
    environment[0] = (struct variable){"LD_PRELOAD", preloaded};
    environment[1] = (struct variable){CLOCK_SLOT_VARIABLE, slots_text[slot]};
    if (process) {
        process->keeps[0] = pages.clock;
        process->keeps[1] = pages.own;
    }
    return 2;
}

void clock_environment_of_jvm(struct variable *environment,
                              struct process *process, unsigned slot,
                              const char *ports) {
    if (!jvm_library[0])
        place_library(jvm_library, "jvm.so");
    int count = join(environment, process, slot, jvm_library);
    environment[count++] = (struct variable){CLOCK_PORTS_VARIABLE, ports};
    environment[count] = (struct variable){NULL, NULL};
}

unsigned clock_accepted(unsigned slot) {
    return own_of(slot)->accepted;
}

unsigned clock_connected(unsigned slot) {
    return own_of(slot)->connected;
}

void clock_cut_off(unsigned slot, int host) {
    page->cut_off[slot] |= 1u << host;
    tell_of_move();
}

void clock_age_servers(int64_t ns) {
    page->past_ns += ns;
    tell_of_move();
}

void clock_environment(struct variable *environment, struct process *process,
                       unsigned slot, const char *waits) {
    int count = 0;

    if (virtual_time) {
        count = join(environment, process, slot, library);
        if (waits)
            environment[count++] =
                (struct variable){CLOCK_WAITS_VARIABLE, waits};
    }
    environment[count] = (struct variable){NULL, NULL};
}
