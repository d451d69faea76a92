// The judge: watches what happens and says whether the lock has kept its
// promise, from the clients' own view. Races, searches and games all have this
// one; docs/judge.md says the same at more length.
//
//   exclusion  at most one client is inside
//   entry      a free lock lets in a client that asks; a client gets in where
//              the story says that it must, and does not where it must not;
//              no server keeps a client from opening its lock
//   loss       a client knows that its lock is lost where it must know
//   resource   no client writes after another client has got in
//   the key    if another program uses the key, its value stays as it is
//   kept       if the lock renews itself, a client that is inside keeps it
//              until it begins its last release, unless it was hindered; any
//              other lock it keeps while much of its lease is left; and where
//              the story says that it must
//   told       the answer to a release is true; nobody is told what no answer
//              of the server can mean ("error" where none was refused,
//              "unknown" where all was answered, "busy" or "error" who has just
//              taken the lock); no client's process crashes; a client that was
//              told that its lock is lost does not say later that it still
//              holds it; one that still has its lock does not say that it is
//              lost, if nothing has hindered it, or if the story asks for it;
//              it is told "lost" where the story says that it must
//   bounded    what a killed client has left is out of the way a lease, and a
//              second for clocks that count whole seconds, after its last
//              command has run
//   wakeup     a client that waits is let in within a second after the lock has
//              become free, unless it was hindered; and where the story says
//              that it must
//   order      where the story asks for it: whoever has waited longest gets in
//              first
//   herd       where the story asks for it: a release makes no more than one of
//              those that wait send something
//   leak       where the story asks for it: what an operation has opened is
//              closed when it is over
//
// Kept, told, bounded and wakeup are judged beside a story: what they find
// counts if the story itself finds nothing, and kept and told also if it cannot
// happen. docs/judge.md says what hinders a client, and of which answers
// nothing can be said.
//
// A strict judge has no story that says what must happen. It also looks at
// mistakes that lead to a loss:
//
//   entry      an owner that asks again, while its lock stands, is not told
//              "busy" or "lost"
//   loser      a client that is told "busy" has changed nothing
//   foreign    no release and no renewal changes the lock of another client
//              that is inside
//   count      the lock is gone after the last of an owner's releases, and not
//              before
//
// Inside is a client that was told "ok", has neither begun to leave nor closed
// its lock, is alive, and whose work goes on; but not one that says, when it is
// asked, that its lock is lost. So when two are inside, both are asked before
// exclusion is lost (judge_next_to_ask). A client that is stopped cannot be
// asked and is inside: its next instruction may be the write. One in the middle
// of an operation is asked when that has ended.
//
// A lock is free as long as no client has asked for it and no operator has done
// anything to the server. It is free again when all clients that asked have
// been told that they are outside, and nothing has gone wrong in this run: no
// connection was cut, no command refused for the story's sake, no process
// stopped or killed, no clock set, no lock closed, nothing done to a server.
//
// An operation that ends with "unknown" or "error" tells nothing about the
// lock, unless the story caused that: it broke a connection, had the server
// down or made it refuse a command during the operation, or did something to
// the server which the server then answered with an error. A write that was
// answered with "ok" has to have reached the server. A client that was outside
// and is told "ok" has to have changed something under the lock's key, by a
// command of its own, in this operation or in one before it whose outcome it
// did not know. (Only of a lock that is local, as the catalogue says, no server
// knows.) Otherwise the verdict is INCONCLUSIVE, unless the lock is BROKEN all
// the same.
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

enum { JUDGE_CLIENTS = 8, JUDGE_LOCKS = 2 };

// Of a client: none; or one of several, and nobody can say which.
enum { NOBODY = -1, SOMEBODY = -2 };

// What was lost first: for cause.h.
struct lost_property {
    enum property property;
    int client; // who got in, could not get in, wrote, changed …
    int other;  // whose lock it was, or NOBODY
    int lock;   // of the clients' locks, from 0
    size_t at;  // the last event that the judge had watched, from 0
};

// What was found beside the story, and when; no sentence: nothing was.
struct deferred {
    struct lost_property lost;
    char sentence[256];
};

// What a release has done so far to the lock on the server.
enum release {
    RELEASE_UNSEEN,  // no command of its has run
    RELEASE_OWN,     // the lock was its client's, and it has not ended it
    RELEASE_ENDED,   // it has just ended it, with one command
    RELEASE_DONE,    // it has ended it, or may have
    RELEASE_NOT_OWN, // before its first command the lock was not its client's
    RELEASE_FOREIGN, // and it has changed another client's
};

// What a client may have heard in the operation that is under way: bits.
enum hearing {
    HEARD_NOTHING = 0,
    HEARD_ANSWER = 1,  // a command of its has run
    HEARD_LOSS = 2,    // a command or an answer was lost
    HEARD_ERROR = 4,   // a command of its was answered with an error
    HEARD_TROUBLE = 8, // something was done to a server: if it has sent
                       // anything, that may be lost
    HEARD_NOSCRIPT = 16, // the server did not know a script, and has done
                         // nothing
};

