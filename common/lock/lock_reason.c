// Each thread has a reason of its own, as with errno, so that the watchdog does
// not overwrite the reason of the thread that uses the lock.
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
