// The judge: watches every event of a run and says whether the lock has kept
// its promises, from the clients' own view. Races, searches and games share
// this judge. docs/judge.md defines every promise.
//
// It has three floors, and a file knows only the floors below its own. The
// facts are the lowest (facts.h): the clients inside, the owner of the lock on
// the server, the longest lease, the clients that wait. Each promise, called a
// property, is a file above them. watch.c has all properties in one table, and
// hands each event to each of them, before and after the facts follow it.
//
// A story's own verdict comes first. The properties kept, told, bounded and
// wakeup are watched beside it: a loss of them counts if the story finds none.
// A loss of kept or told also counts if the story cannot happen. A strict judge
// has no story: it counts every loss at once, and mistakes that only lead to
// one.
//
// A search goes back and forth between positions, and stores struct view alone:
// all other fields begin anew with each move.
#ifndef JUDGE_H
#define JUDGE_H

#include "world/event.h"

#include <stdbool.h>
#include <stddef.h>

enum verdict {
    VERDICT_HOLDS,
    VERDICT_BROKEN,
    VERDICT_CANNOT_HAPPEN, // the lock never does what the story needs
    VERDICT_INCONCLUSIVE,  // the run shows nothing about the lock
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
    PROPERTY_PROGRESS,
    PROPERTIES
};

// "exclusion"
const char *property_word(enum property property);

enum { JUDGE_CLIENTS = 8, JUDGE_LOCKS = 2 };

// In place of a client's number: no client; one of several, it is not known
// which.
enum { NOBODY = -1, SOMEBODY = -2 };

// A property that was lost: for cause.h.
struct lost_property {
    enum property property;
    int client; // the one that got in, could not get in, wrote, changed …
    int other;  // the lock's owner, or NOBODY
    int lock;   // of the clients' locks, from 0
    size_t at;  // the last event that the judge had watched, from 0
};

// A loss found beside the story; without a sentence there is none.
struct deferred {
    struct lost_property lost;
    unsigned inside_then; // as in struct judge
    char sentence[256];
};

// --- the properties' own states ----------------------------------------------

struct exclusion {
    // The client did not say "lost" when it was asked, while two were inside.
    bool confirmed[JUDGE_CLIENTS][JUDGE_LOCKS];
};

struct entry_state {
    bool used; // somebody may have left something under the key
    struct {
        bool involved; // has or may have the first lock, or releases it
        bool free;     // the lock has been free since its attempt began
    } clients[JUDGE_CLIENTS];
};

struct kept {
    // The client's last attempt took the lock from another that was inside and
    // had much of its lease left.
    bool robs[JUDGE_CLIENTS];
};

// The effect of a release, so far, on the lock on the server.
enum release {
    RELEASE_UNSEEN,  // none of the release's commands has run
    RELEASE_OWN,     // the lock is the releasing client's, and stands
    RELEASE_ENDED,   // one command has just ended the client's lock
    RELEASE_DONE,    // the lock has ended, or may have
    RELEASE_NOT_OWN, // the lock was not the client's before the first command
    RELEASE_FOREIGN, // the release has changed another client's lock
};

// The news that a client may have in its present operation: bits.
enum hearing {
    HEARD_NOTHING = 0,
    HEARD_ANSWER = 1,  // a command has run
    HEARD_LOSS = 2,    // a command or an answer was lost
    HEARD_ERROR = 4,   // a command was answered with an error
    HEARD_TROUBLE = 8, // something was done to a server: the client's commands
                       // may be lost
    HEARD_NO_SCRIPT = 16, // the server did not know a script, and has done
                          // nothing
};

// A client, for the property told: the part that a search stores, and the rest.
struct told_view {
    bool told_lost; // it was inside, and an answer said that its lock is lost
    enum release release; // by its last release
    bool leaves;    // its last release has no definite answer yet
    unsigned hearing; // of enum hearing
};

struct told {
    bool denied; // the server refused its write, or it was not inside
    bool had_it; // the first lock could be its own when its operation began
    int64_t sure_until_ns; // how long it could be sure of its lock, as it stood
                 // when the last release began
    uint64_t awaits; // 1 << connection: a command has run there, and its answer
                 // has not arrived (after 64 connections, again from 0)
    int64_t sent_ns;  // time of the first command of its last attempt; -1:
                 // none was sent yet
    int64_t lease_ns; // asked for by that attempt
    int64_t end_ns;   // of its last hold's first lease, from sent_ns
    bool late;   // it got in a whole lease after sent_ns, and since then there
                 // was no event on its wire, its clock or a server
    int64_t in_ns; // time at which it got in
    int thread;  // that got in
};

