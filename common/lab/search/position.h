// A position: the state of a world after a schedule, with everything that
// matters for what can happen next.
//
// It has the server's data, with the rest of the leases, each client's history,
// and its messages on the wire. It also has the rest of the bounds, and the
// judge's knowledge. Equal positions have equal futures.
#ifndef POSITION_H
#define POSITION_H

#include "bounds.h"
#include "memo.h"

#include "judge/judge.h"
#include "schedule/schedule.h"
#include "world/gate.h"

// Up to three, and the fresh one that tries at the end.
enum { POSITION_CLIENTS = MAX_ALIKE, POSITION_CONNECTIONS = 8 };

enum life { LIVES, STOPPED, DEAD };

struct position {
    int64_t now_ns;
    text_id content; // what the server holds: lines of "KEY TTL VALUE"
    text_id scripts; // that it stores, or a mark that it has forgotten all
    struct seat {
        history_id history;
        enum life life;
        bool asked;
        bool hung;
        uint8_t own_s; // the lease that its last operation asked for, or 0
        uint8_t lease_s; // the shortest that it has asked for since it began
                         // to enter
        enum operation operation;
        uint8_t lock;       // the number of that lock, from 0
        enum result result; // of its last operation
        int depth;
        bool leaving; // its last release heard nothing, and has left once
        uint8_t steps; // commands and wakes since time has passed, or since it
                       // was asked to do something
        uint8_t blocked; // its place among the blocked requests, from 1; 0: it
                         // has none there
        int rounds; // left
        int nested; // left
        int writes; // left
        int asks;   // left
        int64_t asked_ns; // when the operation began that let it in
        struct {
            int depth;
            bool leaving;
            int rounds;
            int64_t asked_ns;
        } second; // the same of the second lock
        int64_t wait_ns;  // until when it waits; -1: it does not
        int64_t blocked_ns; // when its request is unblocked by time; -1: never
        bool sleeps; // it waits for the lock, and its attempt was refused
        bool wrote;  // since it got in, a write of its has been taken
        struct {
            uint8_t stage;  // an enum stage: there are many positions
            bool listens;   // what is published reaches it
            uint8_t messages; // such, on their way to it, all of them alike
            bool abandoned; // its client has given up; what is held can run
            bool writes;    // the request is a write to the resource
            text_id request, answer, message;
            text_id noted; // the server's memory of it: WATCH, a transaction
        } connection[POSITION_CONNECTIONS];
    } seats[POSITION_CLIENTS];
    struct view view;
    int faults[FAULTS]; // left
    int fault_total;
    int halfway; // left
    enum mode {
        MODE_FREE,  // anything can happen
        MODE_PROBE, // one lease and a second pass, then a new client tries
        MODE_PROBE_EARLY, // the same, counted from the last command of a
                          // client that was killed
        MODE_END,   // exclusion is lost, or the last try is over
    } mode;
    int64_t probe_ns; // until when time passes before that
};

// A move: a few steps of a schedule that are taken together, mostly one.
enum move_kind {
    MOVE_DELIVER,
    MOVE_FORWARD,
    MOVE_ASK,
    MOVE_WAKE,
    MOVE_TIME,
    MOVE_CONTINUE,
    MOVE_PROBE, // no step: from here on only the end is played
    MOVE_PROBE_EARLY,
    MOVE_WORK_DONE, // only with redundant_moves
    MOVE_CRASH,
    MOVE_STOP,
    MOVE_CUT,
    MOVE_LOSE_ANSWER,
    MOVE_REFUSE,  // as MOVE_FORWARD, while the server refuses to write
    MOVE_GIVE_UP,
    MOVE_LAND,    // as MOVE_FORWARD; nobody waits for the answer
    MOVE_AHEAD,
    MOVE_HANG,
    MOVE_RESTART,
    MOVE_JUMP,
};

struct move {
    enum move_kind kind;
    int client;
    int connection; // from 1
    int server;     // of several masters, from 0
    enum operation operation;
    int lease_s;    // with enter: the lease that it asks for; 0: the usual one
    int64_t ns;
    unsigned breaks; // which assumptions it breaks: 1 << assumption
    int lock;        // of the operation, from 0
};

