#include "coverage.h"

#include "snapshot.h"
#include "writes.h"

#include "base/units.h"

const char *witness_meaning(enum witness witness) {
    static const char *const meanings[] = {
        [WITNESS_ENTRY] = "a client got in",
        [WITNESS_BUSY] = "a client was told busy",
        [WITNESS_CONTEST] = "a client asked while another was inside",
        [WITNESS_FREE] = "a client asked for a free lock",
        [WITNESS_NESTED] = "an owner asked again",
        [WITNESS_LEAVE] = "a client left",
        [WITNESS_LEASE] = "a key had a lease",
        [WITNESS_EXPIRY] = "a lease ended under a holder",
        [WITNESS_LATE] =
            "a release or a renewal ran while another client was inside",
        [WITNESS_ABANDONED] =
            "a client died, hung or was cut off, inside or on its way there",
        [WITNESS_TIMER] = "a client set a timer",
        [WITNESS_STOP] = "a client with a timer was stopped",
        [WITNESS_PROBE] = "a new client tried at the end",
        [WITNESS_RENEWS] = "the first client to get in set a timer",
        [WITNESS_LEASE_INSIDE] = "a client was inside for a whole lease",
        [WITNESS_KILLED] = "a client that was inside was killed",
        [WITNESS_SLEPT] =
            "the lock became free while a client that waits slept",
        [WITNESS_WRITE] = "a client wrote",
        [WITNESS_STALE] =
            "a write arrived after another client had got in",
        [WITNESS_BOTH] = "a client was inside both locks at once",
        [WITNESS_UNPROVEN] =
            "a client was told ok and had changed nothing under the key",
    };
    return meanings[witness];
}

// --- what was seen -----------------------------------------------------------

static bool is_inside(const struct position *position, int client) {
    return position->view.clients[client].inside[0];
}

static bool another_is_inside(const struct position *position, int client) {
    return position_inside(position) > is_inside(position, client);
}

static bool acquires(const struct seat *seat) {
    return seat->asked && seat->operation == OPERATION_ENTER &&
           seat->lock == 0;
}

static bool has_expired_under_holder(const struct position *position) {
    return position_inside(position) > 0 &&
           !snapshot_has_lock(position->content);
}

// An operation without a server ends with the move that begins it.
static void note_result(bool seen[WITNESSES], const struct seat *was,
                        const struct move *move, const struct seat *is) {
    bool began = was->asked || move->kind == MOVE_ASK;

    if (!began || is->asked || is->life != LIVES || is->lock > 0)
        return;
    if (is->operation == OPERATION_ENTER && is->result == RESULT_OK)
        seen[WITNESS_ENTRY] = true;
    if (is->operation == OPERATION_ENTER && is->result == RESULT_BUSY)
        seen[WITNESS_BUSY] = true;
    if (is->operation == OPERATION_ENTER && was->depth > 0)
        seen[WITNESS_NESTED] = true;
    if (is->operation == OPERATION_LEAVE && is->result == RESULT_OK)
        seen[WITNESS_LEAVE] = true;
}

static void note_write(bool seen[WITNESSES], const struct position *before,
                       const struct move *move) {
    const struct seat *seat = &before->seats[move->client];

    if (!seat->connection[move->connection - 1].writes)
        return;
    seen[WITNESS_WRITE] = true;
    if (writes_is_stale(before, move->client))
        seen[WITNESS_STALE] = true;
}

static void note_move(bool seen[WITNESSES], const struct position *before,
                      const struct move *move) {
    int client = move->client;
    const struct seat *seat = &before->seats[client];

    switch (move->kind) {
    case MOVE_ASK:
        if (move->operation != OPERATION_ENTER || move->lock > 0)
            break;
        if (another_is_inside(before, client))
            seen[WITNESS_CONTEST] = true;
        if (judge_lock_is_free(&before->view))
            seen[WITNESS_FREE] = true;
        break;
    case MOVE_FORWARD:
    case MOVE_LAND:
        if (!acquires(seat) && !(seat->asked && seat->lock > 0) &&
            another_is_inside(before, client))
            seen[WITNESS_LATE] = true;
        note_write(seen, before, move);
        break;
    case MOVE_CRASH:
        if (is_inside(before, client))
            seen[WITNESS_KILLED] = true;
        // fall through
    case MOVE_HANG:
    case MOVE_CUT:
    case MOVE_LOSE_ANSWER:
    case MOVE_GIVE_UP:
        if (acquires(seat) || is_inside(before, client))
            seen[WITNESS_ABANDONED] = true;
        break;
    case MOVE_STOP:
        seen[WITNESS_STOP] = true;
        break;
    default:
        break;
    }
}

