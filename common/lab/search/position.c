#include "position.h"

#include "recall.h"

#include "clients.h"
#include "snapshot.h"

#include "base/units.h"
#include "world/depth.h"
#include "base/fail.h"

#include <string.h>

static const char *const names[] = {"A", "B", "C", "D"};

void position_begin(struct position *position, const struct bounds *bounds) {
    memset(position, 0, sizeof *position);
    judge_open_view(&position->view);
    for (int i = 0; i < POSITION_CLIENTS; i++) {
        struct seat *seat = &position->seats[i];
        seat->wait_ns = -1;
        seat->rounds = i < bounds->clients ? bounds->rounds : 1;
        seat->second.rounds = i < bounds->clients && bounds->locks > 1
                                  ? bounds->rounds : 0;
        seat->nested = i < bounds->clients ? bounds->nested : 0;
        seat->writes = i < bounds->clients ? bounds->writes : 0;
        seat->asks = i < bounds->clients ? bounds->asks : 0;
    }
    memcpy(position->faults, bounds->faults, sizeof position->faults);
    position->fault_total = bounds->fault_total;
    position->halfway = bounds->halfway;
}

// Does the client wait for the lock, asleep, without a report of that so far?
static bool falls_asleep(const struct seat *seat, const struct view *view,
                         int client) {
    return seat->asked && view->clients[client].waits && !seat->sleeps &&
           seat->life == LIVES && (seat->wait_ns >= 0 || seat->blocked) &&
           !seat_has_pending(seat);
}

// --- one move ---------------------------------------------------------------

// A move that is being worked out.
struct transition {
    struct position *position; // becomes the one after
    const struct bounds *bounds;
    struct judge judge;
    struct outcome outcome;
};

// A judge that has seen nothing yet. It is opened once, and copied for each
// transition.
static const struct judge *new_judge(void) {
    static struct judge judge;

    if (judge.client_count == 0) {
        judge_open(&judge);
        judge.strict = true;
        for (int i = 0; i < POSITION_CLIENTS; i++)
            judge_add_client(&judge, names[i]);
    }
    return &judge;
}

static void begin_work(struct transition *work, struct position *position,
                       const struct bounds *bounds) {
    work->position = position;
    work->bounds = bounds;
    work->outcome = (struct outcome){.known = true};
    work->judge = *new_judge();
    work->judge.writes_only = bounds->writes > 0;
    work->judge.local = bounds->local;
    memcpy(&work->judge.view, &position->view, sizeof position->view);
    work->judge.lock = *snapshot_lock(position->content);
    work->judge.second = *snapshot_second(position->content);
}

static void show(struct transition *work, struct event event) {
    event.time_ns = work->position->now_ns;
    event.lock = *snapshot_lock(work->position->content);
    event.second = *snapshot_second(work->position->content);
    judge_watch(&work->judge, &event);
}

// An event of which only kind and client matter.
static void show_kind(struct transition *work, int client,
                      enum event_kind kind) {
    show(work, (struct event){.kind = kind, .client = client});
}

static void end_operation(struct transition *work, int client,
                          enum result result) {
    struct seat *seat = &work->position->seats[client];
    bool fresh = client == work->bounds->clients;

    seat->asked = false;
    seat->steps = 0;
    seat->result = result;
    if (fresh && result != RESULT_OK && work->position->mode == MODE_PROBE)
        work->outcome.losses |= 1u << LOSS_RECOVERY;
    if (fresh)
        work->position->mode = MODE_END;
    if (seat->operation == OPERATION_ENTER && seat->depth == 0)
        seat->wrote = false;
    int *depth = seat->lock ? &seat->second.depth : &seat->depth;
    depth_conclude(depth, seat->lock ? &seat->second.leaving : &seat->leaving,
                   seat->operation, result);
    show(work, (struct event){.kind = EVENT_RESULT,
                              .reachable = true,
                              .all_reachable = true,
                              .waits = seat->wait_ns >= 0 &&
                                       seat->wait_ns <
                                           work->position->now_ns + LEASE,
                              .pending = seat_has_pending(seat),
                              .client = client,
                              .operation = seat->operation,
                              .lock_number = seat->lock,
                              .result = result,
                              .ns = seat->own_s * SECOND,
                              .depth = *depth});
}

