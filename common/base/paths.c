#include "paths.h"

#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

void paths_join(char path[PATHS_SIZE], const char *name) {
    char program[PATHS_SIZE];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    program[length > 0 ? length : 0] = '\0';
    // Programs are built beside their sources: TOP/scenarios/NAME.
    snprintf(path, PATHS_SIZE, "%.*s/%s", PATHS_SIZE / 2,
             dirname(dirname(program)), name);
}
