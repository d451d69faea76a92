// The facts that several properties need, below all of them: clients.c knows
// who is inside and who waits, owner.c whose the lock on the server is,
// leases.c how long a hold lasts and what hinders a client from renewing it.
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

// Does it say what has happened? ("unknown" and "error" do not.)
bool judge_is_definite(enum result result);

// Is the event about an attempt at the first lock?
bool judge_is_attempt(const struct event *event);

// Has something gone wrong in this run with this event?
bool judge_is_disturbance(const struct event *event);

// Does the client end a hold with it, its work or its life?
bool judge_is_departure(const struct event *event);

// Was a server's clock moved?
bool judge_skews_server(const struct event *event);

// How many clients are inside this lock, from 0, as far as they were told.
int judge_count_inside(const struct judge *judge, int lock);

// --- owner.c -----------------------------------------------------------------

// In a queue: nobody can say which place a client has.
enum { ANY_PLACE = -1 };

bool judge_same_lock(const struct lock_state *one,
                     const struct lock_state *other);

// Can the lock that is there be this client's? Is it, for certain?
bool judge_may_own(const struct judge *judge, int client);
bool judge_owns(const struct judge *judge, int client);

// The rest is asked before the facts follow the event.

// Is the command part of a release?
bool judge_releases(const struct judge *judge, const struct event *event);

// Has the client's command changed the first lock? Has it given it the client's
// own value?
bool judge_changes_lock(const struct judge *judge, const struct event *event);
bool judge_takes_lock(const struct judge *judge, const struct event *event);

// Has a release or a renewal changed the lock of another that is inside?
bool judge_changes_foreign(const struct judge *judge,
                           const struct event *event);

// Was the client outside, and is told that it is inside, and nothing shows it?
// A client that has a hold, or had one, and asks for the same lock once more is
// told so without any command. (To a strict judge that is an attempt as every
// other one.)
bool judge_is_unproven(const struct judge *judge, const struct event *event);
bool judge_is_nested(const struct judge *judge, const struct event *event);

// --- leases.c ----------------------------------------------------------------

// The lease with which the client has opened its lock. (Who asks for another
// one is not called prompt, until it is outside again.)
int64_t judge_usual_lease(const struct judge *judge, int client);

// The longest lease that its hold can have.
int64_t judge_longest_lease(const struct judge *judge, int client);

// Can the deadline of a lock that the server does not end be over, by this
// client's clock? Then the lock is there, and its owner's no more. In the first
// lease of a run none is over, if the clock was not set.
bool judge_may_be_past(const struct judge *judge, int client);

// Does the lock stand, and would much of a lease be left that began then? (The
// key may stay longer: a deadline may stand in the value.)
bool judge_has_time_left(const struct judge *judge, int client,
                         int64_t since_ns);

// Has nothing hindered the client whose the lock is, and is much of its lease
// left?
bool judge_is_in_time(const struct judge *judge, int client);

#endif
