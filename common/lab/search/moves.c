// The moves from a position, and the stimulus that each gives a client.
#include "snapshot.h"
#include "clients.h"
#include "writes.h"

#include "base/units.h"
#include "base/fail.h"

// A lock whose end the server does not know is over by then.
static const int64_t WELL_AFTER = LEASE + SECOND;
static const int64_t AHEAD = 40 * SECOND;

struct list {
    const struct position *position;
    const struct bounds *bounds;
    struct move *moves;
    int count;
};

static unsigned breaking(enum assumption assumption, bool broken) {
    return broken ? 1u << assumption : 0;
}

static void add(struct list *list, struct move move) {
    if (move.breaks & list->bounds->assumed)
        return;
    if (list->count == MAX_MOVES)
        fail("more than %d moves are possible at one point: fewer "
             "clients or faults, please", MAX_MOVES);
    list->moves[list->count++] = move;
}

static bool fault_left(const struct list *list, enum fault fault) {
    return list->position->faults[fault] > 0 &&
           list->position->fault_total > 0;
}

static bool is_due(const struct position *position, int client) {
    const struct seat *seat = &position->seats[client];
    return seat->life == LIVES && seat->wait_ns >= 0 &&
           seat->wait_ns <= position->now_ns;
}

// One of its locks.
static bool is_inside(const struct seat *seat) {
    return seat->depth > 0 || seat->second.depth > 0;
}

// --- time -------------------------------------------------------------------

// Until the server ends a wait of the client's by itself; -1: it does not. When
// the lock is free, time stops before that: a second later the client should be
// inside. (It is hindered if an answer comes while time passes.)
static int64_t next_unblocking_ns(const struct position *position, int client) {
    const struct seat *seat = &position->seats[client];
    const struct view *view = &position->view;
    int64_t since_ns = view->clients[client].since_ns;
    int64_t end_ns = seat->blocked_ns < 0 ? INT64_MAX : seat->blocked_ns;

    if (!seat->blocked || seat->life == DEAD)
        return -1;
    if (view->wakeup.free_ns > since_ns)
        since_ns = view->wakeup.free_ns;
    if (view->wakeup.free_ns >= 0 && since_ns + SECOND > position->now_ns &&
        since_ns + SECOND < end_ns)
        end_ns = since_ns + SECOND;
    return end_ns == INT64_MAX ? -1 : end_ns - position->now_ns;
}

int64_t position_next_instant_ns(const struct position *position) {
    int64_t next_ns = snapshot_next_end_ns(position->content);
    bool somebody = snapshot_has_lock(position->content);

    for (int i = 0; i < POSITION_CLIENTS; i++) {
        const struct seat *seat = &position->seats[i];
        int64_t ns = seat->wait_ns - position->now_ns;
        int64_t blocked_ns = next_unblocking_ns(position, i);
        somebody = somebody || seat->asked || is_inside(seat);
        if (blocked_ns > 0 && (next_ns < 0 || blocked_ns < next_ns))
            next_ns = blocked_ns;
        if (seat->life != DEAD && seat->wait_ns >= 0 && ns > 0 &&
            (next_ns < 0 || ns < next_ns))
            next_ns = ns;
    }
    return next_ns < 0 && somebody ? WELL_AFTER : next_ns;
}

static unsigned broken_by_time(const struct position *position, int64_t ns) {
    unsigned breaks = 0;

    for (int i = 0; i < POSITION_CLIENTS; i++) {
        const struct seat *seat = &position->seats[i];
        breaks |= breaking(ASSUME_PROMPT_WIRE, seat_has_pending(seat));
        breaks |= breaking(ASSUME_WORK_FITS_LEASE,
                           position->view.clients[i].inside[1] &&
                           seat->life == LIVES && !seat->asked &&
                           position->now_ns + ns - seat->second.asked_ns >=
                               LEASE);
        breaks |= breaking(ASSUME_WORK_FITS_LEASE,
                           position->view.clients[i].inside[0] &&
                           seat->life == LIVES && !seat->asked &&
                           position->now_ns + ns - seat->asked_ns >=
                               seat->lease_s * SECOND);
    }
    return breaks;
}

// The most time that may pass: the leases, and an attempt's own one, each with
// a second after it; and the further seconds.
static int64_t most_ns(const struct bounds *bounds) {
    int64_t own_ns = bounds->own_lease_s * SECOND;

    return bounds->leases * WELL_AFTER + (own_ns > 0 ? own_ns + SECOND : 0) +
           bounds->time_s * SECOND;
}