void coverage_note(bool seen[WITNESSES], const struct position *before,
                   const struct move *move, const struct position *after) {
    const struct seat *is = &after->seats[move->client];

    note_result(seen, &before->seats[move->client], move, is);
    note_move(seen, before, move);
    if (snapshot_next_end_ns(after->content) >= 0)
        seen[WITNESS_LEASE] = true;
    if (move->kind == MOVE_TIME && snapshot_has_lock(before->content) &&
        has_expired_under_holder(after))
        seen[WITNESS_EXPIRY] = true;
    for (int i = 0; i < POSITION_CLIENTS && move->kind == MOVE_TIME; i++)
        if (is_inside(after, i) &&
            after->now_ns - after->seats[i].asked_ns >= LEASE)
            seen[WITNESS_LEASE_INSIDE] = true;
    if (is_inside(after, move->client) &&
        after->view.clients[move->client].inside[1])
        seen[WITNESS_BOTH] = true;
    if (is->life == LIVES && is->wait_ns >= 0)
        seen[WITNESS_TIMER] = true;
    if (after->view.clients[move->client].unproven)
        seen[WITNESS_UNPROVEN] = true;
    for (int i = 0; i < POSITION_CLIENTS; i++)
        if (before->seats[i].sleeps && snapshot_has_lock(before->content) &&
            !snapshot_has_lock(after->content))
            seen[WITNESS_SLEPT] = true;
    if (after->mode == MODE_END && (before->mode == MODE_PROBE ||
                                    before->mode == MODE_PROBE_EARLY))
        seen[WITNESS_PROBE] = true;
}

// --- the needs of a property -------------------------------------------------

// A need that was not met, with the option that helps if it was not given.
// NOLINTNEXTLINE(bugprone-macro-parentheses): strings in () do not join
#define HINT(given, need, option) ((given) ? (need) : need " (" option ")")

static bool assumes(const struct bounds *bounds, enum assumption assumption) {
    return bounds->assumed & 1u << assumption;
}

// Nothing that a holder does takes as long as a lease, or nobody is stopped.
static bool assumes_in_time(const struct bounds *bounds) {
    return assumes(bounds, ASSUME_WORK_FITS_LEASE) ||
           assumes(bounds, ASSUME_PROMPT_WIRE) ||
           assumes(bounds, ASSUME_NO_STOPS);
}

static bool can(const struct bounds *bounds, enum fault fault) {
    return bounds->faults[fault] > 0 && bounds->fault_total > 0;
}

static const char *exclusion_misses(const struct bounds *bounds,
                                    const bool seen[WITNESSES]) {
    if (!seen[WITNESS_CONTEST])
        return HINT(bounds->clients > 1,
                    "no client asked while another was inside", "--clients 2");
    if (seen[WITNESS_LEASE] && !seen[WITNESS_EXPIRY] &&
        (bounds->leases == 0 || !assumes_in_time(bounds)))
        return HINT(bounds->leases > 0, "no lease ended under a holder",
                    "--leases 1");
    if (seen[WITNESS_TIMER] && !seen[WITNESS_STOP] &&
        !assumes(bounds, ASSUME_NO_STOPS))
        return HINT(can(bounds, FAULT_STOP),
                    "no client with a timer was stopped", "--faults stop");
    return NULL;
}

static const char *recovery_misses(const struct bounds *bounds,
                                   const bool seen[WITNESSES]) {
    if (seen[WITNESS_ABANDONED] || assumes(bounds, ASSUME_NO_CRASHES) ||
        assumes(bounds, ASSUME_NO_CRASH_MID_ACQUIRE) ||
        assumes(bounds, ASSUME_NO_HANGS) ||
        assumes(bounds, ASSUME_NOTHING_LOST))
        return NULL;
    return HINT(can(bounds, FAULT_CRASH),
                "no client died or hung, and no connection broke",
                "--faults crash");
}

static const char *loser_misses(const struct bounds *bounds,
                                const bool seen[WITNESSES]) {
    if (seen[WITNESS_BUSY])
        return NULL;
    return HINT(bounds->clients > 1, "no client was told busy", "--clients 2");
}

