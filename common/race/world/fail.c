#include "fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void world_fail(const char *format, ...) {
    static int failing; // on the way out things fail because things have failed
    va_list args;

    if (failing++)
        _Exit(2);
    fflush(stdout);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

void *must_have(void *memory) {
    if (!memory)
        world_fail("no memory is left");
    return memory;
}