static void add_time(struct list *list) {
    const struct position *position = list->position;
    int64_t ns = position_next_instant_ns(position);
    int64_t left_ns = most_ns(list->bounds) - position->now_ns;

    for (int i = 0; i < POSITION_CLIENTS; i++)
        if (is_due(position, i))
            return; // a timer is punctual, or its process is stopped
    if (ns < 0 || left_ns <= 0)
        return;
    if (ns > left_ns && list->bounds->time_s == 0)
        return; // a lease more, or nothing
    ns = ns < left_ns ? ns : left_ns;
    add(list, (struct move){.kind = MOVE_TIME, .ns = ns,
                            .breaks = broken_by_time(position, ns)});
    // Halfway to the end of a lease it can be seen that a lease is begun anew.
    ns = ns / 2 / MILLISECOND * MILLISECOND;
    if (position->halfway > 0 && ns > 0 &&
        snapshot_next_end_ns(position->content) >= 0)
        add(list, (struct move){.kind = MOVE_TIME, .ns = ns,
                                .breaks = broken_by_time(position, ns)});
}

// --- clients ----------------------------------------------------------------

// Is an answer or a message on its way to the client?
static bool comes_back(const struct seat *seat, int c) {
    return seat->connection[c].stage == STAGE_ANSWERED ||
           seat->connection[c].messages > 0;
}

static void add_wire(struct list *list, int client) {
    const struct seat *seat = &list->position->seats[client];

    for (int c = 0; c < POSITION_CONNECTIONS; c++) {
        struct move move = {.client = client, .connection = c + 1};
        if (comes_back(seat, c) && seat->life == LIVES) {
            move.kind = MOVE_DELIVER;
            add(list, move);
        } else if (seat->connection[c].stage == STAGE_HELD) {
            move.kind = seat->connection[c].abandoned ? MOVE_LAND
                                                      : MOVE_FORWARD;
            move.breaks =
                breaking(ASSUME_NO_GIVE_UPS, move.kind == MOVE_LAND) |
                breaking(ASSUME_NEW_HOLDER_WRITES,
                         seat->connection[c].writes &&
                         writes_is_stale_to_silent(list->position, client));
            add(list, move);
        }
    }
}

static void add_ask(struct list *list, int client, enum operation operation) {
    add(list, (struct move){.kind = MOVE_ASK, .client = client,
                            .operation = operation});
}

static void add_ask_second(struct list *list, int client,
                           enum operation operation) {
    add(list, (struct move){.kind = MOVE_ASK, .client = client, .lock = 1,
                            .operation = operation});
}

// Adds an enter, which waits for the lock if the bounds say so, and one with a
// lease of its own.
static void add_enter(struct list *list, int client, int wait_s) {
    struct move move = {.kind = MOVE_ASK, .client = client,
                        .operation = OPERATION_ENTER, .ns = wait_s * SECOND};

    add(list, move);
    move.lease_s = list->bounds->own_lease_s;
    if (move.lease_s > 0)
        add(list, move);
}

static void add_operations(struct list *list, int client) {
    const struct seat *seat = &list->position->seats[client];

    if (seat->life != LIVES || seat->asked || seat->hung)
        return;
    if (seat->depth == 0 && seat->rounds > 0)
        add_enter(list, client, list->bounds->wait_s);
    if (seat->depth > 0)
        add_ask(list, client, OPERATION_LEAVE);
    if (seat->depth == 1 && seat->nested > 0 && !seat->leaving)
        add_enter(list, client, 0);
    if (seat->writes > 0 && list->position->view.clients[client].inside[0])
        add_ask(list, client, OPERATION_WRITE);
    if (seat->asks > 0 && list->position->view.clients[client].inside[0])
        add_ask(list, client, OPERATION_HELD);
    if (seat->second.depth == 0 && seat->second.rounds > 0)
        add_ask_second(list, client, OPERATION_ENTER);
    if (seat->second.depth > 0)
        add_ask_second(list, client, OPERATION_LEAVE);
    if (list->bounds->redundant_moves &&
        list->position->view.clients[client].inside[0])
        add(list, (struct move){.kind = MOVE_WORK_DONE, .client = client});
}

static void add_wake(struct list *list, int client) {
    if (is_due(list->position, client))
        add(list, (struct move){.kind = MOVE_WAKE, .client = client});
}

// --- faults -----------------------------------------------------------------

static void add_fault(struct list *list, enum fault fault, struct move move,
                      unsigned breaks) {
    move.breaks = breaks;
    if (fault_left(list, fault))
        add(list, move);
}

