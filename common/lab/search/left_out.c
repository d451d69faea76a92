#include "left_out.h"

#include "clients.h"
#include "writes.h"

#include <stdio.h>
#include <stdlib.h>

// --- is it a move? -----------------------------------------------------------

static bool is_same(const struct choice *one, const struct choice *other) {
    if (one->kind != other->kind)
        return false;
    if (choice_names_client(one->kind) && one->client != other->client)
        return false;
    if (choice_names_server(one->kind) && one->server != other->server)
        return false;
    if (choice_names_connection(one->kind))
        return one->connection == other->connection;
    return one->kind != CHOOSE_ASK || (one->operation == other->operation &&
                                       one->lock == other->lock);
}

// The choice that the move begins with. False: it is none of the world's.
static bool begins_with(const struct move *move, struct choice *choice) {
    struct step steps[MAX_STEPS];

    if (move_steps(move, steps) == 0 || steps[0].kind != STEP_CHOICE)
        return false;
    *choice = steps[0].choice;
    return true;
}

static bool is_move(const struct position *position,
                    const struct bounds *bounds, const struct choice *offer) {
    struct move moves[MAX_MOVES];
    struct choice choice;
    int count = position_moves(position, bounds, moves);

    for (int i = 0; i < count; i++)
        if (begins_with(&moves[i], &choice) && is_same(&choice, offer))
            return true;
    return false;
}

// --- what is left out --------------------------------------------------------

// With wider bounds, and nothing assumed, it would be a move.
static bool bounds_forbid(const struct position *position,
                          const struct bounds *bounds,
                          const struct choice *offer) {
    struct position wide = *position;
    struct bounds without = *bounds;

    for (int fault = 0; fault < FAULTS; fault++)
        wide.faults[fault] = 1;
    wide.fault_total = 1;
    for (int i = 0; i < bounds->clients; i++)
        wide.seats[i].rounds = wide.seats[i].nested = wide.seats[i].writes =
            wide.seats[i].asks =
            wide.seats[i].second.rounds = 1;
    without.assumed = 0;
    without.leases++;
    without.redundant_moves = true;
    return is_move(&wide, &without, offer);
}

// Only the end is played, or two that are inside are asked.
// Where writes alone count, there may be nothing more to see.
static bool has_one_way_on(const struct position *position,
                           const struct bounds *bounds) {
    if (bounds->writes > 0)
        return !writes_may_come(position, bounds);
    return position->mode != MODE_FREE || position_crowded(position) >= 0;
}

// No search makes such a choice: docs/explore.md names them.
static bool is_never_tried(const struct position *position,
                           const struct choice *offer,
                           const struct bounds *bounds) {
    const struct seat *seat = &position->seats[offer->client];

    switch (offer->kind) {
    case CHOOSE_ASK:
        // Nobody enters the second lock twice, or releases one not its own.
        return offer->thread > 1 ||
               (offer->lock > 0 && (offer->operation == OPERATION_ENTER) ==
                                       (seat->second.depth > 0)) ||
               (offer->operation != OPERATION_ENTER &&
                offer->operation != OPERATION_LEAVE &&
                (offer->operation != OPERATION_HELD || bounds->asks == 0) &&
                (offer->operation != OPERATION_WRITE || bounds->writes == 0));
    case CHOOSE_SUSPEND: // for a lock without a clock that stands still, a stop
    case CHOOSE_ISOLATE: // each connection can be cut
    case CHOOSE_RECONNECT:
    case CHOOSE_ISOLATE_FROM:
    case CHOOSE_RECONNECT_TO:
    case CHOOSE_REACH: // there is no replica
    case CHOOSE_HOLD_REPLICATION:
    case CHOOSE_OPERATE:
    case CHOOSE_OPERATE_IN_VAIN:
    case CHOOSE_STOP_SERVER: // who waits for its answers waits already
    case CHOOSE_CONTINUE_SERVER:
    case CHOOSE_SYNC_DISK: // a restart is empty
    case CHOOSE_LOSE_UNSYNCED:
    case CHOOSE_WIPE_DISK:
    case CHOOSE_START_SERVER:
        return true;
    default:
        return false;
    }
}

