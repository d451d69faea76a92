// The facts that several properties need. clients.c knows which clients are
// inside and which wait, and owner.c knows the owner of the lock on the server.
// leases.c knows how long a hold can last, and which clients were hindered from
// renewing it.
#ifndef FACTS_H
#define FACTS_H

#include "judge.h"

#include "base/units.h"

// For clocks that are not equally fast, a careful client counts with less than
// its lease.
#define JUDGE_MARGIN (LEASE / 10)

// Follow an event. Leases see it before the owner does, and prompt clients when
// the rest is known.
void judge_follow_leases(struct judge *judge, const struct event *event);
void judge_follow_owner(struct judge *judge, const struct event *event);
void judge_follow_clients(struct judge *judge, const struct event *event);
void judge_follow_prompt(struct judge *judge, const struct event *event);

// --- clients.c ---------------------------------------------------------------

// Is the result a definite one: neither "unknown" nor "error"?
bool judge_is_definite(enum result result);

// Is the event about an attempt at the first lock?
bool judge_is_attempt(const struct event *event);

// Has something gone wrong in this run with this event?
bool judge_is_disturbance(const struct event *event);

// Does the event end the client's hold, its work or its life?
bool judge_is_departure(const struct event *event);

// Was a server's clock moved?
bool judge_skews_server(const struct event *event);

// The number of clients that were told that they are inside this lock (from 0).
int judge_count_inside(const struct judge *judge, int lock);

// --- owner.c -----------------------------------------------------------------

// A client's place in a queue, if it is not known which.
enum { ANY_PLACE = -1 };

bool judge_same_lock(const struct lock_state *one,
                     const struct lock_state *other);

// May the lock on the server be this client's? Is it, for certain?
bool judge_may_own(const struct judge *judge, int client);
bool judge_owns(const struct judge *judge, int client);

// The other questions are for the time before the facts follow the event.

// Is the command part of a release?
bool judge_releases(const struct judge *judge, const struct event *event);

// Has the client's command changed the first lock? Has it given it the client's
// own value?
bool judge_changes_lock(const struct judge *judge, const struct event *event);
bool judge_takes_lock(const struct judge *judge, const struct event *event);

// Has a release or a renewal changed the lock of another that is inside?
bool judge_changes_foreign(const struct judge *judge,
                           const struct event *event);

// Is the event an "ok" to a client that was outside, without any change of the
// lock that shows it?
bool judge_is_unproven(const struct judge *judge, const struct event *event);

// Is it the end of an attempt by a client that already had a hold? Such an
// attempt needs no command. (A strict judge takes it for an ordinary one.)
bool judge_is_nested(const struct judge *judge, const struct event *event);

// --- leases.c ----------------------------------------------------------------

// The lease of the client's lock as it was opened. (A client that asks for
// another one is not prompt until it is outside again.)
int64_t judge_usual_lease(const struct judge *judge, int client);

// The longest lease that the client's hold can have.
int64_t judge_longest_lease(const struct judge *judge, int client);

// May the deadline of a lock that the server never ends have passed, by this
// client's clock? Then the lock stands and has no owner. In the first lease of
// a run no deadline has passed, unless the clock was set.
bool judge_may_be_past(const struct judge *judge, int client);

// Does the lock stand, and is much left of a lease that began at `since_ns`?
// (The key may stay longer than the lease: a deadline may stand in the value.)
bool judge_has_time_left(const struct judge *judge, int client,
                         int64_t since_ns);

// Has nothing hindered this client, the lock's owner, and is much of its lease
// left?
bool judge_is_in_time(const struct judge *judge, int client);

#endif