static void add_cuts(struct list *list, int client) {
    const struct seat *seat = &list->position->seats[client];

    for (int c = 0; c < POSITION_CONNECTIONS && seat->life == LIVES; c++) {
        struct move move = {.client = client, .connection = c + 1};
        unsigned breaks = 1u << ASSUME_NOTHING_LOST;
        if (seat->connection[c].abandoned)
            continue;
        if (seat->connection[c].stage == STAGE_HELD) {
            move.kind = MOVE_CUT;
            add_fault(list, FAULT_CUT, move, breaks);
            move.kind = MOVE_REFUSE;
            add_fault(list, FAULT_REFUSE, move, 1u << ASSUME_NO_REFUSALS);
            move.kind = MOVE_GIVE_UP;
            if (!clients_may_block(seat->connection[c].request))
                add_fault(list, FAULT_GIVE_UP, move, 1u << ASSUME_NO_GIVE_UPS);
        } else if (comes_back(seat, c)) {
            move.kind = MOVE_LOSE_ANSWER;
            add_fault(list, FAULT_LOSE_ANSWER, move, breaks);
        } else if (seat->connection[c].listens ||
                   seat->connection[c].stage == STAGE_BLOCKED) {
            move.kind = MOVE_CUT;
            add_fault(list, FAULT_CUT, move, breaks);
        }
    }
}

static void add_faults(struct list *list, int client) {
    const struct position *position = list->position;
    const struct seat *seat = &position->seats[client];
    bool idle = seat->life == LIVES && !seat->asked && !seat->hung;
    struct move move = {.client = client};

    move.kind = MOVE_CONTINUE;
    if (seat->life == STOPPED)
        add(list, move);
    move.kind = MOVE_CRASH;
    if (seat->life == LIVES && (seat->asked || is_inside(seat) || seat->hung))
        add_fault(list, FAULT_CRASH, move,
                  1u << ASSUME_NO_CRASHES |
                  breaking(ASSUME_NO_CRASH_MID_ACQUIRE,
                           seat->asked &&
                           seat->operation == OPERATION_ENTER));
    // Without a timer to miss, to be stopped is only to be slow.
    move.kind = MOVE_STOP;
    if (seat->life == LIVES &&
        (seat->wait_ns >= 0 ||
         (list->bounds->redundant_moves && (seat->asked || is_inside(seat)))))
        add_fault(list, FAULT_STOP, move, 1u << ASSUME_NO_STOPS);
    move.kind = MOVE_HANG;
    if (idle && seat->depth > 0)
        add_fault(list, FAULT_HANG, move, 1u << ASSUME_NO_HANGS);
    move.kind = MOVE_AHEAD;
    move.ns = AHEAD;
    if (idle && seat->history == 0 && position->now_ns == 0)
        add_fault(list, FAULT_AHEAD, move, 1u << ASSUME_EQUAL_CLOCKS);
    move = (struct move){.kind = MOVE_ASK, .client = client,
                         .operation = OPERATION_LEAVE};
    if (position_may_release(position, client))
        add_fault(list, seat_has_left(seat) ? FAULT_AGAIN : FAULT_STRANGER,
                  move, 1u << ASSUME_OWN_RELEASES);
    add_cuts(list, client);
}

// --- the end ----------------------------------------------------------------

// Is no client inside or trying, nothing on its way, and still a lock on the
// server?
static bool is_quiet(const struct position *position, int clients) {
    for (int i = 0; i < clients; i++) {
        const struct seat *seat = &position->seats[i];
        bool out = seat->life == DEAD ||
                   (seat->life == LIVES && !seat->asked &&
                    (seat->hung || !is_inside(seat)));
        if (!out || seat_has_pending(seat))
            return false;
    }
    return snapshot_has_lock(position->content);
}

// Adds the end: all messages arrive, timers are punctual, and when time is over
// a new client tries.
static void add_end(struct list *list) {
    const struct position *position = list->position;
    int fresh = list->bounds->clients;
    int64_t left_ns = position->probe_ns - position->now_ns;
    int64_t next_ns = position_next_instant_ns(position);

    for (int i = 0; i <= fresh && list->count == 0; i++)
        add_wire(list, i);
    for (int i = 0; i < fresh && list->count == 0; i++)
        add_wake(list, i);
    if (list->count > 0)
        list->count = 1;
    else if (left_ns > 0)
        add(list, (struct move){
            .kind = MOVE_TIME,
            .ns = next_ns > 0 && next_ns < left_ns ? next_ns : left_ns});
    else if (!position->seats[fresh].asked)
        add_ask(list, fresh, OPERATION_ENTER);
}

