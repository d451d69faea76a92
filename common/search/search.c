#include "search.h"

#include "workers.h"
#include "learning.h"
#include "visited.h"

#include "base/units.h"
#include "machine/clock.h"
#include "base/fail.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- what is stored ---------------------------------------------------------

// In bytes of its own, whatever malloc() makes of them: the same everywhere.
struct store {
    size_t now, most;
};
static struct store of_levels, of_errands;

static void store(struct store *store, size_t bytes) {
    store->now += bytes;
    if (store->now > store->most)
        store->most = store->now;
}

// --- a level: the positions of one depth ------------------------------------

struct level {
    struct place {
        uint32_t number;
        struct position position;
    } *places;
    size_t count, room;
};

static void add_place(struct level *level, uint32_t number,
                      const struct position *position) {
    if (level->count == level->room) {
        level->room = level->room ? 2 * level->room : 64;
        level->places = must_have(
            realloc(level->places, level->room * sizeof *level->places));
    }
    level->places[level->count].number = number;
    level->places[level->count].position = *position;
    level->count++;
    store(&of_levels, sizeof *level->places);
}

static void empty_level(struct level *level) {
    free(level->places);
    of_levels.now -= level->count * sizeof *level->places;
}

// --- running what is not known ----------------------------------------------

// Schedules that must be run before a level can be worked out.
struct errands {
    char **schedules, **reports;
    struct move **moves;
    int *lengths;
    uint64_t *missing; // what each of them will show
    size_t count, room;
    size_t bytes;
};

static bool is_wanted(const struct errands *errands, uint64_t missing) {
    for (size_t i = errands->count; i-- > 0;)
        if (errands->missing[i] == missing)
            return true;
    return false;
}

static void add_errand(struct errands *errands, const struct bounds *bounds,
                       uint32_t number, const struct move *move,
                       uint64_t missing) {
    if (errands->count == errands->room) {
        size_t room = errands->room = errands->room ? 2 * errands->room : 64;
        errands->schedules = must_have(
            realloc(errands->schedules, room * sizeof *errands->schedules));
        errands->reports = must_have(
            realloc(errands->reports, room * sizeof *errands->reports));
        errands->moves = must_have(
            realloc(errands->moves, room * sizeof *errands->moves));
        errands->lengths = must_have(
            realloc(errands->lengths, room * sizeof *errands->lengths));
        errands->missing = must_have(
            realloc(errands->missing, room * sizeof *errands->missing));
    }
    size_t i = errands->count++;
    errands->lengths[i] = visited_depth(number) + 1;
    errands->moves[i] = visited_moves(number, move);
    errands->schedules[i] = search_schedule(errands->moves[i],
                                            errands->lengths[i], "any", LOSSES,
                                            bounds);
    errands->missing[i] = missing;
    size_t bytes = sizeof(struct move) * (size_t)errands->lengths[i] +
                   strlen(errands->schedules[i]) + 1;
    errands->bytes += bytes;
    store(&of_errands, bytes);
}

// What a run has shown is remembered. Frees both texts.
static void learn_from(const struct bounds *bounds, const struct move *moves,
                       int count, char *schedule, char *report) {
    const char *trouble =
        learn_from_report(bounds, moves, (size_t)count, report);

    if (trouble)
        fail("%s: '%s'", trouble, schedule);
    free(schedule);
    free(report);
}

static void run_some(struct errands *errands, size_t first, size_t count,
                     const struct bounds *bounds) {
    workers_run(errands->schedules + first, errands->reports + first, count);
    for (size_t i = first; i < first + count; i++) {
        learn_from(bounds, errands->moves[i], errands->lengths[i],
                   errands->schedules[i], errands->reports[i]);
        errands->schedules[i] = NULL;
    }
}

static void empty_errands(struct errands *errands) {
    for (size_t i = 0; i < errands->count; i++) {
        free(errands->schedules[i]);
        free(errands->moves[i]);
    }
    errands->count = 0;
    of_errands.now -= errands->bytes;
    errands->bytes = 0;
}

