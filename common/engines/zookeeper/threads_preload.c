// The threads of a client that uses libzookeeper: part of build/clock.so.
//
// The library's thread gives the main thread an answer, looks at the clock, and
// says that it is alive if nothing was sent for long. The main thread has its
// turn before it: otherwise chance would decide which of the two sends first.
#include "machine/clock_preload.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// Does the thread sleep, by "4711 (client) S 4700 …"? True, too, if that cannot
// be read.
static int main_thread_sleeps(void) {
    char text[64] = "";
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    const char *end = length > 0 ? strrchr(text, ')') : NULL;
    return !end || end[1] == '\0' || end[2] != 'R';
}

static void let_main_thread_rest(void) {
    static const struct timespec moment = {.tv_nsec = 20000};
    enum { YIELDS = 100, MOMENTS = 20000 };

    if (!preload_is_client() || gettid() == getpid())
        return;
    for (int i = 0; i < MOMENTS && !main_thread_sleeps(); i++)
        if (i < YIELDS)
            sched_yield();
        else
            syscall(SYS_nanosleep, &moment, NULL);
}

// Is there, in a client that uses libzookeeper.
extern int zookeeper_interest(void) __attribute__((weak));

PRELOAD_RULE static void enter(void) {
    static const struct clock_program client = {
        .before_look = let_main_thread_rest,
    };

    if (zookeeper_interest)
        preload_rule(&client);
}
