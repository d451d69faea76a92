#include "fail.h"

#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Has a message been printed? fail_as_one() makes `said` point to memory that
// this process shares with its children.
static atomic_bool own, *said = &own;

void fail_as_one(void) {
    if (said != &own)
        return;
    said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (said != MAP_FAILED)
        return;
    said = &own;
    fail("cannot share a page: %s", strerror(errno));
}

void fail(const char *format, ...) {
    static int failing; // exit() runs functions that can call fail() again
    va_list args;

    if (failing++)
        _Exit(2);
    fflush(stdout);
    if (atomic_exchange(said, true))
        exit(2);
    va_start(args, format);
    text_complain(format, args);
    va_end(args);
    exit(2);
}

void *must_have(void *memory) {
    if (!memory)
        fail("no memory is left");
    return memory;
}