static bool somebody_is(const struct position *position, enum life life) {
    for (int i = 0; i < POSITION_CLIENTS; i++)
        if (position->seats[i].life == life)
            return true;
    return false;
}

static bool somebody_is_due(const struct position *position) {
    for (int i = 0; i < POSITION_CLIENTS; i++)
        if (position->seats[i].life == LIVES &&
            position->seats[i].wait_ns >= 0 &&
            position->seats[i].wait_ns <= position->now_ns)
            return true;
    return false;
}

// A worker that hangs asks nothing. A client outside does not write, and does
// not ask itself. Deeper than twice is as twice. A release without an answer is
// repeated first.
static bool asks_in_vain(const struct position *position,
                         const struct choice *offer) {
    const struct seat *seat = &position->seats[offer->client];

    return seat->hung ||
           ((offer->operation == OPERATION_WRITE ||
             offer->operation == OPERATION_HELD) &&
            !position->view.clients[offer->client].inside[0]) ||
           (offer->operation == OPERATION_ENTER &&
            (seat->depth > 1 || (seat->depth > 0 && seat->leaving)));
}

// Would the choice change nothing, or nothing that another move does not?
static bool of_no_use(const struct position *position,
                      const struct bounds *bounds, const struct choice *offer) {
    const struct seat *seat = &position->seats[offer->client];
    bool idle_outside = !seat->asked && seat->depth == 0 &&
                        seat->second.depth == 0 && !seat->hung;
    int c = offer->connection - 1;

    if (choice_names_client(offer->kind) && offer->client >= bounds->clients)
        return true; // who tries at the end does nothing before
    switch (offer->kind) {
    case CHOOSE_ASK:
        return asks_in_vain(position, offer);
    case CHOOSE_DELIVER: // the dead read nothing; who is stopped reads, and
    case CHOOSE_WAKE:    // wakes, when it continues
        return seat->life != LIVES;
    case CHOOSE_REFUSE: // what its client would hear of it, it does not hear
    case CHOOSE_CUT:
        return seat->life != LIVES || seat->connection[c].abandoned;
    case CHOOSE_GIVE_UP: // the answer is lost: as when the connection breaks.
                         // (A client does not give up on a command that waits
                         // in the server.)
        return seat->life != LIVES || seat->connection[c].abandoned ||
               seat->connection[c].stage == STAGE_ANSWERED ||
               clients_may_block(seat->connection[c].request);
    case CHOOSE_KILL: // when it is stopped: as if it had been then
        return seat->life == STOPPED || idle_outside;
    case CHOOSE_STOP: // outside, without a timer, it is only slow
        return idle_outside || seat->hung;
    case CHOOSE_SKEW: // once, and at the beginning
        return position->now_ns > 0 || seat->history != 0 ||
               seat->life == STOPPED;
    case CHOOSE_ADVANCE: // a timer is punctual, and then the clock moves to
                         // where something can change
        return somebody_is_due(position) ||
               position_next_instant_ns(position) < 0;
    case CHOOSE_KILL_SERVER: // who is stopped would hear of it later
        return somebody_is(position, STOPPED);
    case CHOOSE_SKEW_SERVER: // all clients and one server: nobody compares
        return bounds->masters == 1 || somebody_is(position, STOPPED);
    default:
        return false;
    }
}

// --- everything that was offered ---------------------------------------------

const char *left_out_wrongly(const struct position *position,
                             const struct bounds *bounds,
                             const struct choice *offered, size_t count) {
    static const struct schedule names = {.clients = "ABCDE"};
    static char words[64];

    for (size_t i = 0; i < count; i++) {
        const struct choice *offer = &offered[i];
        if (is_never_tried(position, offer, bounds) ||
            has_one_way_on(position, bounds) ||
            is_move(position, bounds, offer) ||
            bounds_forbid(position, bounds, offer) ||
            of_no_use(position, bounds, offer))
            continue;
        char *step = schedule_step_text(
            &names, &(struct step){STEP_CHOICE, *offer});
        snprintf(words, sizeof words, "%s", step);
        free(step);
        return words;
    }
    return NULL;
}