// Adds the attempts of a new client, a lease and a second after everything has
// ended. If a killed client's last command ran before, the time counts from
// there.
static void add_probes(struct list *list) {
    const struct position *position = list->position;
    int dead = position_dead_owner(position);

    add(list, (struct move){.kind = MOVE_PROBE});
    if (dead != NOBODY &&
        position->view.bounded.clients[dead].sign_ns < position->now_ns)
        add(list, (struct move){.kind = MOVE_PROBE_EARLY});
}

// Two are inside: they are asked whether they still believe so, once they have
// ended what they are doing. With the answers the judge decides.
static bool add_doubt(struct list *list) {
    const struct position *position = list->position;
    const struct view *view = &position->view;
    int lock = position_crowded(position);

    if (lock < 0)
        return false;
    for (int i = 0; i < POSITION_CLIENTS && list->count == 0; i++) {
        if (!view->clients[i].inside[lock] || view->clients[i].stopped)
            continue;
        if (view->clients[i].busy) // also an operation that it has begun before
            add_wire(list, i);
        else if (!view->exclusion.confirmed[i][lock] && lock == 0)
            add_ask(list, i, OPERATION_HELD);
        else if (!view->exclusion.confirmed[i][lock])
            add_ask_second(list, i, OPERATION_HELD);
    }
    if (list->count > 1)
        list->count = 1;
    return true;
}

int position_moves(const struct position *position, const struct bounds *bounds,
                   struct move moves[MAX_MOVES]) {
    struct list list = {position, bounds, moves, 0};

    if (position->mode == MODE_END)
        return 0;
    if (position->mode == MODE_PROBE || position->mode == MODE_PROBE_EARLY) {
        add_end(&list);
        return list.count;
    }
    if (bounds->writes > 0 && !writes_may_come(position, bounds))
        return 0;
    if (bounds->writes == 0 && add_doubt(&list))
        return list.count;
    for (int i = 0; i < bounds->clients; i++) {
        add_wire(&list, i);
        add_wake(&list, i);
    }
    add_time(&list); // before new operations: that reads more naturally
    for (int i = 0; i < bounds->clients; i++)
        add_operations(&list, i);
    if (bounds->writes == 0 && is_quiet(position, bounds->clients))
        add_probes(&list);
    for (int i = 0; i < bounds->clients; i++)
        add_faults(&list, i);
    // A stopped client would hear of it when it continues: not distinguished.
    for (int i = 0; i < bounds->clients; i++)
        if (position->seats[i].life == STOPPED)
            return list.count;
    for (int i = 0; i < bounds->masters; i++) {
        add_fault(&list, FAULT_RESTART,
                  (struct move){.kind = MOVE_RESTART, .server = i},
                  1u << ASSUME_SERVER_KEEPS_MEMORY);
        add_fault(&list, FAULT_JUMP,
                  (struct move){.kind = MOVE_JUMP, .server = i, .ns = AHEAD},
                  1u << ASSUME_EQUAL_CLOCKS);
    }
    return list.count;
}

enum fault move_fault(const struct move *move) {
    switch (move->kind) {
    case MOVE_CRASH:       return FAULT_CRASH;
    case MOVE_STOP:        return FAULT_STOP;
    case MOVE_CUT:         return FAULT_CUT;
    case MOVE_LOSE_ANSWER: return FAULT_LOSE_ANSWER;
    case MOVE_REFUSE:      return FAULT_REFUSE;
    case MOVE_GIVE_UP:     return FAULT_GIVE_UP;
    case MOVE_AHEAD:       return FAULT_AHEAD;
    case MOVE_HANG:        return FAULT_HANG;
    case MOVE_RESTART:     return FAULT_RESTART;
    case MOVE_JUMP:        return FAULT_JUMP;
    default:               return FAULTS;
    }
}

// A restart: the server dies, and comes back with nothing.
static int restart_steps(const struct move *move,
                         struct step steps[MAX_STEPS]) {
    static const enum choice_kind kinds[] = {
        CHOOSE_KILL_SERVER, CHOOSE_WIPE_DISK, CHOOSE_START_SERVER};
    enum { COUNT = sizeof kinds / sizeof *kinds };

    for (int i = 0; i < COUNT; i++)
        steps[i] = (struct step){
            STEP_CHOICE, {.kind = kinds[i], .server = move->server}};
    return COUNT;
}

