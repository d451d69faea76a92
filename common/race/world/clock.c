#include "clock.h"

#include "clock_page.h"
#include "fail.h"
#include "../paths.h"
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct clock_page *page;
static bool inhabited;
static unsigned slots;
static char path[SANDBOX_PATH_SIZE];

void clock_open(bool lived_in) {
    inhabited = lived_in;
    sandbox_path(path, "clock");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    // Allocated, not only sized: on a full disk a page that is merely promised
    // would end the run with SIGBUS at the first tick.
    int error = fd < 0 ? errno : posix_fallocate(fd, 0, sizeof *page);
    if (error)
        world_fail("no room for the clock in %s: %s; set TMPDIR to a folder "
                   "with room", sandbox_folder(), strerror(error));
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (page == MAP_FAILED)
        world_fail("cannot map the clock: %s", strerror(errno));
}

int64_t clock_now(void) {
    return page->now_ns;
}

void clock_move(int64_t ns) {
    page->now_ns += ns;
}

unsigned clock_slot(void) {
    if (slots == CLOCK_SLOTS)
        world_fail("more than %d processes in one world", CLOCK_SLOTS);
    return slots++;
}

void clock_skew(unsigned slot, int64_t ns) {
    page->skew_ns[slot] = ns;
}

void clock_environment(struct variable *environment, unsigned slot,
                       const char *waits) {
    static char library[PATHS_SIZE], slots_text[CLOCK_SLOTS][8];
    int count = 0;

    if (inhabited) {
        paths_join(library, "build/clock.so");
        snprintf(slots_text[slot], sizeof slots_text[slot], "%u", slot);
        environment[count++] = (struct variable){"LD_PRELOAD", library};
        environment[count++] = (struct variable){CLOCK_PAGE_VARIABLE, path};
        environment[count++] =
            (struct variable){CLOCK_SLOT_VARIABLE, slots_text[slot]};
        if (waits)
            environment[count++] =
                (struct variable){CLOCK_WAITS_VARIABLE, waits};
    }
    environment[count] = (struct variable){NULL, NULL};
}