static void forget_errands(struct errands *errands) {
    empty_errands(errands);
    free(errands->schedules);
    free(errands->reports);
    free(errands->moves);
    free(errands->lengths);
    free(errands->missing);
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

struct hunt {
    const struct search_options *options;
    struct search_result *result;
    int64_t end_ns;
};

static bool is_too_much(const struct search_options *options) {
    size_t bytes = visited_bytes() + memo_bytes() + of_levels.now +
                   of_errands.now;
    return options->memory_mb && bytes >> 20 >= (size_t)options->memory_mb;
}

static bool must_stop(struct hunt *hunt) {
    unsigned enough = hunt->options->enough;

    if (interrupted)
        hunt->result->end = END_SIGNAL;
    else if (enough && (hunt->result->lost & enough) == enough)
        hunt->result->end = END_FOUND;
    else if (hunt->options->seconds && clock_real_ns() > hunt->end_ns)
        hunt->result->end = END_TIME;
    else if (visited_count() > hunt->options->most_positions)
        hunt->result->end = END_FULL;
    else if (is_too_much(hunt->options))
        hunt->result->end = END_MEMORY;
    return hunt->result->end != END_EMPTY;
}

// In portions: between two of them there is a look at the limits. One is many
// for each worker and takes less than a second.
static void run_errands(struct hunt *hunt, struct errands *errands) {
    enum { PORTION = 128 };

    for (size_t i = 0; i < errands->count && !must_stop(hunt); i += PORTION) {
        size_t left = errands->count - i;
        run_some(errands, i, left < PORTION ? left : PORTION,
                 &hunt->options->bounds);
    }
    empty_errands(errands);
}

// A move from a place of a level whose outcome is not known yet.
struct question {
    size_t place;
    struct move move;
};

struct questions {
    struct question *questions;
    size_t count, room;
};

static void add_question(struct questions *questions,
                         struct question question) {
    if (questions->count == questions->room) {
        questions->room = questions->room ? 2 * questions->room : 64;
        questions->questions = must_have(
            realloc(questions->questions,
                    questions->room * sizeof *questions->questions));
    }
    questions->questions[questions->count++] = question;
    store(&of_errands, sizeof question);
}

// Adds an errand for what is missing, unless another will show it too. True if
// there is nothing missing.
static bool is_known(struct hunt *hunt, const struct level *level,
                     const struct question *question,
                     struct errands *errands) {
    const struct bounds *bounds = &hunt->options->bounds;
    const struct place *place = &level->places[question->place];
    struct position after;
    struct outcome outcome =
        position_after(&place->position, bounds, &question->move, &after);

    if (!outcome.known && !is_wanted(errands, outcome.missing))
        add_errand(errands, bounds, place->number, &question->move,
                   outcome.missing);
    return outcome.known;
}

// The other way: every transition is run, as often as was asked for.
static void run_level(struct hunt *hunt, const struct level *level) {
    const struct bounds *bounds = &hunt->options->bounds;
    struct errands errands = {.count = 0};
    struct move moves[MAX_MOVES];

    for (size_t i = 0; i < level->count && !must_stop(hunt); i++) {
        const struct place *place = &level->places[i];
        int count = position_moves(&place->position, bounds, moves);
        for (int m = 0; m < count; m++)
            for (int time = 0; time < hunt->options->times; time++)
                add_errand(&errands, bounds, place->number, &moves[m], 0);
        if (errands.count > 256)
            run_errands(hunt, &errands);
    }
    run_errands(hunt, &errands);
    forget_errands(&errands);
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

// One transition, and the position that it leads to, if that is new.
static void take_move(struct hunt *hunt, const struct place *place,
                      const struct move *move, const struct position *after,
                      unsigned losses, struct level *next) {
    struct search_result *result = hunt->result;

    result->transitions++;
    coverage_note(result->seen, &place->position, move, after);
    note_losses(result, losses, place->number, move);
    if (visited_add(place->number, move,
                    position_fingerprint(after, &hunt->options->bounds)))
        add_place(next, visited_count() - 1, after);
}

// Makes every move from the places of the level, from `first` on, and stops
// before the first place that has one whose outcome is not known, or at which a
// limit is reached; returns it.
static size_t expand(struct hunt *hunt, const struct level *level, size_t first,
                     struct level *next) {
    const struct bounds *bounds = &hunt->options->bounds;
    static struct position after[MAX_MOVES];
    struct outcome outcomes[MAX_MOVES];
    struct move moves[MAX_MOVES];

    for (size_t i = first; i < level->count; i++) {
        const struct place *place = &level->places[i];
        if (must_stop(hunt))
            return i;
        int count = position_moves(&place->position, bounds, moves);
        for (int m = 0; m < count; m++) {
            outcomes[m] = position_after(&place->position, bounds, &moves[m],
                                         &after[m]);
            if (!outcomes[m].known)
                return i;
        }
        for (int m = 0; m < count; m++)
            take_move(hunt, place, &moves[m], &after[m], outcomes[m].losses,
                      next);
    }
    return level->count;
}

// Runs what is not known of the level, from `first` on, until all is: in
// rounds, each with one schedule for everything that is missing. Which those
// are does not depend on how many run side by side.
static void learn(struct hunt *hunt, const struct level *level, size_t first) {
    struct errands errands = {.count = 0};
    struct questions open = {.count = 0};
    struct move moves[MAX_MOVES];

    for (size_t i = first; i < level->count && !must_stop(hunt); i++) {
        int count = position_moves(&level->places[i].position,
                                   &hunt->options->bounds, moves);
        for (int m = 0; m < count; m++) {
            struct question question = {i, moves[m]};
            if (!is_known(hunt, level, &question, &errands))
                add_question(&open, question);
        }
    }
    size_t bytes = open.count * sizeof *open.questions;
    while (open.count > 0 && !must_stop(hunt)) {
        size_t left = 0;
        run_errands(hunt, &errands);
        for (size_t i = 0; i < open.count && !must_stop(hunt); i++)
            if (!is_known(hunt, level, &open.questions[i], &errands))
                open.questions[left++] = open.questions[i];
        open.count = left;
    }
    forget_errands(&errands);
    free(open.questions);
    of_errands.now -= bytes;
}

static void show_progress(const struct hunt *hunt, const struct level *level) {
    if (hunt->options->progress)
        fprintf(stderr, "\r\033[Kdepth %d, %u positions, %zu in this level, "
                "%zu runs", hunt->result->depth, visited_count(), level->count,
                workers_runs());
}

void search_reach(const struct bounds *bounds, const struct move *moves,
                  int count, struct position *position) {
    struct position after;

    position_begin(position, bounds);
    for (int i = 0; i < count; i++) {
        if (!position_after(position, bounds, &moves[i], &after).known) {
            char *report, *line = search_schedule(moves, count, "any", LOSSES,
                                                  bounds);
            workers_run(&line, &report, 1);
            learn_from(bounds, moves, count, line, report);
            position_after(position, bounds, &moves[i], &after);
        }
        *position = after;
    }
}

int search_steps(const struct move *moves, int count) {
    struct step steps[MAX_STEPS];
    int total = 0;

    for (int i = 0; i < count; i++)
        total += move_steps(&moves[i], steps);
    return total;
}

// All moves from a level: the next one, unless the search must stop. What has
// been found by then is still true.
static struct level next_level(struct hunt *hunt, const struct level *level) {
    size_t before = hunt->result->transitions;
    struct level next = {.count = 0};

    show_progress(hunt, level);
    if (hunt->options->times > 0)
        run_level(hunt, level);
    for (size_t done = 0; !must_stop(hunt);) {
        done = expand(hunt, level, done, &next);
        if (done == level->count)
            break;
        learn(hunt, level, done);
    }
    if (hunt->result->end == END_EMPTY)
        hunt->result->depth++;
    else
        hunt->result->some_longer = hunt->result->transitions > before;
    return next;
}

void search(const struct search_options *options,
            struct search_result *result) {
    struct hunt hunt = {.options = options, .result = result,
                        .end_ns = clock_real_ns() +
                                  options->seconds * SECOND};
    struct level level = {.count = 0};
    struct position start;
    size_t runs = workers_runs();

    memset(result, 0, sizeof *result);
    of_levels = of_errands = (struct store){.now = 0};
    mallopt(M_MMAP_THRESHOLD, 1 << 20); // what is large and freed is given back
    result->depth = options->prefix_length;
    search_reach(&options->bounds, options->prefix, options->prefix_length,
                 &start);
    visited_begin(options->prefix, options->prefix_length,
                  position_fingerprint(&start, &options->bounds));
    add_place(&level, 0, &start);
    while (level.count > 0 && result->end == END_EMPTY) {
        if (result->depth == options->bounds.depth) {
            result->end = END_DEPTH;
            break;
        }
        struct level next = next_level(&hunt, &level);
        empty_level(&level);
        level = next;
    }
    if (options->progress)
        fputs("\r\033[K", stderr);
    empty_level(&level);
    result->positions = visited_count();
    result->runs = workers_runs() - runs;
    result->steps_seen = memo_size();
    result->table_bytes = visited_bytes();
    result->level_bytes = of_levels.most;
    result->remembered_bytes = memo_bytes();
    result->errand_bytes = of_errands.most;
    visited_forget();
}

void search_forget(struct search_result *result) {
    for (int loss = 0; loss < LOSSES; loss++)
        free(result->schedules[loss]);
}

enum answer search_answer(const struct search_result *result,
                          const struct bounds *bounds, enum loss loss) {
    if (result->schedules[loss])
        return ANSWER_LOST;
    if (result->end != END_EMPTY)
        return ANSWER_OPEN;
    return coverage_missing(loss, bounds, result->seen) ? ANSWER_NOT_TRIED
                                                        : ANSWER_CLEAN;
}

const char *answer_word(enum answer answer) {
    static const char *const words[] = {
        [ANSWER_LOST] = "lost",
        [ANSWER_CLEAN] = "clean",
        [ANSWER_NOT_TRIED] = "not tried",
        [ANSWER_OPEN] = "not lost so far",
    };
    return words[answer];
}

static bool has_restart(const struct move *moves, int count) {
    for (int i = 0; i < count; i++)
        if (moves[i].kind == MOVE_RESTART)
            return true;
    return false;
}

char *search_schedule(const struct move *moves, int count, const char *lock,
                      enum loss loss, const struct bounds *bounds) {
    struct schedule schedule = {.strict = loss < LOSSES, .clients = "ABCDE"};
    struct step steps[MAX_STEPS];

    snprintf(schedule.lock, sizeof schedule.lock, "%s", lock);
    // A run needs all clients, a reader those that do something. The fresh one
    // is there when it matters that it was there from the beginning.
    for (int i = 0; i < bounds->clients && loss == LOSSES; i++)
        schedule_add(&schedule, (struct step){STEP_OPENS, {.client = i}});
    if (loss == LOSSES && has_restart(moves, count))
        schedule_add(&schedule, (struct step){STEP_OPENS,
                                              {.client = bounds->clients}});
    for (int i = 0; i < count; i++)
        for (int n = move_steps(&moves[i], steps), s = 0; s < n; s++)
            schedule_add(&schedule, steps[s]);
    if (loss == LOSS_RECOVERY || loss == LOSS_ENTRY) {
        int who = loss == LOSS_RECOVERY ? bounds->clients
                                        : moves[count - 1].client;
        schedule_add(&schedule, (struct step){STEP_MUST_BE_INSIDE,
                                              {.client = who}});
    }
    char *line = schedule_text(&schedule);
    schedule_clear(&schedule);
    return line;
}
