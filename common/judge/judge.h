// The judge: watches what happens and says whether the lock has kept its
// promises, from the clients' own view. Races, searches and games all have this
// one. docs/judge.md defines every promise.
//
// It has three floors, and a file knows only what stands below it. The facts
// are the lowest (facts.h): who is inside, whose the lock on the server is, how
// long a lease can last, who waits. Each promise, a property, is a file of its
// own name above them. watch.c has all properties in one table, and hands each
// event to each of them, before and after the facts follow it.
//
// A story's own verdict comes first. Kept, told, bounded and wakeup are watched
// beside it: what they find counts if the story itself finds nothing, and kept
// and told also if it cannot happen. A strict judge has no story: it counts all
// of them at once, and looks at mistakes that only lead to a loss.
//
// A search goes back and forth between positions, and has room for struct view
// alone: all else that a judge notes begins anew with each move.
#ifndef JUDGE_H
#define JUDGE_H

#include "world/event.h"

#include <stdbool.h>
#include <stddef.h>

enum verdict {
    VERDICT_HOLDS,
    VERDICT_BROKEN,
    VERDICT_CANNOT_HAPPEN, // the lock never does what the story needs
    VERDICT_INCONCLUSIVE,  // what the story needs did not take place
    VERDICTS
};

enum property {
    PROPERTY_EXCLUSION,
    PROPERTY_ENTRY,
    PROPERTY_KNOWLEDGE,
    PROPERTY_RESOURCE,
    PROPERTY_LOSER,
    PROPERTY_FOREIGN,
    PROPERTY_COUNT,
    PROPERTY_KEY,
    PROPERTY_KEPT,
    PROPERTY_TOLD,
    PROPERTY_BOUNDED,
    PROPERTY_WAKEUP,
    PROPERTY_ORDER,
    PROPERTY_HERD,
    PROPERTY_LEAK,
    PROPERTIES
};

// "exclusion"
const char *property_word(enum property property);

enum { JUDGE_CLIENTS = 8, JUDGE_LOCKS = 2 };

// Of a client: none; or one of several, and nobody can say which.
enum { NOBODY = -1, SOMEBODY = -2 };

// The property that was lost first: for cause.h.
struct lost_property {
    enum property property;
    int client; // who got in, could not get in, wrote, changed …
    int other;  // whose lock it was, or NOBODY
    int lock;   // of the clients' locks, from 0
    size_t at;  // the last event that the judge had watched, from 0
};

// A loss found beside the story; no sentence: there is none.
struct deferred {
    struct lost_property lost;
    char sentence[256];
};

// --- the properties' own states ----------------------------------------------

struct exclusion {
    // Asked while two were inside, it did not say "lost".
    bool confirmed[JUDGE_CLIENTS][JUDGE_LOCKS];
};

struct entry_state {
    bool used; // somebody may have left something under the key
    struct {
        bool involved; // has or may have the first lock, or releases it
        bool free;     // since its attempt began the lock was free
    } clients[JUDGE_CLIENTS];
};

struct kept {
    // Its last attempt took the lock from one that was inside, with a lease
    // that was not nearly over.
    bool robs[JUDGE_CLIENTS];
};

// The effect that a release has had so far on the lock on the server.
enum release {
    RELEASE_UNSEEN,  // no command of its has run
    RELEASE_OWN,     // the lock was its client's, and it has not ended it
    RELEASE_ENDED,   // it has just ended it, with one command
    RELEASE_DONE,    // it has ended it, or may have
    RELEASE_NOT_OWN, // before its first command the lock was not its client's
    RELEASE_FOREIGN, // and it has changed another client's
};

// The news that a client may have had in the operation that is under way: bits.
enum hearing {
    HEARD_NOTHING = 0,
    HEARD_ANSWER = 1,  // a command of its has run
    HEARD_LOSS = 2,    // a command or an answer was lost
    HEARD_ERROR = 4,   // a command of its was answered with an error
    HEARD_TROUBLE = 8, // something was done to a server: if it has sent
                       // anything, that may be lost
    HEARD_NO_SCRIPT = 16, // the server did not know a script, and has done
                          // nothing
};

struct told_view {
    bool told_lost; // it was inside, and was told that its lock is lost
    enum release release; // of its last one
    bool leaves;    // that one has not been answered definitely
    unsigned hearing; // of enum hearing
};

