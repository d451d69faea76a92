#include "paths.h"

#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

// The folder above the program's own: it is TOP/build or TOP/tests.
static const char *find_top(void) {
    static char program[PATHS_SIZE], *top;

    if (!top) {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        program[length > 0 ? length : 0] = '\0';
        top = dirname(dirname(program));
    }
    return top;
}

void paths_join(char path[PATHS_SIZE], const char *name) {
    snprintf(path, PATHS_SIZE, "%.*s/%s", PATHS_SIZE / 2, find_top(), name);
}