// Notes what has not been seen yet.
static bool is_missing(struct transition *work, struct outcome outcome) {
    if (!outcome.known)
        work->outcome = outcome;
    return !outcome.known;
}

static void forget(struct position *position, int client, int connection) {
    struct seat *seat = &position->seats[client];

    if (seat->connection[connection - 1].stage == STAGE_BLOCKED)
        clients_unblock(position, client);
    memset(&seat->connection[connection - 1], 0,
           sizeof *seat->connection);
}

static void fall_asleep(struct transition *work, int client) {
    struct seat *seat = &work->position->seats[client];

    if (!falls_asleep(seat, &work->judge.view, client))
        return;
    seat->sleeps = true;
    show(work, (struct event){.kind = EVENT_SLEEPS, .client = client,
                              .operation = OPERATION_ENTER});
}

// Gives a client a stimulus, and does what its reaction is.
static void stimulate(struct transition *work, int client, text_id stimulus) {
    struct position *position = work->position;
    struct seat *seat = &position->seats[client];
    struct reaction reaction;

    if (is_missing(work, recall_client(position, client, stimulus, &reaction)))
        return;
    seat->history = reaction.next;
    if (reaction.wait_ns != WAIT_SAME)
        seat->wait_ns = reaction.wait_ns == WAIT_NONE
                            ? -1
                            : position->now_ns + reaction.wait_ns;
    for (int c = 1; c <= POSITION_CONNECTIONS; c++)
        if (reaction.closes & 1u << c)
            forget(position, client, c);
    for (int i = 0; i < reaction.requests; i++) {
        int c = reaction.request[i].connection - 1;
        if (c >= POSITION_CONNECTIONS)
            fail("%s has made more than %d connections: fewer faults, "
                 "please", names[client], POSITION_CONNECTIONS);
        seat->connection[c].stage = STAGE_HELD;
        seat->connection[c].request = reaction.request[i].request;
        seat->connection[c].writes = reaction.request[i].writes;
    }
    if (reaction.requests > 0)
        seat->sleeps = false;
    if (reaction.has_result)
        end_operation(work, client, reaction.result);
    fall_asleep(work, client);
}

static void spend(struct position *position, enum fault fault) {
    position->faults[fault]--;
    position->fault_total--;
}

static void begin_second(struct seat *seat, enum operation operation,
                         int64_t now_ns) {
    if (operation != OPERATION_ENTER)
        return;
    seat->second.rounds--;
    seat->second.asked_ns = now_ns;
}

static void ask(struct transition *work, const struct move *move,
                text_id stimulus) {
    struct position *position = work->position;
    struct seat *seat = &position->seats[move->client];

    if (move->lock > 0) {
        begin_second(seat, move->operation, position->now_ns);
    } else if (move->operation == OPERATION_ENTER && seat->depth == 0) {
        seat->rounds--;
        seat->asked_ns = position->now_ns;
        seat->lease_s = LEASE_S;
    } else if (move->operation == OPERATION_ENTER) {
        seat->nested--;
    } else if (move->operation == OPERATION_WRITE) {
        seat->writes--;
    } else if (move->operation == OPERATION_HELD) {
        // The judge's are free: of two that are inside. It asks for no writes.
        if (work->bounds->writes > 0 || position_crowded(position) < 0)
            seat->asks--;
    } else if (move->operation == OPERATION_LEAVE && seat->depth == 0) {
        spend(position, seat_has_left(seat) ? FAULT_AGAIN : FAULT_STRANGER);
        seat->rounds -= seat->rounds > 0;
    }
    seat->own_s = (uint8_t)move->lease_s;
    if (seat->own_s > 0 && seat->own_s < seat->lease_s)
        seat->lease_s = seat->own_s;
    seat->steps = 0;
    seat->asked = true;
    seat->sleeps = false;
    seat->operation = move->operation;
    seat->lock = (uint8_t)move->lock;
    show(work, (struct event){.kind = EVENT_ASKED,
                              .reachable = true,
                              .all_reachable = true,
                              .client = move->client,
                              .operation = move->operation,
                              .lock_number = move->lock,
                              .ns = seat->own_s * SECOND,
                              .patience_ns = move->ns,
                              .depth = move->lock
                                           ? seat->second.depth +
                                                 seat->second.leaving
                                           : seat->depth + seat->leaving});
    stimulate(work, move->client, stimulus);
}

