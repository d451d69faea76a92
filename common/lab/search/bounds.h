// The bounds of a search, and the assumptions that it makes.
#ifndef BOUNDS_H
#define BOUNDS_H

#include <stdbool.h>

enum { MOST_FAULTS = 9 }; // of one kind

// The faults, each of which can happen so many times.
enum fault {
    FAULT_CRASH,       // a client is killed
    FAULT_STOP,        // a client is stopped, and may continue
    FAULT_CUT,         // a connection breaks, a command with it
    FAULT_LOSE_ANSWER, // the same, when the command has run
    FAULT_AHEAD,       // a client's wall clock is 40 seconds ahead
    FAULT_HANG,        // a worker hangs inside; its process lives
    FAULT_STRANGER,    // a client that is not inside releases
    FAULT_AGAIN,       // a client that has left releases once more
    FAULT_REFUSE,      // the server refuses to write for one command
    FAULT_GIVE_UP,     // a client gives up, and its command may run later
    FAULT_RESTART,     // the server is killed and starts empty
    FAULT_JUMP,        // of several masters, one's clock jumps 40 seconds ahead
    FAULTS,
};

// The assumptions that a search can make.
enum assumption {
    ASSUME_WORK_FITS_LEASE, // nobody is inside for as long as a lease
    ASSUME_PROMPT_WIRE,     // no time passes while something is on its way
    ASSUME_NO_STOPS,
    ASSUME_NO_CRASH_MID_ACQUIRE,
    ASSUME_NO_CRASHES,
    ASSUME_NO_HANGS,
    ASSUME_EQUAL_CLOCKS,
    ASSUME_NOTHING_LOST, // no connection breaks
    ASSUME_SERVER_KEEPS_MEMORY,
    ASSUME_OWN_RELEASES, // only a client that is inside releases
    ASSUME_NO_REFUSALS,  // the server refuses nothing
    ASSUME_NO_GIVE_UPS,  // no command runs after its client has given up
    ASSUME_NEW_HOLDER_WRITES, // whoever gets in has written before an older
                              // write arrives
    ASSUMPTIONS,
};

struct bounds {
    int clients;         // up to three
    int masters;         // of the lock
    int locks;           // that each client uses: one or two
    bool turned;         // and opens the second one first
    int rounds;          // how often each enters each lock
    int nested;          // how often each enters again while inside
    int leases;          // how many leases (and a second each) may pass
    int time_s;          // so many seconds more may pass
    int wait_s;          // each waits for the lock so long; 0: not at all
    int writes;          // how often each, while it is inside, writes to what
                         // the lock protects. If not 0, writes alone count
    int asks;            // how often each, while it is inside, asks itself
                         // whether it still has the lock
    int own_lease_s;     // an attempt may ask for a lease of its own that is so
                         // long; 0: none does
    int halfway;         // how often time stops halfway to the next instant
    int faults[FAULTS];  // how many of each
    int fault_total;     // and of all together
    int depth;           // how many moves a schedule has at most
    unsigned assumed;    // 1 << assumption
    bool renews;         // its first holder sets a timer (search.c)
    bool local;          // no server knows of the lock (catalogue)
    // Also tries moves that cannot lose anything more, but that a player may
    // want: stop a client that has no timer; end a client's work without a
    // release.
    bool redundant_moves;
};

// "crash", "no-stops". NULL after the last.
const char *fault_word(enum fault fault);
const char *assumption_word(enum assumption assumption);

// The assumption in half a sentence.
const char *assumption_meaning(enum assumption assumption);

#endif
