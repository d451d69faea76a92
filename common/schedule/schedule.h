// A schedule: the steps of a race, as a line of text that replays it.
//
//     v1 stage4 A:enter A>< t+30.001 B:enter B>< A:leave A>< C:enter C><
//
//     A:enter       A is told to enter (leave, held, write); /2: its second
//                   lock, @2: its second thread
//     A:enter-for+1 the same, with a lease of a second
//     A>  A2>       what A has sent on its connection (on its second) reaches
//                   the server and runs
//     A<  A2<       the answer reaches A;  A>< is both, one after the other
//     A:refuse      the same as A> while the server refuses all writes
//     A:cut A2:cut  the connection breaks, with what is on its way
//     t+30.001      30.001 seconds pass
//     A:wake        a wait of A's is over
//     A:crash       and what else can happen to A, the server, server 2 …
//
// "strict" after the lock's name asks the judge for every property that it
// knows (judge/judge.h), and not only for those that a story asks for.
//
// "lease+2.5" after that: every lock is opened with a lease of 2.5 seconds.
//
// 'key"orders:1"' after that: the clients' first lock is called so, and not
// "lock".
//
// "masters3" after that: a world of three masters, and not of as many as the
// lock wants.
//
// Clients are there from the start, in the order in which they are named first,
// unless the schedule says when they are opened (A:opens).
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "catalogue/locks.h"
#include "world/choice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum step_kind {
    STEP_CHOICE,         // a choice of the world
    STEP_OPENS,          // the client is started
    STEP_OPENS_TWO,      // the same, with two locks
    STEP_OPENS_TURNED,   // … of which its program opens the second one first
    STEP_REPLICA,        // a replica of the first server is started
    STEP_OPTIONS,        // text: options of the first server; the first step
    STEP_MUST_BE_INSIDE, // the client's last attempt, which may still be
                         // waiting, has to have succeeded
    STEP_MUST_BE_OUTSIDE, // … has to have failed
    STEP_MUST_KNOW,      // the client has to know that its lock is lost
    STEP_MUST_BELIEVE,   // … has not to say that, if it has its lock
    STEP_MUST_HOLD,      // the client's lock has to be there still
    STEP_MUST_HEAR_LOST, // its last operation has to have said "lost"
    STEP_COUNT_CONNECTIONS, // its connections are counted …
    STEP_MUST_HAVE_NO_MORE, // … and have to be no more than then
    STEP_KEEP_KEY,       // what stands under the key is somebody else's …
    STEP_MUST_KEEP_KEY,  // … and has to be there still
    STEP_JUDGE_WRITES,   // from now on only writes count
    STEP_KEEP_ORDER,     // … whoever has waited longest must get in first
    STEP_COUNT_WOKEN,    // … only one of those that wait may send something
    STEP_WORK_DONE,
    STEP_HANGS,
};

// With every kind, the choice says of which client or server.
struct step {
    enum step_kind kind;
    struct choice choice; // its text belongs to the schedule
};

enum { SCHEDULE_KEY_SIZE = 128 };

struct schedule {
    char lock[LOCK_NAME_SIZE]; // as a person would name it: "stage4"
    bool strict; // the judge asks for every property, not for this story's
    int lease_ms; // that every lock is opened with; 0: the usual one
    char key[SCHEDULE_KEY_SIZE]; // of the clients' first lock; "": the usual one
    int masters;  // of the world; 0: as many as the lock wants
    struct step *steps;
    size_t count;
    char clients[MAX_CLIENTS]; // by number: 'A'; 0: no more
};

// Forgets the steps.
void schedule_clear(struct schedule *schedule);

// Adds a step; copies its text.
void schedule_add(struct schedule *schedule, struct step step);
void schedule_add_choice(struct schedule *schedule, struct choice choice);

// The line. The caller frees it.
char *schedule_text(const struct schedule *schedule);

// On whom it was played, where that is not a lock of this checkout.
struct guest {
    const char *command; // NULL: it is one
    const char *key;     // the lock's
    const char *at;      // under which key that one lies; NULL: itself
    const char *engine;  // its name; NULL: the usual one
};

// The command that replays it, quoted for a shell, after "Again: ".
void schedule_print_again(const struct schedule *schedule, struct guest guest,
                          FILE *out);

// One step as in the line: "A:enter", "A>". The caller frees it.
char *schedule_step_text(const struct schedule *schedule,
                         const struct step *step);

// The number of locks with which the step opens a client; 0: it opens none.
int schedule_opens(const struct step *step);

// The step's locks; and the step that opens a client with these.
enum opened schedule_opened(const struct step *step);
struct step schedule_opening(int client, enum opened opened);

// Is the step about a client, and not about a server or time?
bool schedule_names_client(const struct step *step);

// The number of that step in the line, from 1: "A><" is one.
int schedule_number(const struct schedule *schedule, size_t step);

// Reads a line. Ends the program with one line if it is no schedule.
void schedule_parse(struct schedule *schedule, const char *text);

#endif