int move_steps(const struct move *move, struct step steps[MAX_STEPS]) {
    struct choice choice = {.client = move->client,
                            .connection = move->connection,
                            .server = move->server,
                            .operation = move->operation,
                            .lock = move->lock,
                            .ns = move->kind == MOVE_ASK
                                      ? move->lease_s * SECOND : move->ns,
                            .patience_ns = move->kind == MOVE_ASK ? move->ns
                                                                  : 0};
    static const enum choice_kind kinds[] = {
        [MOVE_DELIVER] = CHOOSE_DELIVER, [MOVE_FORWARD] = CHOOSE_FORWARD,
        [MOVE_ASK] = CHOOSE_ASK,         [MOVE_WAKE] = CHOOSE_WAKE,
        [MOVE_TIME] = CHOOSE_ADVANCE,    [MOVE_CONTINUE] = CHOOSE_CONTINUE,
        [MOVE_CRASH] = CHOOSE_KILL,      [MOVE_STOP] = CHOOSE_STOP,
        [MOVE_CUT] = CHOOSE_CUT,         [MOVE_LOSE_ANSWER] = CHOOSE_CUT,
        [MOVE_REFUSE] = CHOOSE_REFUSE,   [MOVE_GIVE_UP] = CHOOSE_GIVE_UP,
        [MOVE_LAND] = CHOOSE_FORWARD,    [MOVE_AHEAD] = CHOOSE_SKEW,
        [MOVE_JUMP] = CHOOSE_SKEW_SERVER,
    };

    if (move->kind == MOVE_PROBE || move->kind == MOVE_PROBE_EARLY)
        return 0;
    if (move->kind == MOVE_RESTART)
        return restart_steps(move, steps);
    if (move->kind == MOVE_HANG || move->kind == MOVE_WORK_DONE) {
        steps[0] = (struct step){
            move->kind == MOVE_HANG ? STEP_HANGS : STEP_WORK_DONE, choice};
        return 1;
    }
    choice.kind = kinds[move->kind];
    steps[0] = (struct step){STEP_CHOICE, choice};
    if (move->kind != MOVE_LAND)
        return 1;
    choice.kind = CHOOSE_DELIVER; // to nobody: the connection is gone then
    steps[1] = (struct step){STEP_CHOICE, choice};
    return 2;
}

// --- the steps of a move -----------------------------------------------------

// Its connections break, but an answer that is on its way still arrives.
text_id restart_stimulus(const struct seat *seat, const struct move *move,
                         const struct bounds *bounds) {
    text_id stimulus = bounds->masters > 1
                       ? text_format("server %d gone", move->server + 1)
                       : text_of("server gone");

    for (int c = 0; c < POSITION_CONNECTIONS; c++)
        if (seat->connection[c].stage != STAGE_QUIET &&
            !seat->connection[c].abandoned &&
            request_server(seat->connection[c].request) == move->server)
            stimulus = text_format("%s, %d %s", text_words(stimulus), c + 1,
                                   seat->connection[c].stage == STAGE_ANSWERED
                                   ? "still to come" : "cut");
    return stimulus;
}

// The answer or the message that is on its way.
static text_id stimulus_on(const struct seat *seat, int c) {
    return seat->connection[c].stage == STAGE_ANSWERED
               ? seat->connection[c].answer : seat->connection[c].message;
}

text_id move_stimulus(const struct position *position,
                      const struct move *move) {
    const struct seat *seat = &position->seats[move->client];

    switch (move->kind) {
    case MOVE_DELIVER:
        return text_about(
            "", move->connection,
            seat->connection[move->connection - 1].stage == STAGE_ANSWERED
            ? " " : " hears ", stimulus_on(seat, move->connection - 1));
    case MOVE_CUT:
    case MOVE_LOSE_ANSWER:
    case MOVE_GIVE_UP: // to the client it looks the same
        return text_about("", move->connection, " cut", NO_TEXT);
    case MOVE_ASK:
        if (move->lock > 0)
            return text_format("%s lock2", operation_word(move->operation));
        if (move->lease_s > 0)
            return text_format("enter for %d s", move->lease_s);
        return move->ns > 0 ? text_format("wait %lld", (long long)move->ns)
                            : text_of(operation_word(move->operation));
    case MOVE_WAKE:
        return text_of("wake");
    case MOVE_CONTINUE:
        return text_of("continue");
    case MOVE_AHEAD:
        return text_of("ahead");
    default:
        return NO_TEXT;
    }
}