struct told {
    bool denied; // a write was refused to it, or it was not inside
    bool had_it; // when its operation began, the first lock could be its own
    int64_t sure_until_ns; // noted when its last release began: until then it
                 // could have been sure of its lock
    uint64_t awaits; // 1 << connection: a command has run there, and it has not
                 // heard of that (of 64 the number goes on from 0)
    int64_t sent_ns;  // when its last attempt has sent its first command; -1:
                 // it has sent none yet
    int64_t lease_ns; // the lease that it has asked for
    int64_t end_ns;   // of its last hold's first lease, from sent_ns
    bool late;   // it was let in when a whole lease had passed since sent_ns,
                 // and there was no event since on its wire, its clock or a
                 // server
    int64_t in_ns; // when it was let in
    int thread;  // on which
};

struct bounded {
    bool skewed; // a server's clock was moved
    struct {
        bool dead;
        bool overdue;    // it asks, and a dead one's lock is overdue
        int64_t sign_ns; // when a command of its ran last
    } clients[JUDGE_CLIENTS];
};

struct wakeup {
    int64_t free_ns; // since when there has been no lock; -1: there is one
    bool hindered[JUDGE_CLIENTS]; // from being woken, since it waits
};

struct order {
    bool asked; // from now on
    int overtaken[JUDGE_CLIENTS]; // how many have got in before it, since it
                                  // waits
};

struct herd {
    bool asked;
    unsigned woken; // 1 << client: it has sent something
};

struct leak {
    bool counted[JUDGE_CLIENTS];
    int open[JUDGE_CLIENTS]; // connections, when they were counted
};

// An answer that tells nothing about the lock (silence.c).
struct silence {
    bool server_touched; // something was done to a server
    bool troubled[JUDGE_CLIENTS]; // the story disturbs its operation
    bool written[JUDGE_CLIENTS];  // a write of it has run on the server
};

// --- what all of them share --------------------------------------------------

struct judge {
    // The facts that last, and the properties' states that do.
    struct view {
        struct {
            bool inside[JUDGE_LOCKS];
            bool tried;    // an attempt of its has been answered
            bool got_in;   // its last attempt has been answered, with "ok"
            bool believes; // when last asked, it did not say "lost"
            bool busy;     // in the middle of an operation
            bool stopped;
            bool waits;    // its attempt has patience, and has not ended
            int64_t since_ns; // when that, or its last attempt, began
            int thread;    // on which it got in
            int entry;     // which one in order its last hold was; 0: none
            int claim;     // the same of a hold that its command has made on
                           // the server, until it is told so; 0: none
            // the operation at the first lock
            bool acquires; // an attempt is under way
            bool releases; // or a release
            bool changed;  // and has changed the lock
            int depth;     // how often it was inside when that began
            bool late_acquires; // the same when it last gave up on a command
            bool late_releases;
            bool late;     // such a command has changed the lock since the
                           // operation began
            bool unsure;   // its last one ended with "unknown" or "error"
            // its lock on the server
            int displaced; // the client whose lock it has written over, and
                           // does not know yet whether it has it now; NOBODY
            int64_t gained_ns; // when a command of its last made the lock its
                           // own, or prolonged it
            int64_t lease_ns; // the longest that its hold can have; 0: it has
                           // asked for none yet
            bool prompt;   // since the attempt that let it in began, nothing
                           // has kept it from renewing its lock
            short place;   // the last that it has taken in the lock's queue; 0:
                           // none; -1: nobody knows which
            bool changed_lock[JUDGE_LOCKS]; // a command of its own has, and it
                           // has not been told since how an operation ended
            bool unproven; // it was told "ok" and had changed nothing
            struct told_view told;
        } clients[JUDGE_CLIENTS];
        int entries;    // so far
        int owner;      // of the first lock, as far as is known (owner.c)
        bool disturbed; // something has gone wrong in this run
        bool renews;    // a client was seen to renew its lock, or had set a
                        // timer when it got in
        bool empty_is_free; // a release has left an empty value under the key
        struct exclusion exclusion;
        struct entry_state entry;
        struct kept kept;
        struct bounded bounded;
        struct wakeup wakeup;
    } view;
    struct {
        bool refused;  // the server has answered its operation with an error
        bool skewed;   // its wall clock was set, at any time
        bool waits;    // its operation has patience, and has not ended
        int lock;      // which one its last attempt was at, from 0
        enum result result; // of its last one that was not "held"
        int64_t lease_ns; // with which its lock was opened anew; 0: as at first
        struct told told;
    } operations[JUDGE_CLIENTS];
    struct lock_state lock; // the first one, as last seen
    struct lock_state second;
    bool passed_on; // a server has given the first lock to one that waited, and
                    // that one's command has not been answered yet
    struct order order;
    struct herd herd;
    struct leak leak;
    struct lock_state key; // what must stay
    struct silence silence;

