#include "search.h"

#include "clients.h"
#include "frontier.h"
#include "learning.h"
#include "visited.h"
#include "workers.h"

#include "base/units.h"
#include "base/patience.h"
#include "base/fail.h"
#include "base/list.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- what is stored ---------------------------------------------------------

// In bytes of its own, whatever malloc() makes of them: the same everywhere.
static size_t pending_bytes, most_pending_bytes;

static void count_pending(size_t bytes) {
    pending_bytes += bytes;
    if (pending_bytes > most_pending_bytes)
        most_pending_bytes = pending_bytes;
}

// --- running what is not known ----------------------------------------------

// A run that shows what is missing: these moves, and then others.
struct trip {
    struct move *moves;
    int length;
    size_t place;     // in the frontier: the last of them goes from there
    uint64_t missing; // what the last of them will show
    int client;       // the reacting client; NOBODY: no client
    int seen;         // so many of them are learned from
    char *schedule;   // while it runs
    struct position *position; // where it is then
};

// Those that must be made before a frontier can be worked out.
struct pending {
    struct trip *trips;
    size_t count;
    size_t begun; // those before are over
    size_t bytes;
    const struct bounds *bounds;
    const struct frontier *frontier; // NULL: all of them are run in any case
};

static bool is_wanted(const struct pending *pending, uint64_t missing) {
    for (size_t i = pending->count; i-- > 0;)
        if (pending->trips[i].missing == missing)
            return true;
    return false;
}

static void add_pending(struct pending *pending, size_t place, uint32_t number,
                        const struct move *move, struct outcome outcome) {
    pending->trips = list_grow(pending->trips, pending->count,
                               sizeof *pending->trips);
    struct trip *trip = &pending->trips[pending->count++];
    *trip = (struct trip){.moves = visited_moves(number, move),
                          .length = visited_depth(number) + 1,
                          .place = place,
                          .missing = outcome.missing,
                          .client = outcome.client};
    size_t bytes = sizeof *trip + sizeof(struct move) * (size_t)trip->length;
    pending->bytes += bytes;
    count_pending(bytes);
}

// Where a trip goes on when it has shown what it was made for: it stays with
// the client whose reaction was new. Its history is new too, so no later answer
// to it has ever been seen. No other trip beside this one will show it. That is
// why a trip needs not know what the others have shown, and why all trips
// together show the same with any number of workers.
//
// The client ends its operation; then it begins the next one, or time passes
// until its timer is due.
static bool goes_on(const struct trip *trip, const struct bounds *bounds,
                    struct move *next) {
    struct move moves[MAX_MOVES];
    int count = position_moves(trip->position, bounds, moves);
    const struct seat *seat;

    if (trip->client == NOBODY || trip->length >= bounds->depth)
        return false;
    seat = &trip->position->seats[trip->client];
    for (int i = 0; i < count; i++) {
        *next = moves[i];
        if (next->client == trip->client &&
            (next->kind == MOVE_DELIVER || next->kind == MOVE_FORWARD ||
             next->kind == MOVE_WAKE || next->kind == MOVE_ASK))
            return true;
    }
    for (int i = 0; i < count && seat->wait_ns >= 0; i++) {
        *next = moves[i];
        if (next->kind == MOVE_TIME)
            return true;
    }
    return false;
}

static void add_move(struct trip *trip, struct move move) {
    size_t size = sizeof move * ((size_t)trip->length + 1);

    trip->moves = must_have(realloc(trip->moves, size));
    trip->moves[trip->length++] = move;
}

static void write_schedule(struct trip *trip, const struct bounds *bounds) {
    free(trip->schedule);
    trip->schedule = search_schedule(trip->moves, trip->length, "any", LOSSES,
                                     bounds);
}

static const char *begin_trip(struct trip *trip, const struct bounds *bounds) {
    trip->position = must_have(malloc(sizeof *trip->position));
    position_begin(trip->position, bounds);
    write_schedule(trip, bounds);
    return trip->schedule;
}

