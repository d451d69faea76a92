// The waits that a client has announced to the world
// (machine/clock_preload.c).
#ifndef WAITS_H
#define WAITS_H

#include "machine/loop.h"
#include "machine/process.h"

#include <stdbool.h>
#include <stdint.h>

enum { MAX_WAITS = 64 };

// A thread of the client waits until `deadline_ns`, or it has set a timer. The
// client closes the connection when the wait has ended for another reason.
struct wait {
    struct waits *waits;
    struct watch watch;
    int64_t deadline_ns;
    int64_t thread; // its number, as in machine/clock_page.h
    int timer;      // a descriptor; -1: it is a thread that waits
    bool announced; // both have arrived
    bool goes_on;   // while the client's machine is suspended
    unsigned number; // among the client's waits, from 1
};

struct waits {
    const char *client; // its name, for messages
    const struct process *process; // its first process
    unsigned clock_slot;
    struct watch listener;
    struct wait each[MAX_WAITS];
    unsigned announced; // so far
};

// Listens at this path for the waits of a client, whose members `client`,
// `process` and `clock_slot` are set. Its processes can ask there for their
// pages, too. `waits` must not move in memory.
void waits_open(struct waits *waits, const char *path);
void waits_close(struct waits *waits);

// The wait with the earliest deadline, or NULL.
const struct wait *waits_next(const struct waits *waits);

// Does the client itself wait, or has it set a timer? (Not only a process that
// it has started.)
bool waits_by_itself(const struct waits *waits);

// Puts off the waits that do not go on while the client's machine is suspended.
void waits_put_off(struct waits *waits, int64_t ns);

// Tells the client that this wait is over.
void waits_end_next(struct waits *waits);

#endif
