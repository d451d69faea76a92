#include "core.h"

#include <sched.h>

static void narrow_to(int core) {
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
}

int core_count(void) {
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof allowed, &allowed) < 0)
        return 1;
    return CPU_COUNT(&allowed);
}

void core_stay(void) {
    int core = sched_getcpu();

    if (core >= 0 && core < CPU_SETSIZE)
        narrow_to(core);
}

void core_take(int number) {
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof allowed, &allowed) < 0)
        return;
    number %= CPU_COUNT(&allowed);
    for (int core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &allowed) && number-- == 0)
            narrow_to(core);
}