// The message has left the wire before the client reacts to it.
static void deliver(struct transition *work, const struct move *move,
                    text_id stimulus) {
    struct seat *seat = &work->position->seats[move->client];
    int c = move->connection - 1;

    if (seat->connection[c].stage != STAGE_ANSWERED) {
        if (--seat->connection[c].messages == 0)
            seat->connection[c].message = NO_TEXT;
        stimulate(work, move->client, stimulus);
        return;
    }
    seat->connection[c].stage = STAGE_QUIET;
    seat->connection[c].request = seat->connection[c].answer = NO_TEXT;
    stimulate(work, move->client, stimulus);
}

static void cut(struct transition *work, const struct move *move,
                text_id stimulus) {
    forget(work->position, move->client, move->connection);
    show_kind(work, move->client, EVENT_CUT);
    stimulate(work, move->client, stimulus);
}

// Blocked requests of these clients are answered now: 1 << client.
static void show_served(struct transition *work, unsigned clients) {
    for (int i = 0; i < POSITION_CLIENTS; i++)
        if (clients & 1u << i)
            show(work, (struct event){.kind = EVENT_RAN, .client = i,
                                      .waited = true});
}

static void forward(struct transition *work, const struct move *move) {
    static char unsaid[] = ""; // the words that it was refused with
    static const struct message refusal = {.is_error = true, .text = unsaid};
    struct position *position = work->position;
    struct seat *seat = &position->seats[move->client];
    int c = move->connection - 1;
    text_id command = position_command(position, move);
    struct effect effect;

    if (is_missing(work, recall_server(position, position->scripts, command,
                                       &effect)))
        return;
    if (effect.blocks) {
        clients_block(position, move->client, move->connection);
        fall_asleep(work, move->client);
        return;
    }
    bool gained = snapshot_gained(
        position->content, effect.content,
        request_server(seat->connection[c].request));
    if (position->content != effect.content)
        clients_mark_watchers(position);
    position->content = effect.content;
    clients_note(position, move, effect.answer);
    if (effect.message)
        clients_publish(position, effect.message);
    seat->connection[c].stage = STAGE_ANSWERED;
    seat->connection[c].answer = effect.answer;
    if (move->kind == MOVE_REFUSE)
        show(work, (struct event){.kind = EVENT_REFUSED,
                                  .client = move->client,
                                  .connection = move->connection});
    show(work, (struct event){.kind = EVENT_RAN, .client = move->client,
                              .answer = effect.is_error ? &refusal : NULL,
                              .late = seat->connection[c].abandoned,
                              .gained = gained, .write = effect.write,
                              .connection = move->connection});
    seat->wrote |= write_is_taken(effect.write);
    if (seat->life == DEAD || seat->connection[c].abandoned)
        forget(position, move->client, move->connection);
    show_served(work, clients_serve(position, effect.served));
}

// The request stays held, and the client hears that its connection is gone.
static void give_up(struct transition *work, const struct move *move,
                    text_id stimulus) {
    struct seat *seat = &work->position->seats[move->client];

    seat->connection[move->connection - 1].abandoned = true;
    show_kind(work, move->client, EVENT_GAVE_UP);
    stimulate(work, move->client, stimulus);
}

// The clients with a message on its way while time passed, or with an overdue
// timer.
static unsigned delayed(const struct position *position) {
    unsigned clients = 0;

    for (int i = 0; i < POSITION_CLIENTS; i++) {
        const struct seat *seat = &position->seats[i];
        bool overdue = seat->life != DEAD && seat->wait_ns >= 0 &&
                       seat->wait_ns < position->now_ns;
        clients |= (unsigned)(overdue || seat_has_pending(seat)) << i;
    }
    return clients;
}

