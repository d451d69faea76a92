// The end of a run that cannot give a verdict, because its world cannot be
// built or is stuck. The program prints one line that says what happened and
// exits with status 2. Everything that it has started ends, too (sandbox.h).
#ifndef FAIL_H
#define FAIL_H

#include <stdarg.h>

// How long we wait for something that should take microseconds, before we say
// that the world is stuck. It is a long time, so that a busy machine never
// reaches it.
enum { PATIENCE_MS = 10000 };

// And for a server that starts: that takes it up to two seconds of a core, of
// which a busy machine gives it a small part.
enum { PATIENCE_FOR_STARTS_MS = 6 * PATIENCE_MS };

// And for the end of a killed process: it ends when its last write is on the
// disk, and a disk can be busy for long.
enum { PATIENCE_FOR_ENDS_MS = 6 * PATIENCE_MS };

// Prints "program: message" and a line break on standard error, as text_print()
// prints.
void complain(const char *format, va_list args);

// The same, and exits with 2.
_Noreturn void fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

// Returns `memory`, which malloc() or a function like it has just returned. If
// that is NULL, the program ends with a message and status 2.
void *must_have(void *memory);

// From now on this process and all that it forks print one message together.
// The first message says what happened; later ones only follow from it.
void fail_as_one(void);

// Prints "lockstep: message" on standard error, once for all processes of a run.
enum said { SAID_NO_HOSTS, SAID_NO_COPIES, SAID_COUNT };
void say_once(enum said which, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
