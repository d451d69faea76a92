// The search: every order of moves within bounds, shortest first.
//
// It is a stateless search with a visited set. A world cannot go back to an
// earlier position, so the search makes the moves that led there again, from
// the beginning. At a new point it runs real clients and a real server (run.h).
// If another schedule has reached a point before, it uses the memo of that run
// (memo.h). Runs are dear, because each begins at the beginning. So a run does
// not end with its new point. It goes on with the client that has just done
// something new, as far as possible.
//
// The search is breadth first, with moves in a fixed order. So the first
// schedule that loses a property is a shortest one, and it is the same on every
// machine.
//
// Partial-order reduction is left out. Combined with a visited set it is known
// to miss bugs unless much care is taken (Godefroid, Partial-Order Methods for
// the Verification of Concurrent Systems, 1996).
#ifndef SEARCH_H
#define SEARCH_H

#include "coverage.h"

struct search_options {
    struct bounds bounds;
    const struct move *prefix; // where it begins; NULL: at the beginning
    int prefix_length;
    int times;             // each transition is run so often for real; 0: only
                           // as often as it takes to know them all
    size_t most_positions; // the table's limit
    unsigned enough;       // it ends when these are lost, 1 << loss; 0: it
                           // goes on
    int seconds;           // 0: no limit
    int memory_mb;         // of all that a search stores; 0: no limit
    bool progress;         // on standard error
};

// The limits for all who do not ask for others.
enum { POSITIONS = 8000000, MEMORY_MB = 4096 };

enum search_end {
    END_EMPTY,  // the queue ran empty
    END_FOUND,  // `enough` is lost
    END_ENDLESS, // a client comes to no end, so the search would not end
    END_DEPTH,  // only up to the depth that was asked for
    END_FULL,   // the table is full
    END_MEMORY, // it stores as much as it may
    END_TIME,
    END_SIGNAL, // Ctrl-C
};

struct search_result {
    enum search_end end;
    size_t positions;
    size_t transitions;
    size_t runs;        // of real clients
    size_t steps_seen;  // of clients and server that are remembered
    size_t table_bytes; // of what is stored, here and below
    size_t level_bytes; // of the positions of two depths, where they were most
    size_t remembered_bytes; // of those steps, and their texts
    size_t pending_bytes;     // of what was to be run, where that was most
    int depth;          // all schedules of so many moves are done
    bool some_longer;   // … and some that are one move longer
    bool seen[WITNESSES];
    unsigned lost;      // 1 << loss
    struct move *schedules[LOSSES]; // a shortest one for each, or NULL
    int lengths[LOSSES];            // in moves, with the prefix
};

// Searches with the workers that are open (workers.h). Ends the program if a
// client or the server does something else than in an earlier run.
void search(const struct search_options *options, struct search_result *result);
void search_forget(struct search_result *result);

// The answer of a search about a property, within its bounds.
enum answer {
    ANSWER_LOST,
    ANSWER_CLEAN,     // everything was tried, and it is never lost
    ANSWER_NOT_TRIED, // never lost, but its needs were not met (coverage.h)
    ANSWER_OPEN,      // not lost so far: the search was stopped
};

// "lost", "clean", "not tried", "not lost so far"
const char *answer_word(enum answer answer);

// Makes these moves from the beginning, running them once if something is not
// known. Where they lead.
void search_reach(const struct bounds *bounds, const struct move *moves,
                  int count, struct position *position);

// Can an attempt at this lock have a lease of its own?
bool search_takes_own_lease(const struct bounds *bounds);

// Has the lock's client a second lock?
bool search_has_second_lock(const struct bounds *bounds);

// The number of steps of a schedule in these moves.
int search_steps(const struct move *moves, int count);

// A schedule as a text that replays it, on the lock of this (short) name.
char *search_schedule(const struct move *moves, int count, const char *lock,
                      enum loss loss, const struct bounds *bounds);

// From now on Ctrl-C ends a search, and not the program.
void search_catch_signals(void);

#endif