// A client that sends command after command, or wakes again and again, would
// never let time pass. An operation ends after some commands; what a client
// sends outside of operations, as its watchdog, ends after fewer.
static void count_step(struct transition *work, struct seat *seat) {
    enum { MOST_IN_OPERATION = 50, MOST_OUTSIDE = 6 };

    if (++seat->steps > (seat->asked ? MOST_IN_OPERATION : MOST_OUTSIDE))
        work->outcome.losses |= 1u << LOSS_PROGRESS;
}

static void pass_time(struct transition *work, int64_t ns) {
    struct position *position = work->position;
    text_id command = time_command(position, ns);
    struct effect effect;

    if (is_missing(work, recall_server(position, NO_TEXT, command, &effect)))
        return;
    if (position->mode == MODE_FREE && position->halfway > 0 &&
        ns < position_next_instant_ns(position))
        position->halfway--;
    position->now_ns += ns;
    for (int i = 0; i < POSITION_CLIENTS; i++)
        position->seats[i].steps = 0;
    if (snapshot_lock(position->content)->exists !=
        snapshot_lock(effect.content)->exists)
        clients_mark_watchers(position);
    position->content = effect.content;
    unsigned served = clients_serve(position, effect.served);
    show(work, (struct event){.kind = EVENT_CLOCK, .client = -1,
                              .delayed = delayed(position) | served});
    show_served(work, served);
}

static void crash(struct transition *work, int client) {
    struct seat *seat = &work->position->seats[client];

    seat->life = DEAD;
    seat->asked = false;
    seat->depth = seat->second.depth = 0;
    seat->wait_ns = -1;
    for (int c = 1; c <= POSITION_CONNECTIONS; c++)
        if (seat->connection[c - 1].stage != STAGE_HELD &&
            seat->connection[c - 1].stage != STAGE_BLOCKED)
            forget(work->position, client, c);
    show_kind(work, client, EVENT_KILLED);
}

// The server's memory is lost.
static void lose_memory(struct position *position, const struct bounds *bounds,
                        int server) {
    if (bounds->masters > 1) {
        position->content = snapshot_without(position->content, server);
        position->scripts = text_format("%s; restarted %d",
                                        text_words(position->scripts),
                                        server + 1);
        return;
    }
    position->content = NO_TEXT;
    position->scripts = text_of("restarted");
}

static void restart(struct transition *work, const struct move *move) {
    struct position *position = work->position;

    lose_memory(position, work->bounds, move->server);
    show(work, (struct event){.kind = EVENT_SERVER, .client = -1});
    for (int i = 0; i <= work->bounds->clients; i++) {
        struct seat *seat = &position->seats[i];
        text_id stimulus = restart_stimulus(seat, move, work->bounds);
        for (int c = 1; c <= POSITION_CONNECTIONS; c++)
            if (seat->connection[c - 1].stage != STAGE_ANSWERED &&
                request_server(seat->connection[c - 1].request) ==
                    move->server)
                forget(position, i, c);
        if (seat->life == LIVES)
            stimulate(work, i, stimulus);
    }
}

static void jump(struct transition *work, const struct move *move) {
    struct position *position = work->position;
    const struct choice choice = {.kind = CHOOSE_SKEW_SERVER};
    text_id command = jump_command(position, move);
    struct effect effect;

    if (is_missing(work, recall_server(position, NO_TEXT, command, &effect)))
        return;
    position->content = effect.content;
    show(work, (struct event){.kind = EVENT_SERVER, .client = -1,
                              .choice = &choice});
    show_served(work, clients_serve(position, effect.served));
}

static void do_fault(struct transition *work, const struct move *move,
                     text_id stimulus) {
    struct seat *seat = &work->position->seats[move->client];

    spend(work->position, move_fault(move));
    switch (move->kind) {
    case MOVE_CRASH: crash(work, move->client); break;
    case MOVE_STOP:
        seat->life = STOPPED;
        show_kind(work, move->client, EVENT_STOPPED);
        break;
    case MOVE_CUT:
    case MOVE_LOSE_ANSWER:
        cut(work, move, stimulus);
        break;
    case MOVE_REFUSE: forward(work, move); break;
    case MOVE_GIVE_UP: give_up(work, move, stimulus); break;
    case MOVE_AHEAD:
        show_kind(work, move->client, EVENT_SKEWED);
        stimulate(work, move->client, stimulus);
        break;
    case MOVE_HANG:
        seat->hung = true;
        show_kind(work, move->client, EVENT_HUNG);
        break;
    case MOVE_RESTART: restart(work, move); break;
    case MOVE_JUMP: jump(work, move); break;
    default:
        break;
    }
}

