// The parts of the judge: private to judge.c, which knows who is inside, and to
// the files beside it. judge_hold.c knows whose the lock on the server is,
// judge_promises.c what each client was promised, judge_waiting.c who waits.
#ifndef JUDGE_PARTS_H
#define JUDGE_PARTS_H

#include "judge.h"

#include "base/units.h"

// For clocks that are not equally fast, a careful client counts with less than
// its lease.
#define JUDGE_MARGIN (LEASE / 10)

// In a queue: nobody can say which place a client has.
enum { ANY_PLACE = -1 };

// Does it say what has happened? ("unknown" and "error" do not.)
bool judge_is_definite(enum result result);

// Notes a loss. The first one gives the verdict. If a client has heard only
// errors before, it is no loss that a client did not get in or does not know.
// `lost.at` is filled in here.
void judge_find(struct judge *judge, struct lost_property lost,
                const char *sentence);

// The same, but of several losses of one property the last one stands: its
// sentence counts them.
void judge_find_more(struct judge *judge, struct lost_property lost,
                     const char *sentence);

// The verdict is INCONCLUSIVE, unless there is another one: "A hears nothing."
void judge_see_nothing(struct judge *judge, int client, const char *what);

// Notes a loss that a story does not ask for. A strict judge counts it at once,
// any other one as judge_count_beside() says: the story's own sentence says
// more.
void judge_find_beside(struct judge *judge, struct lost_property lost,
                       const char *sentence);

// The same of this client: its name and the words make the sentence.
__attribute__((format(printf, 4, 5)))
void judge_lose(struct judge *judge, enum property property, int client,
                const char *format, ...);

const char *judge_name(const struct judge *judge, int client);

// An attempt or a release has ended. Notes a loss if it says what no answer of
// the server can mean; true if so.
bool judge_finds_no_answer(struct judge *judge, const struct event *event);

// How many clients are inside this lock, from 0, as far as they were told.
int judge_count_inside(const struct judge *judge, int lock);

bool judge_same_lock(const struct lock_state *one,
                     const struct lock_state *other);

// Can the lock that is there be this client's? Is it, for certain?
bool judge_may_own(const struct judge *judge, int client);
bool judge_owns(const struct judge *judge, int client);

// The lease with which the client has opened its lock. (Who asks for another
// one is not called prompt, until it is outside again.)
int64_t judge_usual_lease(const struct judge *judge, int client);

// The longest lease that its hold can have.
int64_t judge_longest_lease(const struct judge *judge, int client);

// Can the deadline of a lock that the server does not end be over, by this
// client's clock? Then the lock is there, and its owner's no more. In the first
// lease of a run none is over, if the clock was not set.
bool judge_may_be_past(const struct judge *judge, int client);

// Of the client whose the lock is: has nothing hindered it, and is much of its
// lease left? (The key may stay longer: a deadline may stand in the value.)
bool judge_has_time_left(const struct judge *judge, int client);

// Clients that wait: wakeup, order, herd.
void judge_watch_waiting(struct judge *judge, const struct event *event);

// What releases and renewals do to the lock; before the lock is followed.
void judge_watch_deeds(struct judge *judge, const struct event *event);

// What each client was promised: kept, told, bounded; after that.
void judge_watch_promises(struct judge *judge, const struct event *event);

// Follows the first lock on the server through the events of clients, and of
// servers.
void judge_watch_lock(struct judge *judge, const struct event *event);
void judge_watch_server_lock(struct judge *judge, const struct event *event);

#endif
