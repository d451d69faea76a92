// The coverage of a search: is it enough to call a property clean?
//
// "Clean" says that everything within the bounds was tried and the property was
// never lost. That means nothing if the bounds leave out the very event for it:
// without a nested call nobody can be refused a nested call. So each property
// has needs, and as long as one of them was not met the search says "not
// tried":
//
//   exclusion  a client asked while another was inside; if the lock has a
//              lease, a lease ended under a holder; if clients set timers, one
//              of them was stopped
//   recovery   a client died or hung, or its connection broke, while it was
//              inside or asked to get in
//   entry      a client asked for a free lock, and an owner asked again while
//              it was inside
//   loser      a client was told busy
//   foreign    a release or a renewal ran while another client was inside
//   count      an owner asked again while it was inside, and a client left
//   kept       the first client to get in had set a timer; a client was inside
//              for a whole lease
//   told       a client left; if the lock has a lease, a lease ended under a
//              holder
//   bounded    a client that was inside was killed
//   wakeup     the lock became free while a client that waits slept
//   resource   a write arrived after another client had got in
//
// Nothing is clean if nobody ever got in; or if a client was told "ok" and had
// changed nothing on the server: what it holds, nobody can see.
//
// An assumption meets a need too: under no-stops nobody has to be stopped.
#ifndef COVERAGE_H
#define COVERAGE_H

#include "position.h"

// Events that were seen at least once.
enum witness {
    WITNESS_ENTRY,     // a client got in
    WITNESS_BUSY,      // a client was told busy
    WITNESS_CONTEST,   // a client asked while another was inside
    WITNESS_FREE,      // a client asked for a free lock
    WITNESS_NESTED,    // an owner asked again while it was inside
    WITNESS_LEAVE,     // a client left
    WITNESS_LEASE,     // something on the server had a lease
    WITNESS_EXPIRY,    // a lease ended under a holder
    WITNESS_LATE,      // a release or a renewal ran while another was inside
    WITNESS_ABANDONED, // a client died or hung, or its connection broke, while
                       // it was inside or asked to get in
    WITNESS_TIMER,     // a client set a timer
    WITNESS_STOP,      // a client with a timer was stopped
    WITNESS_PROBE,     // a new client tried at the end
    WITNESS_RENEWS,    // the first client to get in sets a timer
    WITNESS_LEASE_INSIDE, // a client was inside for a whole lease
    WITNESS_KILLED,    // a client that was inside was killed
    WITNESS_SLEPT,     // the lock became free while a client slept
    WITNESS_WRITE,     // a client wrote to what the lock protects
    WITNESS_STALE,     // such a write arrived after another had got in
    WITNESS_BOTH,      // a client was inside both locks (only with two)
    WITNESS_UNPROVEN,  // a client was told "ok" and had changed nothing
    WITNESSES,
};
const char *witness_meaning(enum witness witness);

// Adds what this transition shows.
void coverage_note(bool seen[WITNESSES], const struct position *before,
                   const struct move *move, const struct position *after);

// NULL if every need of the property was met. Else the first that was not, with
// the option that helps: "no owner asked again while it was inside (--nested
// 1)".
const char *coverage_missing(enum loss loss, const struct bounds *bounds,
                             const bool seen[WITNESSES]);

#endif
