#include "cores.h"

#include "base/fail.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cpu_set_t allowed; // the cores that we could use before we were pinned
static bool pinned;       // to one core

int core_count(void) {
    cpu_set_t now;

    if (sched_getaffinity(0, sizeof now, &now) < 0)
        return 1;
    return CPU_COUNT(&now);
}

// Do many more threads want to run than there are cores? Two for each core are
// normal: a process of a world has just woken the next one.
static bool is_crowded(void) {
    FILE *load = fopen("/proc/loadavg", "re");
    int running = 0;

    if (load && fscanf(load, "%*f %*f %*f %d", &running) != 1)
        running = 0;
    if (load)
        fclose(load);
    return running > 2 * core_count() + 1;
}

// False where we may not go.
static bool go_to(int core) {
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(core, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

static void pin_to(int core) {
    pinned = go_to(core);
}

static bool may_pin(void) {
    return !pinned && !is_crowded() &&
           sched_getaffinity(0, sizeof allowed, &allowed) == 0;
}

void core_stay(void) {
    int core = sched_getcpu();

    if (core >= 0 && core < CPU_SETSIZE && may_pin())
        pin_to(core);
}

void core_take(int number) {
    if (!may_pin())
        return;
    number %= CPU_COUNT(&allowed);
    for (int core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &allowed) && number-- == 0)
            pin_to(core);
}

bool core_leave(void) {
    if (!pinned)
        return false;
    sched_setaffinity(0, sizeof allowed, &allowed);
    pinned = false;
    return true;
}

void core_on_each(const cpu_set_t *cores, void (*act)(void)) {
    cpu_set_t before;
    bool moved = false;
    int here = sched_getcpu();

    if (!pinned && sched_getaffinity(0, sizeof before, &before) == 0)
        for (int core = 0; core < CPU_SETSIZE; core++)
            if ((core == here || CPU_ISSET(core, cores)) && go_to(core)) {
                moved = true;
                act();
            }
    if (!moved)
        act();
    else if (sched_setaffinity(0, sizeof before, &before) < 0)
        fail("cannot use the same cores as before: %s", strerror(errno));
}

static void let_use(pid_t process, const cpu_set_t *cores) {
    struct dirent *entry;
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = opendir(path);
    while (tasks && (entry = readdir(tasks)))
        if (atoi(entry->d_name) > 0)
            sched_setaffinity(atoi(entry->d_name), sizeof *cores, cores);
    if (tasks)
        closedir(tasks);
}

void core_leave_too(pid_t process) {
    let_use(process, &allowed);
}
