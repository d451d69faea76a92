// Does a wait for a process go on when its time is over? Its limit is a second,
// and the process has had a core for so many milliseconds of it.
//
//     patience 300 [TIMES]
#include "base/units.h"
#include "machine/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int64_t used_ns(pid_t process) {
    struct timespec used;
    clockid_t clock;

    if (clock_getcpuclockid(process, &clock) != 0 ||
        clock_gettime(clock, &used) < 0)
        exit(EXIT_FAILURE);
    return used.tv_sec * SECOND + used.tv_nsec;
}

int main(int argc, char **argv) {
    struct process process = {.joins_stderr = true};
    struct patience patience = {.last_ns = real_ns(), .waited_ns = SECOND};
    struct pipes pipes;

    if (argc < 2)
        return EXIT_FAILURE;
    process_open_pipes(&process, &pipes);
    process.pid = fork();
    if (process.pid == 0)
        for (;;)
            pause();
    process_adopt(&process, &pipes);
    process_stop(&process);
    patience.used_ns =
        used_ns(process.pid) - atoi(argv[1]) * MILLISECOND;
    patience.times = argc > 2 ? atoi(argv[2]) : 0;
    puts(process_patience_of(&patience, 1000) ? "goes on" : "is over");
    printf("%d\n", patience.times);
    process_kill(&process);
    return EXIT_SUCCESS;
}