static void end_trip(struct trip *trip) {
    free(trip->position);
    free(trip->schedule);
    trip->position = NULL;
    trip->schedule = NULL;
}

// Puts all that a run has shown into the memo.
static void learn_from(struct trip *trip, const struct bounds *bounds,
                       const char *report) {
    const char *trouble =
        learn_from_report(bounds, trip->moves + trip->seen,
                          (size_t)(trip->length - trip->seen), report,
                          trip->position);

    if (trouble)
        fail("at the end of '%s': %s", trip->schedule, trouble);
    trip->seen = trip->length;
}

// For workers_run().
static const char *next_of_trip(void *argument, size_t number,
                                const char *report) {
    struct pending *pending = argument;
    struct trip *trip = &pending->trips[pending->begun + number];
    struct move move;

    if (!report)
        return begin_trip(trip, pending->bounds);
    learn_from(trip, pending->bounds, report);
    if (goes_on(trip, pending->bounds, &move)) {
        add_move(trip, move);
        write_schedule(trip, pending->bounds);
        return trip->schedule;
    }
    end_trip(trip);
    return NULL;
}

static void empty_pending(struct pending *pending) {
    for (size_t i = 0; i < pending->count; i++)
        free(pending->trips[i].moves);
    pending->count = pending->begun = 0;
    pending_bytes -= pending->bytes;
    pending->bytes = 0;
}

static void free_pending(struct pending *pending) {
    empty_pending(pending);
    free(pending->trips);
}

// --- signals and limits -----------------------------------------------------

static volatile sig_atomic_t interrupted;

static void interrupt(int number) {
    (void)number;
    interrupted = 1;
}