struct judge {
    // What the judge knows.
    struct view {
        struct {
            bool inside[JUDGE_LOCKS];
            bool tried;    // an attempt of its has been answered
            bool got_in;   // its last attempt has been answered, with "ok"
            bool believes; // when last asked, it did not say "lost"
            int entry;     // which one in order its last hold was; 0: none
            int claim;     // the same of a hold that its command has made on
                           // the server, until it is told so; 0: none
            bool acquires; // an attempt at the first lock is under way
            bool releases; // or a release of it
            bool changed;  // and has changed the lock
            bool late_acquires; // the same when it last gave up on a command
            bool late_releases;
            bool late;     // such a command has changed the lock since the
                           // operation began
            int displaced; // whose lock it has written over, and does not know
                           // yet whether it has it now; NOBODY
            bool robs;     // that one was inside, its lease not nearly over
            int64_t gained_ns; // when a command of its last made the lock its
                           // own, or prolonged it
            int depth;     // how often it was inside when that began
            bool changed_lock[JUDGE_LOCKS]; // a command of its own has, and it
                           // has not been told since how an operation ended
            bool unproven; // it was told "ok" and had changed nothing
            bool unsure;   // its last operation ended with "unknown" or "error"
            bool prompt;   // since the attempt that let it in began, nothing
                           // has kept it from renewing its lock
            bool told_lost; // it was inside, and was told that its lock is lost
            enum release release; // what its last release has done
            bool leaves;   // that release has not been answered definitely
            short place;   // the last that it has taken in the lock's queue; 0:
                           // none; -1: nobody knows which
            int thread;    // on which it got in
            unsigned hearing; // of enum hearing
            bool dead;
            int64_t sign_ns;  // when a command of its ran last
            int64_t lease_ns; // the longest that its hold can have; 0: it has
                           // asked for none yet
            bool overdue;  // it asks, and what a dead one left is in its way
            bool busy;     // in the middle of an operation
            bool stopped;
            bool confirmed[JUDGE_LOCKS]; // asked while two were inside, it
                                         // did not say "lost"
            bool involved; // has or may have the first lock, or releases it
            bool free;     // since its attempt began the lock was free
            bool waits;    // its attempt has patience, and has not ended
            bool hindered; // from being woken, since that began
            int64_t since_ns; // when that was; or its last attempt began
            int overtaken; // how many have got in before it since then
        } clients[JUDGE_CLIENTS];
        int entries; // so far
        int64_t free_ns; // since when there has been no lock; -1: there is one
        int owner;   // whose the first lock is (judge_hold.c)
        bool disturbed; // something has gone wrong in this run
        bool skewed;    // a server's clock was moved
        bool renews;    // a client was seen to renew its lock, or had set a
                        // timer when it got in
        bool used;      // somebody may have left something under the key
    } view;
    struct {
        bool troubled; // the story disturbs the operation that is under way
        bool refused;  // the server has answered it with an error
        bool written;  // a write of it has run on the server
        bool denied;   // or was refused there, or it was not inside
        bool skewed;   // its wall clock was set, at any time
        bool had_it;   // when it began, the first lock could be the client's
        int lock;      // which one its last attempt was at, from 0
        bool waits;    // that has patience, and has not ended
        enum result result; // of its last one that was not "held"
        int64_t lease_ns; // with which its lock was opened anew; 0: as at first
        int64_t sure_until_ns; // noted when its last release began: until then
                       // it could have been sure of its lock
        uint64_t awaits; // 1 << connection: a command has run there, and it has
                       // not heard of that (of 64 the number goes on from 0)
        struct grant {
            int64_t sent_ns;  // when its last attempt has sent its first
                              // command; -1: it has sent none yet
            int64_t lease_ns; // the lease that it has asked for
            int64_t ok_ns;    // when it was let in, if a whole lease had passed
                              // since sent_ns; -1: otherwise, or after any
                              // later event on its wire, its clock or a server
            int thread;       // on which
            int64_t end_ns;   // of its last hold's first lease, from sent_ns
        } grant;
        bool counted; // its connections have been, by the story
        int open;     // how many there were
    } operations[JUDGE_CLIENTS];
    bool server_touched; // something was done to a server
    struct lock_state lock; // the first one, as last seen
    struct lock_state second;
    bool passed_on; // a server has given the first lock to one that waited, and
                    // that one's command has not been answered yet
    const char *names[JUDGE_CLIENTS];
    int client_count;
    struct lock_state kept; // what must stay
    bool writes_only;
    bool order; // it counts who gets in first
    struct {
        bool counts;
        unsigned woken; // bit 1 << client: it has sent something
    } herd;
    bool strict;
    int64_t lease_ns; // with which the clients open their locks at first
    bool local; // no server knows of the lock: the catalogue says so
    struct lost_property lost; // the first, if found is not 0
    size_t watched;   // events so far
    int64_t now_ns;   // when the last one was
    struct deferred beside; // the first: it counts if the story finds nothing
    struct deferred untrue; // the first lie, or hold that was not kept: it also
                            // counts if the story cannot happen
    unsigned found; // bit 1 << property: lost at any time so far
    bool gave_up;   // the verdict stands
    bool crashed;   // a client has, by itself: no story goes on after that
    enum verdict verdict;
    char sentence[256]; // why it is not HOLDS; empty otherwise
};

void judge_open(struct judge *judge);

// What the judge knows at the beginning.
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

// What was found beside the story counts, if the story has found nothing; where
// the story cannot happen, a lie and a hold that was not kept do.
void judge_count_beside(struct judge *judge);

// Who keeps this client out of the first lock, and has a right to: a client
// that is inside, has the lock on the server as its own, and has had a command
// run less than a lease ago. NOBODY: the client has got in, or nobody has such
// a right.
int judge_rightful_holder(const struct judge *judge, int client);

// The story says that this client, which has just tried or still waits, must
// have got in; `when` completes "B cannot get in …" or "B still waits …".
// Nobody may keep it out rightly.
void judge_require_entry(struct judge *judge, int client, const char *when);

// … must not have got in, and must not wait any more; `when` completes "B gets
// in …" or "B still waits …".
void judge_require_refusal(struct judge *judge, int client, const char *when);

// What stands under the key now is somebody else's; the story says that it must
// be there still.
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
