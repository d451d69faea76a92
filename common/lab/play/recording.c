// A search merges positions that differ only in the clients' names. A player
// would see A become B. So the positions are walked once more here, and two are
// one only if they have equal futures for A and for B and look the same. The
// search has been before, side by side in all workers, so that nearly all that
// clients and server do is known.
#include "recording.h"

#include "describe.h"
#include "lab/search/search.h"
#include "lab/search/snapshot.h"
#include "lab/search/visited.h"

#include "base/fail.h"
#include "base/arguments.h"
#include "base/list.h"
#include "base/units.h"
#include "report/lock_words.h"

#include <jansson.h>
#include <stdlib.h>

enum { FORMAT_VERSION = 1, MOST_RECORDED = 200000 };

struct recording {
    struct bounds bounds;
    struct position *positions; // by their numbers in the visited set
    size_t count;
    json_t *numbers; // of texts, by the text
    json_t *texts;
    json_t *shown;   // what there is to be seen of each position
    json_t *moves;   // of each position
};

static json_t *number_of(struct recording *recording, const char *text) {
    json_t *number = json_object_get(recording->numbers, text);

    if (number)
        return json_incref(number);
    number = json_integer((json_int_t)json_array_size(recording->texts));
    json_array_append_new(recording->texts, must_have(json_string(text)));
    json_object_set(recording->numbers, text, number);
    return number;
}

static _Noreturn void refuse_so_many(void) {
    refuse("more than %d positions: fewer are within --rounds 1 --leases 1 "
           "--faults crash,stop --at-most 1", MOST_RECORDED);
}

// --- a position --------------------------------------------------------------

static json_t *shown(struct recording *recording,
                     const struct position *position) {
    json_t *array = json_array();
    char words[WORDS_SIZE], lock[LOCK_WORDS];

    lock_words(snapshot_lock(position->content), lock);
    json_array_append_new(array, json_integer(position->now_ns / MILLISECOND));
    json_array_append_new(array, number_of(recording, lock));
    budget_words(position, &recording->bounds, words);
    json_array_append_new(array, number_of(recording, words));
    for (int i = 0; i <= recording->bounds.clients; i++) {
        client_words(position, &recording->bounds, i, words);
        json_array_append_new(array, number_of(recording, words));
    }
    return array;
}

// The fingerprint of a position, with its looks: a player sees those.
static struct fingerprint identity(const struct recording *recording,
                                   const struct position *position,
                                   const json_t *seen) {
    struct fingerprint own =
        position_own_fingerprint(position, &recording->bounds);
    const json_t *item;
    size_t i;

    json_array_foreach(seen, i, item) {
        own.high = mix(own.high, (uint64_t)json_integer_value(item));
        own.low = mix(own.low, own.high);
    }
    return own;
}

// The position's number. A new position goes to the end of the list.
static uint32_t place(struct recording *recording, uint32_t parent,
                      const struct move *move,
                      const struct position *position) {
    json_t *seen = shown(recording, position);
    struct fingerprint who = identity(recording, position, seen);

    if (!move)
        visited_begin(NULL, 0, who);
    else if (!visited_add(parent, move, who)) {
        json_decref(seen);
        return visited_number(who);
    }
    if (recording->count == MOST_RECORDED)
        refuse_so_many();
    recording->positions = list_grow(recording->positions, recording->count,
                                     sizeof *recording->positions);
    recording->positions[recording->count++] = *position;
    json_array_append_new(recording->shown, seen);
    return visited_number(who);
}

// --- a move ------------------------------------------------------------------

// "A>", or "t+30.001 A:must-be-inside": the steps that the move is.
static char *steps_text(const struct move *move, unsigned losses) {
    struct schedule schedule = {.clients = "ABCD"};
    struct step steps[MAX_STEPS];
    int count = move_steps(move, steps);
    char *text = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&text, &size));

    for (int i = 0; i < count; i++) {
        char *step = schedule_step_text(&schedule, &steps[i]);
        fprintf(out, "%s%s", i > 0 ? " " : "", step);
        free(step);
    }
    if (losses & (1u << LOSS_ENTRY | 1u << LOSS_RECOVERY))
        fprintf(out, " %c:must-be-inside", "ABCD"[move->client]);
    fclose(out);
    return text;
}

