// ./scenarios/explore: every schedule within bounds, and for each property that
// can be lost a shortest one that loses it.
#include "base/arguments.h"
#include "base/child.h"
#include "catalogue/locks.h"
#include "replay/replay.h"
#include "report/table.h"
#include "search/workers.h"
#include "search/search.h"
#include "search/bounds_options.h"
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
    struct search_result result;
    bool json, verify, quiet;
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
    {"format", 'F', "FORMAT", 0, "text (the default) or json", 1},
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
    case 'F':
        explorer->json = arguments_format(argument, false) == FORMAT_JSON;
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
           "wrong use, or the run itself failed; 3 the search was stopped and had "
           "found nothing. docs/explore.md says what is tried and what is not.",
};

// --- text -------------------------------------------------------------------

static const char *end_words(const struct explorer *explorer) {
    switch (explorer->result.end) {
    case END_EMPTY:  return "nothing is left to try";
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
    table_wrap_from(stdout, words, PAGE_WIDTH, 12);
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

static void print_witnesses(const struct search_result *result, bool seen) {
    char words[512] = "";

    for (int i = 0; i < WITNESSES; i++)
        if (result->seen[i] == seen)
            snprintf(words + strlen(words), sizeof words - strlen(words),
                     "%s%s", *words ? "; " : "",
                     witness_meaning((enum witness)i));
    if (*words)
        print_row(seen ? "seen" : "not seen", words);
}

static void print_summary(const struct explorer *explorer) {
    const struct search_result *result = &explorer->result;
    char *bounds = settings_text(&explorer->settings.bounds);
    char words[512];

    printf("explore %s, lease %d s\n\n", settings_title(&explorer->settings),
           LEASE_S);
    print_row("bounds", bounds);
    free(bounds);
    print_assumed(explorer->settings.bounds.assumed);
    snprintf(words, sizeof words, "%zu position%s, %zu transition%s, schedules "
             "of up to %d move%s%s; %s",
             result->positions, plural((int)result->positions),
             result->transitions, plural((int)result->transitions),
             result->depth, plural(result->depth),
             result->some_longer ? " and some of one more" : "",
             end_words(explorer));
    print_row("tried", words);
    snprintf(words, sizeof words, "%zu schedule%s for real, which showed %s%zu "
             "thing%s that clients and server do",
             result->runs, plural((int)result->runs),
             result->end == END_EMPTY ? "all " : "",
             result->steps_seen, plural((int)result->steps_seen));
    print_row("run", words);
    snprintf(words, sizeof words, "%zu KB for the table, at most %zu KB for the "
             "depths that are worked on, %zu KB for what is remembered, at most "
             "%zu KB for what is to be run", result->table_bytes / 1024,
             result->level_bytes / 1024, result->remembered_bytes / 1024,
             result->errand_bytes / 1024);
    print_row("memory", words);
    print_witnesses(result, true);
    print_witnesses(result, false);
    putchar('\n');
}

static void print_losses(const struct explorer *explorer) {
    const struct search_result *result = &explorer->result;
    bool clean = false;

    for (int i = 0; i < LOSSES; i++) {
        char words[64];
        clean |= !result->schedules[i] && result->end == END_EMPTY;
        if (result->schedules[i])
            snprintf(words, sizeof words, "LOST in %d steps",
                     search_steps(result->schedules[i], result->lengths[i]));
        else
            snprintf(words, sizeof words, "%s",
                     result->end == END_EMPTY ? "clean" : "not lost so far");
        printf("  %-9s %-17s %s\n", loss_word((enum loss)i), words,
               loss_meaning((enum loss)i));
    }
    if (clean)
        puts("\n  Clean is clean within these bounds, and no more.");
}

static char *schedule_of(const struct explorer *explorer, enum loss loss) {
    char name[LOCK_NAME_SIZE];

    locks_short_name(settings_title(&explorer->settings), name);
    return search_schedule(explorer->result.schedules[loss],
                           explorer->result.lengths[loss], name, loss,
                           &explorer->settings.bounds);
}

// Each in a process of its own: there is one world in a process.
static void print_trace(const struct explorer *explorer, enum loss loss) {
    struct options options = {.key = "lock",
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
    const struct search_result *result = &explorer->result;
    json_t *object = json_object();

    json_object_set_new(object, "lost",
                        json_boolean(result->schedules[loss] != NULL));
    if (!result->schedules[loss])
        return object;
    char *line = schedule_of(explorer, loss);
    json_object_set_new(object, "steps",
                        json_integer(search_steps(result->schedules[loss],
                                                  result->lengths[loss])));
    json_object_set_new(object, "schedule", json_string(line));
    free(line);
    return object;
}

static void print_json(const struct explorer *explorer) {
    static const char *const ends[] = {
        [END_EMPTY] = "empty",   [END_DEPTH] = "depth", [END_FULL] = "full",
        [END_MEMORY] = "memory", [END_TIME] = "time",  [END_SIGNAL] = "signal"};
    const struct search_result *result = &explorer->result;
    json_t *document = json_object(), *losses = json_object();
    json_t *seen = json_array();

    for (int i = 0; i < LOSSES; i++)
        json_object_set_new(losses, loss_word((enum loss)i),
                            loss_object(explorer, (enum loss)i));
    for (int i = 0; i < WITNESSES; i++)
        if (result->seen[i])
            json_array_append_new(
                seen, json_string(witness_meaning((enum witness)i)));
    json_object_set_new(document, "format", json_integer(1));
    json_object_set_new(document, "lock",
                        json_string(settings_title(&explorer->settings)));
    json_object_set_new(document, "lease_ms", json_integer(LEASE_S * 1000));
    json_object_set_new(document, "bounds",
                        settings_object(&explorer->settings.bounds));
    json_object_set_new(document, "end", json_string(ends[result->end]));
    json_object_set_new(document, "positions",
                        json_integer((json_int_t)result->positions));
    json_object_set_new(document, "transitions",
                        json_integer((json_int_t)result->transitions));
    json_object_set_new(document, "depth", json_integer(result->depth));
    json_object_set_new(document, "runs",
                        json_integer((json_int_t)result->runs));
    json_object_set_new(document, "steps_seen",
                        json_integer((json_int_t)result->steps_seen));
    json_object_set_new(document, "table_bytes",
                        json_integer((json_int_t)result->table_bytes));
    json_object_set_new(document, "level_bytes",
                        json_integer((json_int_t)result->level_bytes));
    json_object_set_new(document, "remembered_bytes",
                        json_integer((json_int_t)result->remembered_bytes));
    json_object_set_new(document, "errand_bytes",
                        json_integer((json_int_t)result->errand_bytes));
    json_object_set_new(document, "seen", seen);
    json_object_set_new(document, "properties", losses);
    json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(document);
}

int main(int argc, char **argv) {
    static struct explorer explorer = {
        .options.most_positions = POSITIONS,
        .options.memory_mb = MEMORY_MB};
    const struct search_result *result = &explorer.result;

    settings_begin(&explorer.settings);
    argp.children = settings_options(&explorer.settings, "");
    arguments_parse(&argp, argc, argv, &explorer);
    settings_complete(&explorer.settings);
    search_catch_signals();
    settings_open_crew(&explorer.settings);
    explorer.options.bounds = explorer.settings.bounds;
    explorer.options.progress = isatty(STDERR_FILENO);
    search(&explorer.options, &explorer.result);
    workers_close();
    if (explorer.json) {
        print_json(&explorer);
    } else {
        print_summary(&explorer);
        print_losses(&explorer);
        for (int i = 0; i < LOSSES && !explorer.quiet; i++)
            if (result->schedules[i])
                print_trace(&explorer, (enum loss)i);
    }
    finish_output();
    search_forget(&explorer.result);
    if (result->lost)
        return LOST;
    return result->end == END_EMPTY ? EXIT_SUCCESS : UNFINISHED;
}