static const char *foreign_misses(const struct bounds *bounds,
                                  const bool seen[WITNESSES]) {
    if (seen[WITNESS_LATE] || assumes_in_time(bounds) ||
        assumes(bounds, ASSUME_OWN_RELEASES))
        return NULL;
    return HINT(can(bounds, FAULT_STRANGER),
                "no release or renewal ran while another client was inside",
                "--faults stranger");
}

static const char *nesting_misses(const struct bounds *bounds,
                                  const bool seen[WITNESSES]) {
    if (seen[WITNESS_NESTED])
        return NULL;
    return HINT(bounds->nested > 0, "no owner asked again while it was inside",
                "--nested 1");
}

static const char *entry_misses(const struct bounds *bounds,
                                const bool seen[WITNESSES]) {
    return seen[WITNESS_FREE] ? nesting_misses(bounds, seen)
                              : "no client asked for a free lock";
}

static const char *kept_misses(const struct bounds *bounds,
                               const bool seen[WITNESSES]) {
    if (!seen[WITNESS_RENEWS])
        return "the first client to get in set no timer";
    if (seen[WITNESS_LEASE_INSIDE] || assumes(bounds, ASSUME_WORK_FITS_LEASE))
        return NULL;
    return HINT(bounds->leases > 0, "no client was inside for a whole lease",
                "--leases 1");
}

static const char *told_misses(const struct bounds *bounds,
                               const bool seen[WITNESSES]) {
    if (bounds->local)
        return "no server knows of the lock";
    if (!seen[WITNESS_LEAVE])
        return "no client left";
    if (!seen[WITNESS_LEASE] || seen[WITNESS_EXPIRY] ||
        (bounds->leases > 0 && assumes_in_time(bounds)))
        return NULL;
    return HINT(bounds->leases > 0, "no lease ended under a holder",
                "--leases 1");
}

static const char *bounded_misses(const struct bounds *bounds,
                                  const bool seen[WITNESSES]) {
    if (seen[WITNESS_KILLED] || assumes(bounds, ASSUME_NO_CRASHES))
        return NULL;
    return HINT(can(bounds, FAULT_CRASH),
                "no client that was inside was killed", "--faults crash");
}

static const char *wakeup_misses(const struct bounds *bounds,
                                 const bool seen[WITNESSES]) {
    if (bounds->wait_s == 0)
        return "no client waited (--wait 60)";
    if (bounds->local)
        return "no server knows of the lock";
    return seen[WITNESS_SLEPT]
               ? NULL : "the lock never became free while a client slept";
}

static const char *resource_misses(const struct bounds *bounds,
                                   const bool seen[WITNESSES]) {
    if (bounds->writes == 0)
        return "no client wrote (--writes 1)";
    if (seen[WITNESS_STALE] || assumes_in_time(bounds))
        return NULL;
    if (bounds->clients == 1)
        return "no write arrived after another client had got in "
               "(--clients 2)";
    return HINT(can(bounds, FAULT_GIVE_UP),
                "no write arrived after another client had got in",
                "--faults give-up");
}

static const char *count_misses(const struct bounds *bounds,
                                const bool seen[WITNESSES]) {
    return seen[WITNESS_LEAVE] ? nesting_misses(bounds, seen)
                               : "no client left";
}

// Each step could show a loss of progress.
static const char *nothing_misses(const struct bounds *bounds,
                                  const bool seen[WITNESSES]) {
    (void)bounds;
    (void)seen;
    return NULL;
}

const char *coverage_missing(enum loss loss, const struct bounds *bounds,
                             const bool seen[WITNESSES]) {
    static const char *(*const needs[LOSSES])(const struct bounds *,
                                              const bool[WITNESSES]) = {
        [LOSS_EXCLUSION] = exclusion_misses, [LOSS_RECOVERY] = recovery_misses,
        [LOSS_LOSER] = loser_misses,         [LOSS_FOREIGN] = foreign_misses,
        [LOSS_COUNT] = count_misses,         [LOSS_ENTRY] = entry_misses,
        [LOSS_KEPT] = kept_misses,           [LOSS_TOLD] = told_misses,
        [LOSS_BOUNDED] = bounded_misses,     [LOSS_WAKEUP] = wakeup_misses,
        [LOSS_RESOURCE] = resource_misses,   [LOSS_PROGRESS] = nothing_misses,
    };

    if (!seen[WITNESS_ENTRY])
        return "no client got in";
    if (seen[WITNESS_UNPROVEN])
        return "a client was told ok and had changed nothing under the key";
    if (bounds->locks > 1 && !seen[WITNESS_BOTH])
        return "no client was inside both locks at once";
    return needs[loss](bounds, seen);
}