static void add_losses(struct recording *recording, json_t *array,
                       const struct position *after, const struct move *move,
                       unsigned losses) {
    char words[WORDS_SIZE];

    for (int loss = 0; loss < LOSSES; loss++) {
        if (!(losses & 1u << loss))
            continue;
        loss_words((enum loss)loss, after, move, words);
        json_array_append_new(array, json_integer(loss));
        json_array_append_new(array, number_of(recording, words));
    }
}

static json_t *move_array(struct recording *recording, uint32_t from,
                          const struct move *move) {
    struct position before = recording->positions[from], after;
    struct outcome outcome =
        position_after(&before, &recording->bounds, move, &after);
    json_t *array = json_array();
    char words[WORDS_SIZE];

    if (!outcome.known) { // so it is run
        int length = visited_depth(from) + 1;
        struct move *moves = visited_moves(from, move);
        search_reach(&recording->bounds, moves, length, &after);
        free(moves);
        outcome = position_after(&before, &recording->bounds, move, &after);
    }
    char *steps = steps_text(move, outcome.losses);
    move_words(&before, &recording->bounds, move, words);
    json_array_append_new(array, number_of(recording, words));
    json_array_append_new(array, number_of(recording, steps));
    json_array_append_new(array,
                          json_integer(place(recording, from, move, &after)));
    add_losses(recording, array, &after, move, outcome.losses);
    free(steps);
    return array;
}

// --- all of them -------------------------------------------------------------

static void walk(struct recording *recording) {
    struct position start;
    struct move moves[MAX_MOVES];

    position_begin(&start, &recording->bounds);
    place(recording, 0, NULL, &start);
    for (uint32_t at = 0; at < recording->count; at++) {
        json_t *list = json_array();
        struct position here = recording->positions[at];
        int count = position_moves(&here, &recording->bounds, moves);
        for (int i = 0; i < count; i++)
            json_array_append_new(list, move_array(recording, at, &moves[i]));
        json_array_append_new(recording->moves, list);
    }
}

static json_t *goals_array(const struct bounds *bounds) {
    json_t *array = json_array();

    for (int loss = 0; loss < losses_sought(bounds); loss++)
        json_array_append_new(array, json_pack("[s, s]",
                                               loss_word((enum loss)loss),
                                               goal_words((enum loss)loss)));
    return array;
}

static void search_first(const struct recording *recording) {
    struct search_options options = {
        .bounds = recording->bounds,
        .most_positions = MOST_RECORDED,
        .memory_mb = MEMORY_MB,
    };
    struct search_result result;

    search(&options, &result);
    if (result.end == END_FULL)
        refuse_so_many();
    if (result.end == END_ENDLESS)
        refuse("a client comes to no end: such a lock cannot be recorded");
    search_forget(&result);
}

void recording_print(const struct settings *settings, FILE *out) {
    struct recording recording = {
        .bounds = settings->bounds,
        .numbers = json_object(),
        .texts = json_array(),
        .shown = json_array(),
        .moves = json_array(),
    };

    recording.bounds.redundant_moves = true;
    search_first(&recording);
    walk(&recording);
    visited_forget();
    json_t *document = json_pack(
        "{s:i, s:s, s:i, s:o, s:o, s:o, s:o, s:o}", "format", FORMAT_VERSION,
        "lock", settings_title(settings), "lease_ms",
        (int)(LEASE / MILLISECOND), "bounds",
        settings_object(&recording.bounds), "goals", goals_array(&recording.bounds), "texts",
        recording.texts, "positions", recording.shown, "moves",
        recording.moves);
    json_dumpf(must_have(document), out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(document);
    json_decref(recording.numbers);
    free(recording.positions);
}