    const char *names[JUDGE_CLIENTS];
    int client_count;
    bool strict;
    bool writes_only; // who is inside and only looks on does no harm
    int64_t lease_ns; // with which the clients open their locks at first
    bool local; // no server knows of the lock: the catalogue says so
    size_t watched;   // events so far
    int64_t now_ns;   // when the last one was

    unsigned found; // bit 1 << property: lost at any time so far
    struct lost_property lost; // the first, if found is not 0
    struct deferred beside; // the first: it counts if the story finds nothing
    struct deferred untrue; // the first lie, or hold that was not kept: it also
                            // counts if the story cannot happen
    bool gave_up;   // the verdict stands
    bool blind;     // a client got in, and nothing was seen under the key
    bool crashed;   // a client has, by itself: no story goes on after that
    enum verdict verdict;
    char sentence[256]; // why it is not HOLDS; empty otherwise
};

void judge_open(struct judge *judge);

// The view before anything has happened.
void judge_open_view(struct view *view);

void judge_add_client(struct judge *judge, const char *name);

void judge_watch(struct judge *judge, const struct event *event);

// Two are inside as far as they were told: whom to ask next whether it still
// holds *lock (from 0); NOBODY: nobody has to be asked, or can be now.
int judge_next_to_ask(const struct judge *judge, int *lock);

// Is the first lock free, so that a client that asks now has to get in?
bool judge_lock_is_free(const struct view *view);

// The run is over: who could not be asked was inside.
void judge_close(struct judge *judge);

// This client cannot open its lock: the server keeps what it has sent for that,
// while another client may be inside.
void judge_lose_opening(struct judge *judge, int client);

// A loss found beside the story counts, if the story has found nothing; where
// the story cannot happen, a lie and a hold that was not kept do.
void judge_count_beside(struct judge *judge);

// The client that keeps this one out of the first lock rightly: it is inside,
// has the lock on the server as its own, and has had a command run less than a
// lease ago. NOBODY: the one that asks has got in, or nobody has such a right.
int judge_rightful_holder(const struct judge *judge, int client);

// The story says that this client, which has just tried or still waits, must
// have got in; `when` completes "B cannot get in …" or "B still waits …".
// Nobody may keep it out rightly.
void judge_require_entry(struct judge *judge, int client, const char *when);

// … must not have got in, and must not wait any more; `when` completes "B gets
// in …" or "B still waits …".
void judge_require_refusal(struct judge *judge, int client, const char *when);

// The value under the key is somebody else's; the story says that it must be
// there still.
void judge_keep(struct judge *judge);
void judge_require_kept(struct judge *judge);

// From now on it is writes that count: who is inside and only looks on does no
// harm.
void judge_writes_only(struct judge *judge);

// From now on whoever has waited longest has to get in first.
void judge_keep_order(struct judge *judge);

// From now on no more than one of those that wait may send something.
void judge_count_woken(struct judge *judge);

// The story says that this client, which has just asked itself, must know that
// its lock is lost.
void judge_require_knowledge(struct judge *judge, int client);

// … still has its lock: the lock on the server is its own.
void judge_require_hold(struct judge *judge, int client);

// … which has just asked itself, must not say that its lock is lost, if it has
// it still.
void judge_require_belief(struct judge *judge, int client);

// … must have been told by its last operation that its lock is lost.
void judge_require_told_lost(struct judge *judge, int client);

// The client has so many connections now; it must have no more than it had when
// they were counted. False: they were not.
void judge_count_connections(struct judge *judge, int client, int open);
bool judge_require_no_more(struct judge *judge, int client, int open);

// The run tells nothing about the lock, whatever was found or is found yet.
void judge_give_up(struct judge *judge, const char *why);

// The lock never does what the story needs. The first finding stands.
void judge_cannot_happen(struct judge *judge, const char *why);

// "HOLDS", "BROKEN", "CANNOT HAPPEN", "INCONCLUSIVE"
const char *verdict_word(enum verdict verdict);

// The exit status of a program that prints it: 0, 1, 0, 3.
int verdict_status(enum verdict verdict);

#endif