void search_catch_signals(void) {
    struct sigaction action = {.sa_handler = interrupt};

    action.sa_flags = (int)SA_RESETHAND; // the second time ends the program
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

// --- the search -------------------------------------------------------------

struct search_state {
    const struct search_options *options;
    struct search_result *result;
    int64_t end_ns;
    struct frontier frontier, next; // this depth; the next one
};

static size_t frontiers_bytes(const struct search_state *state) {
    return frontier_bytes(&state->frontier) + frontier_bytes(&state->next);
}

static size_t remembered_bytes(void) {
    return memo_bytes() + clients_bytes();
}

static bool is_too_much(const struct search_state *state) {
    size_t bytes = visited_bytes() + remembered_bytes() +
                   frontiers_bytes(state) + pending_bytes;
    size_t most_mb = (size_t)state->options->memory_mb;

    return most_mb > 0 && bytes >> 20 >= most_mb;
}

static bool must_stop(struct search_state *state) {
    unsigned enough = state->options->enough;

    if (interrupted)
        state->result->end = END_SIGNAL;
    else if (enough && (state->result->lost & enough) == enough)
        state->result->end = END_FOUND;
    else if (state->result->lost & 1u << LOSS_PROGRESS)
        state->result->end = END_ENDLESS;
    else if (state->options->seconds && real_ns() > state->end_ns)
        state->result->end = END_TIME;
    else if (visited_count() > state->options->most_positions)
        state->result->end = END_FULL;
    else if (is_too_much(state))
        state->result->end = END_MEMORY;
    return state->result->end != END_EMPTY;
}

// Has another trip shown meanwhile what this one is for?
static bool is_needless(const struct trip *trip,
                        const struct pending *pending) {
    struct position from;

    if (!pending->frontier)
        return false;
    frontier_copy(pending->frontier, trip->place, &from);
    return position_known(&from, pending->bounds,
                          &trip->moves[trip->length - 1]).known;
}

// Puts the next portion of trips that are needed at the place where it begins.
// Returns how many they are.
static size_t take_portion(struct pending *pending, size_t *next) {
    enum { PORTION = 128 };
    size_t count = 0;

    for (; *next < pending->count && count < PORTION; ++*next) {
        struct trip *trip = &pending->trips[*next];
        if (is_needless(trip, pending))
            continue;
        struct trip other = pending->trips[pending->begun + count];
        pending->trips[pending->begun + count++] = *trip;
        *trip = other;
    }
    return count;
}

// In portions: between two of them there is a look at the limits. One is many
// for each worker and takes less than a second.
static void run_pending(struct search_state *state, struct pending *pending) {
    for (size_t next = 0; next < pending->count && !must_stop(state);) {
        size_t count = take_portion(pending, &next);
        workers_run(count, next_of_trip, pending);
        pending->begun += count;
    }
    empty_pending(pending);
}

// A move from a place of a frontier whose outcome is not known yet.
struct work_item {
    size_t place;
    struct move move;
};

struct work_list {
    struct work_item *items;
    size_t count;
};

static void add_work(struct work_list *list, struct work_item item) {
    list->items = list_grow(list->items, list->count, sizeof *list->items);
    list->items[list->count++] = item;
    count_pending(sizeof item);
}

// Adds a pending schedule for what is missing, unless another one will show it
// too. True if there is nothing missing.
static bool is_known(struct pending *pending, const struct position *position,
                     const struct work_item *item) {
    struct outcome outcome =
        position_known(position, pending->bounds, &item->move);

    if (!outcome.known && !is_wanted(pending, outcome.missing))
        add_pending(pending, item->place,
                    frontier_number(pending->frontier, item->place),
                    &item->move, outcome);
    return outcome.known;
}

// The other way: every transition is run, as often as was asked for.
static void run_frontier(struct search_state *state) {
    const struct frontier *frontier = &state->frontier;
    const struct bounds *bounds = &state->options->bounds;
    struct pending pending = {.bounds = bounds};
    struct move moves[MAX_MOVES];
    struct position position;

    for (size_t place = 0; place < frontier->end && !must_stop(state);
         place = frontier_next(frontier, place)) {
        frontier_copy(frontier, place, &position);
        int count = position_moves(&position, bounds, moves);
        for (int m = 0; m < count; m++)
            for (int time = 0; time < state->options->times; time++)
                add_pending(&pending, place, frontier_number(frontier, place),
                            &moves[m], (struct outcome){.client = NOBODY});
        if (pending.count > 256)
            run_pending(state, &pending);
    }
    run_pending(state, &pending);
    free_pending(&pending);
}

static void note_losses(struct search_result *result, unsigned losses,
                        uint32_t number, const struct move *move) {
    for (int loss = 0; loss < LOSSES; loss++) {
        if (!(losses & 1u << loss) || result->schedules[loss])
            continue;
        result->schedules[loss] = visited_moves(number, move);
        result->lengths[loss] = visited_depth(number) + 1;
    }
    result->lost |= losses;
}

// Where moves lead.
struct arrivals {
    struct position after[MAX_MOVES];
    struct outcome outcomes[MAX_MOVES];
    struct fingerprint fingerprints[MAX_MOVES];
};

// Works out all moves from a position. False: the outcome of one is not known.
static bool try_all(const struct position *position,
                    const struct bounds *bounds, const struct move *moves,
                    int count, struct arrivals *to) {
    for (int m = 0; m < count; m++) {
        to->outcomes[m] =
            position_after(position, bounds, &moves[m], &to->after[m]);
        if (!to->outcomes[m].known)
            return false;
    }
    for (int m = 0; m < count; m++) {
        to->fingerprints[m] = position_fingerprint(&to->after[m], bounds);
        visited_prefetch(to->fingerprints[m]);
    }
    for (int m = 0; m < count; m++)
        visited_prefetch_more(to->fingerprints[m]);
    return true;
}

// Takes all these transitions; those that lead to a new position lead to the
// next frontier.
static void take_all(struct search_state *state, uint32_t number,
                     const struct position *position, const struct move *moves,
                     int count, const struct arrivals *to) {
    struct search_result *result = state->result;

    for (int m = 0; m < count; m++) {
        result->transitions++;
        coverage_note(result->seen, position, &moves[m], &to->after[m]);
        note_losses(result, to->outcomes[m].losses, number, &moves[m]);
        if (visited_add(number, &moves[m], to->fingerprints[m]))
            frontier_add(&state->next, visited_count() - 1, &to->after[m]);
    }
}

// Makes every move from the places of the frontier, from `first` on. It stops
// before the first place with a move of unknown outcome, or at a limit, and
// returns the place.
static size_t expand(struct search_state *state, size_t first) {
    const struct frontier *frontier = &state->frontier;
    const struct bounds *bounds = &state->options->bounds;
    static struct arrivals to;
    struct move moves[MAX_MOVES];
    struct position position;

    for (size_t place = first; place < frontier->end;
         place = frontier_next(frontier, place)) {
        if (must_stop(state))
            return place;
        frontier_copy(frontier, place, &position);
        int count = position_moves(&position, bounds, moves);
        if (!try_all(&position, bounds, moves, count, &to))
            return place;
        take_all(state, frontier_number(frontier, place), &position, moves,
                 count, &to);
    }
    return frontier->end;
}

// Runs what is not known of the frontier, from `first` on, until all is: in
// rounds, each with one schedule for everything that is missing. The number of
// workers makes no difference to that.
static void learn(struct search_state *state, size_t first) {
    const struct frontier *frontier = &state->frontier;
    struct pending pending = {.bounds = &state->options->bounds,
                              .frontier = frontier};
    struct work_list open = {.count = 0};
    struct move moves[MAX_MOVES];
    struct position position;

    for (size_t place = first; place < frontier->end && !must_stop(state);
         place = frontier_next(frontier, place)) {
        frontier_copy(frontier, place, &position);
        int count = position_moves(&position, pending.bounds, moves);
        for (int m = 0; m < count; m++) {
            struct work_item item = {place, moves[m]};
            if (!is_known(&pending, &position, &item))
                add_work(&open, item);
        }
    }
    size_t bytes = open.count * sizeof *open.items;
    while (open.count > 0 && !must_stop(state)) {
        size_t left = 0;
        run_pending(state, &pending);
        for (size_t i = 0; i < open.count && !must_stop(state); i++) {
            frontier_copy(frontier, open.items[i].place, &position);
            if (!is_known(&pending, &position, &open.items[i]))
                open.items[left++] = open.items[i];
        }
        open.count = left;
    }
    free_pending(&pending);
    free(open.items);
    pending_bytes -= bytes;
}

static void show_progress(const struct search_state *state) {
    if (state->options->progress)
        fprintf(stderr, "\r\033[Kdepth %d, %u positions, %zu in this frontier, "
                "%zu runs", state->result->depth, visited_count(),
                state->frontier.count, workers_runs());
}

static void run_once(const struct bounds *bounds, const struct move *moves,
                     int count) {
    size_t size = (size_t)count * sizeof *moves;
    struct trip trip = {.moves = must_have(malloc(size)),
                        .length = count, .client = NOBODY};
    struct pending pending = {.trips = &trip, .count = 1, .bounds = bounds};

    memcpy(trip.moves, moves, size);
    workers_run(1, next_of_trip, &pending);
    free(trip.moves);
}

void search_reach(const struct bounds *bounds, const struct move *moves,
                  int count, struct position *position) {
    struct position after;

    position_begin(position, bounds);
    for (int i = 0; i < count; i++) {
        if (!position_after(position, bounds, &moves[i], &after).known) {
            run_once(bounds, moves, count);
            position_after(position, bounds, &moves[i], &after);
        }
        memcpy(position, &after, sizeof after);
    }
}

// Does a client that gets in, with nothing in its way, set a timer?
static bool sets_timer(const struct bounds *bounds) {
    enum { MOST = 40 };
    struct move moves[MOST] = {{.kind = MOVE_ASK,
                                .operation = OPERATION_ENTER}};
    struct position position;
    const struct seat *seat = &position.seats[0];

    for (int count = 1; count < MOST; count++) {
        search_reach(bounds, moves, count, &position);
        int c = 0;
        while (c < POSITION_CONNECTIONS &&
               seat->connection[c].stage == STAGE_QUIET)
            c++;
        if (!seat->asked || c == POSITION_CONNECTIONS)
            break;
        bool held = seat->connection[c].stage == STAGE_HELD;
        moves[count] = (struct move){
            .kind = held ? MOVE_FORWARD : MOVE_DELIVER, .connection = c + 1};
    }
    return seat->depth > 0 && seat->wait_ns >= 0;
}

static bool can_enter(const struct bounds *bounds, int lock, int lease_s) {
    const struct move enter = {.kind = MOVE_ASK,
                               .operation = OPERATION_ENTER,
                               .lock = lock,
                               .lease_s = lease_s};
    struct position position;

    search_reach(bounds, &enter, 1, &position);
    return position.seats[0].result != RESULT_CANNOT;
}

bool search_takes_own_lease(const struct bounds *bounds) {
    return can_enter(bounds, 0, bounds->own_lease_s);
}

bool search_has_second_lock(const struct bounds *bounds) {
    return can_enter(bounds, bounds->turned ? 0 : 1, 0);
}

// Makes all moves from the frontier, which gives the next one. A search that
// must stop in between keeps its findings.
static void make_next(struct search_state *state) {
    size_t before = state->result->transitions;

    show_progress(state);
    if (state->options->times > 0)
        run_frontier(state);
    for (size_t done = 0; !must_stop(state);) {
        done = expand(state, done);
        if (done == state->frontier.end)
            break;
        learn(state, done);
    }
    if (state->result->end == END_EMPTY)
        state->result->depth++;
    else
        state->result->some_longer = state->result->transitions > before;
}

static void search_all(const struct search_options *options,
                       struct search_result *result) {
    struct search_state state = {.options = options, .result = result,
                        .end_ns = real_ns() +
                                  options->seconds * SECOND};
    struct position start;
    size_t runs = workers_runs();

    pending_bytes = most_pending_bytes = 0;
    mallopt(M_MMAP_THRESHOLD, 1 << 20); // what is large and freed is given back
    result->depth = options->prefix_length;
    search_reach(&options->bounds, options->prefix, options->prefix_length,
                 &start);
    visited_begin(options->prefix, options->prefix_length,
                  position_fingerprint(&start, &options->bounds));
    state.frontier.first = state.next.first = &start;
    frontier_add(&state.frontier, 0, &start);
    while (state.frontier.count > 0 && result->end == END_EMPTY) {
        if (result->depth == options->bounds.depth) {
            result->end = END_DEPTH;
            break;
        }
        make_next(&state);
        frontier_empty(&state.frontier);
        struct frontier emptied = state.frontier;
        state.frontier = state.next;
        state.next = emptied;
    }
    if (options->progress)
        fputs("\r\033[K", stderr);
    result->positions = visited_count();
    result->runs = workers_runs() - runs;
    result->steps_seen = memo_size();
    result->table_bytes = visited_bytes();
    result->level_bytes = frontiers_bytes(&state);
    result->remembered_bytes = remembered_bytes();
    result->pending_bytes = most_pending_bytes;
    visited_forget();
    frontier_free(&state.frontier);
    frontier_free(&state.next);
}

void search(const struct search_options *options,
            struct search_result *result) {
    struct search_options all = *options;

    memset(result, 0, sizeof *result);
    all.bounds.renews = sets_timer(&options->bounds);
    result->seen[WITNESS_RENEWS] = all.bounds.renews;
    search_all(&all, result);
}

void search_forget(struct search_result *result) {
    for (int loss = 0; loss < LOSSES; loss++)
        free(result->schedules[loss]);
}
