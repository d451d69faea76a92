// One line a thread, like errno: the worker's reason is not the watchdog's.
#include "lock.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char reason[256];

const char *lock_reason(void) {
    return reason;
}

void lock_explain(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
}
