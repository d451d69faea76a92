// The locks as last seen: the values under their keys on the world's masters.
//
// Of one master this is the lock. Of several masters each holds a lock of its
// own, and the client that has the same value on a majority of them holds the
// lock. So the judge is shown the value that stands on a majority, and how long
// it will stand there. Without such a value it is shown no lock.
#ifndef SHOWN_H
#define SHOWN_H

#include "choice.h"
#include "engines/engine.h"

#include <stdbool.h>
#include <stdint.h>

struct shown {
    int count;                // of masters
    int servers[MAX_MASTERS]; // the engine's number of each
    struct lock_state locks[MAX_MASTERS];   // what each holds
    struct lock_state seconds[MAX_MASTERS]; // under the key of a second lock
    int64_t looked_ns[MAX_MASTERS];         // when they were looked at
    struct lock_state reported[MAX_MASTERS];    // when it was last reported
    const char *key;
    const char *second_key; // NULL: nobody uses a second lock
    struct lock_state lock; // on a majority
    struct lock_state second;
    int64_t lock_ns;        // when that was so
};

// The place of this server among those that are shown; -1: it is not.
int shown_place(const struct shown *shown, int server);

// Looks at the server in one place, or in all of them. A server that is stopped
// cannot answer: what was seen last stays.
void shown_look_at(struct shown *shown, struct engine *engine, int place);
void shown_look(struct shown *shown, struct engine *engine);

// Has the lock's key on one of several masters been made since the last report,
// or given another value or a longer time?
bool shown_gained(const struct shown *shown, int server);

// Notes that everything shown has been reported.
void shown_report(struct shown *shown);

// Brings a stopped server's locks up to the instant at which it continues: the
// same values, unless their leases have ended. It has not worked yet on
// anything that it was sent meanwhile.
void shown_age(struct shown *shown, int place);

#endif