struct bounded {
    bool skewed; // a server's clock was moved
    struct {
        bool dead;
        bool overdue;    // it asks, and a dead client's lock is overdue
        int64_t sign_ns; // time at which its last command ran
    } clients[JUDGE_CLIENTS];
};

struct wakeup {
    int64_t free_ns; // beginning of the time without a lock; -1: there is one
    bool hindered[JUDGE_CLIENTS]; // from being woken, since it waits
};

struct order {
    bool asked; // from now on
    int overtaken[JUDGE_CLIENTS]; // clients that got in first while it waits
};

struct herd {
    bool asked;
    unsigned woken; // 1 << client that has sent something
};

struct leak {
    bool counted[JUDGE_CLIENTS];
    int open[JUDGE_CLIENTS]; // connections at that time
};

// Answers that say nothing about the lock (silence.c).
struct silence {
    bool server_touched; // something was done to a server
    bool troubled[JUDGE_CLIENTS]; // the story disturbs its operation
    bool written[JUDGE_CLIENTS];  // a write of it has run on the server
};

// --- the judge itself --------------------------------------------------------

struct judge {
    // The facts and states that a search stores with a position.
    struct view {
        struct {
            bool inside[JUDGE_LOCKS];
            bool tried;    // an attempt of its has ended
            bool got_in;   // its last attempt has ended with "ok"
            bool believes; // it did not say "lost" when it was asked last
            bool busy;     // in the middle of an operation
            bool stopped;
            bool waits;    // its attempt has patience, and has not ended
            int64_t since_ns; // the beginning of its last attempt
            int thread;    // that got in
            int entry;     // number of its last hold, in order; 0: none
            int claim;     // number of a hold that its command has made on the
                           // server, until the client hears of it; 0: none
            // the operation at the first lock
            bool acquires; // an attempt is under way
            bool releases; // a release is under way
            bool changed;  // the operation has changed the lock
            int depth;     // inside so often when the operation began
            bool late_acquires; // it last gave up on a command of an attempt
            bool late_releases; // … of a release
            bool late;     // that command has changed the lock since the
                           // operation began
            bool unsure;   // the last operation ended with "unknown" or "error"
            // its lock on the server
            int displaced; // the client whose lock it has overwritten, until it
                           // hears whether that was enough; or NOBODY
            int64_t gained_ns; // time at which its command last made the lock
                           // its own, or prolonged it
            int64_t lease_ns; // the longest that its hold can have; 0: it has
                           // asked for none yet
            bool prompt;   // nothing has hindered it from renewing its lock
                           // since the attempt that let it in began
            short place;   // its last in the lock's queue; 0: none; -1: it is
                           // not known which
            bool changed_lock[JUDGE_LOCKS]; // by its own command, since an
                           // operation last had a known end
            bool unproven; // an "ok" was not shown by any change of the lock
            struct told_view told;
        } clients[JUDGE_CLIENTS];
        int entries;    // so far
        int owner;      // of the first lock, as far as it is known (owner.c)
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
        int lock;      // of its last attempt, from 0
        enum result result; // of its last operation but "held"
        int64_t lease_ns; // of its lock that was opened anew; 0: as at first
        struct told told;
    } operations[JUDGE_CLIENTS];
    struct lock_state lock; // the first one, as last seen
    struct lock_state second;
    bool passed_on; // a server has given the first lock to a client that waits,
                    // and the answer to its command has not shown which
    struct order order;
    struct herd herd;
    struct leak leak;
    struct key {
        bool kept;               // the story asks for it
        struct lock_state value; // must stay as it is
        int owner;   // the client whose lock it is, or NOBODY: a program's
        int changer; // the first client that changed it, or NOBODY
    } key;
    struct silence silence;

    const char *names[JUDGE_CLIENTS];
    int client_count;
    bool strict;
    bool writes_only; // a client that is inside and only looks on does no harm
    int64_t lease_ns; // of the clients' locks as they are opened at first
    bool local; // no server knows of the lock: the catalogue says so
    size_t watched;   // events so far
    int64_t now_ns;   // time of the last event