enum { MAX_MOVES = 64, MAX_STEPS = 3 };

// The losses for which a search looks.
enum loss {
    LOSS_EXCLUSION,
    LOSS_RECOVERY,
    LOSS_ENTRY,
    LOSS_LOSER,
    LOSS_FOREIGN,
    LOSS_COUNT,
    LOSS_KEPT,
    LOSS_TOLD,
    LOSS_BOUNDED,
    LOSS_WAKEUP,   // only where clients wait
    LOSS_RESOURCE, // only where clients write, and then only this and progress
    LOSS_PROGRESS, // everywhere; no goal of a game
    LOSSES,
    USUAL_LOSSES = LOSS_WAKEUP, // those where no client waits or writes
};

// The number of losses of a search without writes.
int losses_sought(const struct bounds *bounds);

// Those for which a search with these bounds looks: 1 << loss.
unsigned losses_looked_for(const struct bounds *bounds);

// The property of the judge that is lost with it.
enum property loss_property(enum loss loss);

// The losses that the judge has found: 1 << loss.
unsigned losses_found(const struct judge *judge);

const char *loss_word(enum loss loss);
const char *loss_meaning(enum loss loss);

void position_begin(struct position *position, const struct bounds *bounds);

// The moves that are possible now, in a fixed order. Returns their number.
int position_moves(const struct position *position, const struct bounds *bounds,
                   struct move moves[MAX_MOVES]);

// The stimulus that the move gives its client, in the words of the client's
// history; NO_TEXT if it gives none.
text_id move_stimulus(const struct position *position, const struct move *move);
// The stimulus of a restart of the server, for one of the clients.
text_id restart_stimulus(const struct seat *seat, const struct move *move,
                         const struct bounds *bounds);

// The occasion of a stimulus that comes now.
struct occasion position_occasion(const struct position *position, int client);

// The master to which this request goes, from 0.
int request_server(text_id request);

// The name of a jump of this master's clock in the memo.
text_id jump_command(const struct position *position,
                     const struct move *move);

// The fault that the move is, or FAULTS. (A stranger's release is an
// operation.)
enum fault move_fault(const struct move *move);

// The steps of a schedule that the move is. How many.
int move_steps(const struct move *move, struct step steps[MAX_STEPS]);

// The time until something changes by itself; -1: nothing does.
int64_t position_next_instant_ns(const struct position *position);

// Is the client outside, and was its last operation a release?
bool seat_has_left(const struct seat *seat);

// Can this client, which is outside, still be made to release by a fault?
bool position_may_release(const struct position *position, int client);

// Is a request or an answer of its on the way?
bool seat_has_pending(const struct seat *seat);

// Where the move leads; not known if a client or the server would have to do
// what has not been seen yet. `losses` is what is lost by it: 1 << loss.
struct outcome {
    bool known;
    uint64_t missing; // what has not been seen yet, as a hash
    int client;       // the reacting client; NOBODY: the server
    unsigned losses;
};
struct outcome position_after(const struct position *position,
                              const struct bounds *bounds,
                              const struct move *move, struct position *after);

// The same without the position that it leads to, and without the losses.
struct outcome position_known(const struct position *position,
                              const struct bounds *bounds,
                              const struct move *move);

// The command that reaches the server by this move: with those that wait before
// it in a transaction; and marked if the server refuses to write.
text_id position_command(const struct position *position,
                         const struct move *move);

// The same when time passes.
text_id time_command(const struct position *position, int64_t ns);

// A hash, the same for all positions that differ only in the clients' names.
struct fingerprint {
    uint64_t high, low;
};
struct fingerprint position_fingerprint(const struct position *position,
                                        const struct bounds *bounds);

// The same where it matters who is who.
struct fingerprint position_own_fingerprint(const struct position *position,
                                            const struct bounds *bounds);

// The dead client whose lock stands on the server; or NOBODY.
int position_dead_owner(const struct position *position);

// The number of clients that are inside for the judge.
int position_inside(const struct position *position);

// A lock inside which the judge sees more than one; -1: none.
int position_crowded(const struct position *position);

#endif