// Begins the end, in which a new client tries at this instant.
static void begin_probe(struct position *position, enum move_kind kind) {
    const struct view *view = &position->view;
    bool early = kind == MOVE_PROBE_EARLY;
    int64_t since_ns =
        early ? view->bounded.clients[position_dead_owner(position)].sign_ns
              : position->now_ns;

    position->mode = early ? MODE_PROBE_EARLY : MODE_PROBE;
    position->probe_ns = since_ns + LEASE + SECOND;
}

static void do_move(struct transition *work, const struct move *move) {
    struct seat *seat = &work->position->seats[move->client];
    text_id stimulus = move_stimulus(work->position, move);

    switch (move->kind) {
    case MOVE_DELIVER: deliver(work, move, stimulus); break;
    case MOVE_FORWARD:
    case MOVE_LAND:
        count_step(work, seat);
        forward(work, move);
        break;
    case MOVE_ASK: ask(work, move, stimulus); break;
    case MOVE_WAKE:
        count_step(work, seat);
        seat->wait_ns = -1;
        stimulate(work, move->client, stimulus);
        break;
    case MOVE_TIME: pass_time(work, move->ns); break;
    case MOVE_CONTINUE:
        seat->life = LIVES;
        show_kind(work, move->client, EVENT_CONTINUED);
        stimulate(work, move->client, stimulus);
        break;
    case MOVE_PROBE:
    case MOVE_PROBE_EARLY:
        begin_probe(work->position, move->kind);
        break;
    case MOVE_WORK_DONE: show_kind(work, move->client, EVENT_WORK_DONE); break;
    default: do_fault(work, move, stimulus); break;
    }
}

// Two inside, and nobody can be asked any more: so they were.
static void settle_doubt(struct transition *work) {
    struct move moves[MAX_MOVES];

    if (position_crowded(work->position) >= 0 &&
        position_moves(work->position, work->bounds, moves) == 0)
        judge_close(&work->judge);
}

struct outcome position_after(const struct position *position,
                              const struct bounds *bounds,
                              const struct move *move,
                              struct position *after) {
    struct transition work;

    memcpy(after, position, sizeof *after); // with what lies between its parts
    begin_work(&work, after, bounds);
    do_move(&work, move);
    if (!work.outcome.known)
        return work.outcome;
    memcpy(&after->view, &work.judge.view, sizeof after->view);
    if (!snapshot_has_lock(after->content))
        after->view.owner = NOBODY;
    settle_doubt(&work);
    work.outcome.losses |= losses_found(&work.judge);
    work.outcome.losses &= losses_looked_for(bounds);
    if (work.outcome.losses & (1u << LOSS_EXCLUSION | 1u << LOSS_RESOURCE |
                               1u << LOSS_PROGRESS))
        after->mode = MODE_END;
    return work.outcome;
}

struct outcome position_known(const struct position *position,
                              const struct bounds *bounds,
                              const struct move *move) {
    struct position after;
    struct reaction reaction;
    struct effect effect;
    text_id stimulus = move_stimulus(position, move);

    if (stimulus != NO_TEXT)
        return recall_client(position, move->client, stimulus, &reaction);
    switch (move->kind) {
    case MOVE_FORWARD:
    case MOVE_LAND:
    case MOVE_REFUSE:
        return recall_server(position, position->scripts,
                             position_command(position, move), &effect);
    case MOVE_TIME:
        return recall_server(position, NO_TEXT,
                             time_command(position, move->ns), &effect);
    case MOVE_JUMP:
        return recall_server(position, NO_TEXT, jump_command(position, move),
                             &effect);
    case MOVE_RESTART: // each client has a stimulus of its own
        return position_after(position, bounds, move, &after);
    default:
        return (struct outcome){.known = true};
    }
}
