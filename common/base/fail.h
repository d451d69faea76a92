// A world that cannot be built, or gets stuck, is no verdict: it says what
// happened in one line and ends the run with status 2. Everything it started
// ends with it (sandbox.h).
#ifndef FAIL_H
#define FAIL_H

// How long anything that should take microseconds may take before the world is
// called stuck. Generous: a loaded machine must never reach it.
enum { PATIENCE_MS = 10000 };

// Prints "program: message" and exits with 2.
_Noreturn void fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

// What malloc() and its like have returned; ends with a line and 2 if that is
// nothing.
void *must_have(void *memory);

// From now on this process and those that it forks print one message in all:
// the first says what happened, and the others only follow from it.
void fail_as_one(void);

#endif
