// ./scenarios/explore: every schedule within bounds, and for each property that
// can be lost a shortest one that loses it.
#include "lab.h"

#include "base/arguments.h"
#include "base/child.h"
#include "catalogue/locks.h"
#include "replay/replay.h"
#include "report/table.h"
#include "lab/search/parts.h"
#include "lab/search/workers.h"
#include "base/fail.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOST = 1, UNFINISHED = 3 };

struct explorer {
    struct settings settings;
    struct search_options options;
    struct parts parts;
    bool json, quiet;
};

// --- the command line -------------------------------------------------------

enum { KEY_VERIFY = 2000, KEY_SECONDS, KEY_POSITIONS, KEY_MEMORY };

static const struct argp_option choices[] = {
    {"verify", KEY_VERIFY, NULL, 0,
     "run every single transition for real, twice, and compare what clients and "
     "server do and what is possible then", 1},
    {"seconds", KEY_SECONDS, "N", 0, "stop after so long", 1},
    {"positions", KEY_POSITIONS, "N", 0,
     "stop when the table has more (default 8000000)", 1},
    {"memory", KEY_MEMORY, "MB", 0,
     "stop when the search stores so much (default 4096)", 1},
    {"quiet", 'q', NULL, 0, "no traces", 1},
    {"format", 'f', "FORMAT", 0, "text (the default) or json", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct explorer *explorer = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &explorer->settings;
        return 0;
    case KEY_VERIFY:
        explorer->options.times = 2;
        explorer->settings.says_what_is_possible = true;
        return 0;
    case KEY_SECONDS:
        explorer->options.seconds =
            settings_number(argument, 1, 1000000, "--seconds");
        return 0;
    case KEY_POSITIONS:
        explorer->options.most_positions = (size_t)settings_number(
            argument, 1, 100000000, "--positions");
        return 0;
    case KEY_MEMORY:
        explorer->options.memory_mb =
            settings_number(argument, 1, 1000000, "--memory");
        return 0;
    case 'q':
        explorer->quiet = true;
        return 0;
    case 'f':
        explorer->json = arguments_format(argument,
                                          FORMATS_OF_SEARCH) == FORMAT_JSON;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static struct argp argp = {
    .options = choices,
    .parser = parse,
    .doc = "Tries every order of operations, commands, answers, clock moves and "
           "faults within bounds, on real clients and a real server, shortest "
           "first, and prints for each property that is lost a shortest schedule "
           "that loses it.\v"
           "Exit status: 0 nothing is lost within these bounds; 1 something is; 2 "
           "wrong use, or the run itself failed; 3 nothing was found, and the "
           "search was stopped, or it tried no property. What the command line "
           "leaves open of --nested, --halfway, --faults, --rounds, --asks, "
           "--writes and, if the lock can, --own-lease and --locks is tried in "
           "further searches, with a bit of each. "
           "docs/explore.md says what is tried and what is not.",
};

// --- text -------------------------------------------------------------------

static const char *end_words(enum search_end end) {
    switch (end) {
    case END_EMPTY:  return "nothing is left to try";
    case END_FOUND:  return "what was looked for is found";
    case END_DEPTH:  return "stopped there, as --depth says";
    case END_FULL:   return "stopped: the table is full";
    case END_MEMORY: return "stopped: the memory is full";
    case END_TIME:   return "stopped: the time is over";
    case END_SIGNAL: return "stopped by a signal";
    }
    return "";
}

static void print_row(const char *name, const char *words) {
    printf("  %-9s ", name);
    table_wrap_from(stdout, words, page_width(stdout), 12);
}

static void print_assumed(unsigned assumed) {
    char words[512] = "";

    for (int i = 0; i < ASSUMPTIONS; i++)
        if (assumed & 1u << i)
            snprintf(words + strlen(words), sizeof words - strlen(words),
                     "%s%s", *words ? ", " : "",
                     assumption_word((enum assumption)i));
    print_row("assumed", *words ? words : "nothing");
}

static void print_witnesses(const struct explorer *explorer, bool seen) {
    bool two_locks = explorer->settings.bounds.locks > 1 ||
                     explorer->parts.of[PART_LOCKS].wanted;
    char words[1024] = "";

    for (int i = 0; i < WITNESSES; i++)
        if (explorer->parts.seen[i] == seen &&
            (seen || (i != WITNESS_UNPROVEN &&
                      (i != WITNESS_BOTH || two_locks))))
            snprintf(words + strlen(words), sizeof words - strlen(words),
                     "%s%s", *words ? "; " : "",
                     witness_meaning((enum witness)i));
    if (*words)
        print_row(seen ? "seen" : "not seen", words);
}

static void print_memory(const struct search_result *result) {
    char words[512];

    snprintf(words, sizeof words, "%zu KB for the table, at most %zu KB for the "
             "depths that are worked on, %zu KB for what is remembered, at most "
             "%zu KB for what is to be run", result->table_bytes / 1024,
             result->level_bytes / 1024, result->remembered_bytes / 1024,
             result->pending_bytes / 1024);
    print_row("memory", words);
}

static void print_tried(const struct search_result *result) {
    char words[512];

    snprintf(words, sizeof words, "%zu position%s, %zu transition%s, schedules "
             "of up to %d move%s%s; %s",
             result->positions, plural((int)result->positions),
             result->transitions, plural((int)result->transitions),
             result->depth, plural(result->depth),
             result->some_longer ? " and some of one more" : "",
             end_words(result->end));
    print_row("tried", words);
    snprintf(words, sizeof words, "%zu schedule%s for real, which showed %s%zu "
             "thing%s that clients and server do",
             result->runs, plural((int)result->runs),
             result->end == END_EMPTY ? "all " : "",
             result->steps_seen, plural((int)result->steps_seen));
    print_row("run", words);
}

static void print_part(const struct explorer *explorer, enum part_kind kind) {
    const struct part *part = &explorer->parts.of[kind];

    if (!part->wanted)
        return;
    if (kind != PART_MAIN)
        printf("  And with %s:\n\n", part_title(kind));
    char *bounds = settings_text(&part->bounds);
    print_row("bounds", bounds);
    free(bounds);
    if (kind == PART_MAIN)
        print_assumed(part->bounds.assumed);
    print_tried(&part->result);
    if (kind == PART_MAIN)
        print_memory(&part->result);
    putchar('\n');
}

static void print_losses(const struct explorer *explorer) {
    for (int i = 0; i < LOSSES; i++) {
        enum loss loss = (enum loss)i;
        const struct part *part = parts_losing(&explorer->parts, loss);
        char words[64];

        if (!parts_look_for(&explorer->parts, loss))
            continue;
        if (part)
            snprintf(words, sizeof words, "LOST in %d steps",
                     part_steps(part, loss));
        else
            snprintf(words, sizeof words, "%s",
                     answer_word(parts_answer(&explorer->parts, loss)));
        printf("  %-9s %-17s %s\n", loss_word(loss), words, loss_meaning(loss));
    }
}

// What is missing to call a property clean; and what "clean" means.
static void print_notes(const struct explorer *explorer) {
    bool clean = false, untried = false;

    for (int i = 0; i < LOSSES; i++) {
        enum loss loss = (enum loss)i;
        char words[256];

        if (!parts_look_for(&explorer->parts, loss))
            continue;
        clean |= parts_answer(&explorer->parts, loss) == ANSWER_CLEAN;
        if (parts_answer(&explorer->parts, loss) != ANSWER_NOT_TRIED)
            continue;
        printf("%s", untried ? "" : "\n");
        untried = true;
        snprintf(words, sizeof words, "  %s is not tried: %s.", loss_word(loss),
                 parts_missing(&explorer->parts, loss));
        table_wrap_from(stdout, words, PAGE_WIDTH, 2);
    }
    if (clean)
        puts("\n  Clean is clean within these bounds, and no more.");
}

static void print_text(const struct explorer *explorer) {
    printf("explore %s, lease %d s\n\n", settings_title(&explorer->settings),
           LEASE_S);
    for (int i = 0; i < PARTS; i++)
        print_part(explorer, (enum part_kind)i);
    print_witnesses(explorer, true);
    print_witnesses(explorer, false);
    putchar('\n');
    print_losses(explorer);
    print_notes(explorer);
}

static char *schedule_of(const struct explorer *explorer, enum loss loss) {
    const struct part *part = parts_losing(&explorer->parts, loss);
    char name[LOCK_NAME_SIZE];

    locks_short_name(settings_title(&explorer->settings), name);
    return search_schedule(part->result.schedules[loss],
                           part->result.lengths[loss], name, loss,
                           &part->bounds);
}

// Each in a process of its own: there is one world in a process.
static void print_trace(const struct explorer *explorer, enum loss loss) {
    struct options options = {.key = USUAL_KEY,
                              .client = explorer->settings.client,
                              .virtual = explorer->settings.client != NULL};
    char *line = schedule_of(explorer, loss);
    struct schedule schedule;

    putchar('\n');
    finish_output();
    pid_t child = child_start();
    if (child == 0) {
        schedule_parse(&schedule, line);
        exit(replay(&options, loss_word(loss),
                    settings_title(&explorer->settings), &schedule));
    }
    int code = child_end_of_output(child);
    if (code == EXIT_WRONG_USE) // what went wrong it has said, if it could
        fail("the schedule '%s' could not be replayed", line);
    if (code != LOST)
        refuse("the schedule '%s' was found and is not lost when it is "
               "replayed", line);
    free(line);
}

// --- JSON -------------------------------------------------------------------

static json_t *loss_object(const struct explorer *explorer, enum loss loss) {
    enum answer answer = parts_answer(&explorer->parts, loss);
    json_t *object = json_object();

    json_object_set_new(object, "meaning", json_string(loss_meaning(loss)));
    json_object_set_new(object, "answer", json_string(answer_word(answer)));
    json_object_set_new(object, "lost", json_boolean(answer == ANSWER_LOST));
    if (answer == ANSWER_NOT_TRIED)
        json_object_set_new(object, "missing",
                            json_string(parts_missing(&explorer->parts, loss)));
    if (answer != ANSWER_LOST)
        return object;
    char *line = schedule_of(explorer, loss);
    json_object_set_new(object, "steps", json_integer(part_steps(
        parts_losing(&explorer->parts, loss), loss)));
    json_object_set_new(object, "schedule", json_string(line));
    free(line);
    return object;
}

static void put_count(json_t *object, const char *name, size_t count) {
    json_object_set_new(object, name, json_integer((json_int_t)count));
}

static void put_part(json_t *object, const struct part *part) {
    static const char *const ends[] = {
        [END_EMPTY] = "empty",   [END_FOUND] = "found",
        [END_DEPTH] = "depth",   [END_FULL] = "full",
        [END_MEMORY] = "memory", [END_TIME] = "time",
        [END_SIGNAL] = "signal"};
    const struct search_result *result = &part->result;
    json_t *seen = json_array();

    for (int i = 0; i < WITNESSES; i++)
        if (result->seen[i])
            json_array_append_new(
                seen, json_string(witness_meaning((enum witness)i)));
    json_object_set_new(object, "bounds", settings_object(&part->bounds));
    json_object_set_new(object, "end", json_string(ends[result->end]));
    put_count(object, "positions", result->positions);
    put_count(object, "transitions", result->transitions);
    put_count(object, "depth", (size_t)result->depth);
    put_count(object, "runs", result->runs);
    put_count(object, "steps_seen", result->steps_seen);
    put_count(object, "table_bytes", result->table_bytes);
    put_count(object, "level_bytes", result->level_bytes);
    put_count(object, "remembered_bytes", result->remembered_bytes);
    put_count(object, "pending_bytes", result->pending_bytes);
    json_object_set_new(object, "seen", seen);
}

static void print_json(const struct explorer *explorer) {
    json_t *document = json_object(), *losses = json_object();

    for (int i = 0; i < LOSSES; i++)
        if (parts_look_for(&explorer->parts, (enum loss)i))
            json_object_set_new(losses, loss_word((enum loss)i),
                                loss_object(explorer, (enum loss)i));
    json_object_set_new(document, "format", json_integer(1));
    json_object_set_new(document, "lock",
                        json_string(settings_title(&explorer->settings)));
    json_object_set_new(document, "lease_ms", json_integer(LEASE_S * 1000));
    put_part(document, &explorer->parts.of[PART_MAIN]);
    for (int i = PART_MAIN + 1; i < PARTS; i++) {
        if (!explorer->parts.of[i].wanted)
            continue;
        json_t *part = json_object();
        put_part(part, &explorer->parts.of[i]);
        json_object_set_new(document, part_name((enum part_kind)i), part);
    }
    json_object_set_new(document, "properties", losses);
    json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(document);
}

// --- the program ------------------------------------------------------------

static void begin(struct explorer *explorer) {
    explorer->options.most_positions = POSITIONS;
    explorer->options.memory_mb = MEMORY_MB;
    parts_begin(&explorer->settings);
}

static void explore(struct explorer *explorer) {
    explorer->options.progress = isatty(STDERR_FILENO);
    search_catch_signals();
    settings_open_workers(&explorer->settings);
    parts_search(&explorer->parts, &explorer->settings, &explorer->options);
    workers_close();
}

// How it ends; what is lost is printed on the way.
static int conclude(const struct explorer *explorer) {
    const struct parts *parts = &explorer->parts;
    bool lost = false, tried = false;

    for (int i = 0; i < LOSSES; i++) {
        enum loss loss = (enum loss)i;
        enum answer answer = parts_answer(parts, loss);

        tried |= parts_look_for(parts, loss) && answer != ANSWER_NOT_TRIED;
        lost |= answer == ANSWER_LOST;
        if (answer == ANSWER_LOST && !explorer->json && !explorer->quiet)
            print_trace(explorer, loss);
    }
    if (lost)
        return LOST;
    return tried && parts_are_complete(parts) ? EXIT_SUCCESS : UNFINISHED;
}

int explore_main(int argc, char **argv) {
    static struct explorer explorer;

    arguments_hide(argc, argv);
    begin(&explorer);
    argp.children = settings_options(&explorer.settings, "");
    arguments_parse(&argp, argc, argv, &explorer);
    parts_choose(&explorer.parts, &explorer.settings);
    explore(&explorer);
    if (explorer.json)
        print_json(&explorer);
    else
        print_text(&explorer);
    int code = conclude(&explorer);
    finish_output();
    parts_forget(&explorer.parts);
    return code;
}