    unsigned found; // bit 1 << property: lost at any time so far
    struct lost_property lost; // the first, if found is not 0
    unsigned inside_then;      // the clients that were inside at that time:
                               // 1 << client
    struct lost_property met;  // the last thing that the story asked for, and
                               // that was not lost; property PROPERTIES: none.
                               // Exclusion: the client had to stay outside
    struct deferred beside; // the first: it counts if the story finds nothing
    struct deferred untrue; // the first loss of told or kept: it also counts if
                            // the story cannot happen
    bool gave_up;   // the verdict stands
    bool blind;     // a client got in, and nothing was seen under the key
    bool crashed;   // a client's process has
    bool over;      // no story goes on after that
    enum verdict verdict;
    char sentence[256]; // the reason, if it is not HOLDS; empty otherwise
};

void judge_open(struct judge *judge);

// The view before anything has happened.
void judge_open_view(struct view *view);

void judge_add_client(struct judge *judge, const char *name);

void judge_watch(struct judge *judge, const struct event *event);

// The next client to ask whether it still holds *lock (from 0), because two
// were told that they are inside. NOBODY: none has to be asked, or none can be
// now.
int judge_next_to_ask(const struct judge *judge, int *lock);

// Is the first lock free, so that a client that asks now has to get in?
bool judge_lock_is_free(const struct view *view);

// The clients that are inside the first lock: 1 << client.
unsigned judge_inside(const struct judge *judge);

// Ends the run: a client that could not be asked counts as inside.
void judge_close(struct judge *judge);

// This client cannot open its lock: the server does not answer its command, as
// another client may be inside.
void judge_lose_opening(struct judge *judge, int client);

// Makes a loss found beside the story the verdict, if the story has found
// nothing; where the story cannot happen, only a loss of told or kept.
void judge_count_beside(struct judge *judge);

// The client that rightly keeps this one out of the first lock. It is inside,
// its lock stands on the server, and one of its commands ran less than a lease
// ago. NOBODY: there is none, or this client has got in.
int judge_rightful_holder(const struct judge *judge, int client);

// The story says that this client, which has just tried or still waits, must
// have got in; `when` completes "B cannot get in …" or "B still waits …".
// Nobody may keep it out rightly.
void judge_require_entry(struct judge *judge, int client, const char *when);

// … must not have got in, and must not wait any more; `when` completes "B gets
// in …" or "B still waits …".
void judge_require_refusal(struct judge *judge, int client, const char *when);

// The value under the key now is another program's; the story says that it must
// be there still.
void judge_note_key(struct judge *judge);
void judge_require_key(struct judge *judge);

// From now on only writes count: a client that is inside and only looks on does
// no harm.
void judge_writes_only(struct judge *judge);

// From now on the client that has waited longest has to get in first.
void judge_keep_order(struct judge *judge);

// From now on at most one of the clients that wait may send something.
void judge_count_woken(struct judge *judge);

// The story says that this client, which has just asked itself, must know that
// its lock is lost.
void judge_require_knowledge(struct judge *judge, int client);

// … still has its lock: the lock on the server is its own.
void judge_require_hold(struct judge *judge, int client);

// … which has just asked itself, must not say that its lock is lost while it is
// not.
void judge_require_belief(struct judge *judge, int client);

// … must have been told by its last operation that its lock is lost.
void judge_require_told_lost(struct judge *judge, int client);

// Notes the number of the client's connections; the story says that it must
// have no more than that. False: they were never counted.
void judge_count_connections(struct judge *judge, int client, int open);
bool judge_require_no_more(struct judge *judge, int client, int open);

// Makes the run INCONCLUSIVE, whatever was found or is found yet.
void judge_give_up(struct judge *judge, const char *why);

// The lock never does what the story needs. The first finding stands.
void judge_cannot_happen(struct judge *judge, const char *why);

// "HOLDS", "BROKEN", "CANNOT HAPPEN", "INCONCLUSIVE"
const char *verdict_word(enum verdict verdict);

// The exit status of a program that prints it: 0, 1, 0, 3.
int verdict_status(enum verdict verdict);

#endif
