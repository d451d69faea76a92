// ./scenarios/explore: every schedule within bounds, and for each property a
// shortest one that loses it.
#include "lab.h"

#include "base/arguments.h"
#include "base/child.h"
#include "catalogue/locks.h"
#include "replay/replay.h"
#include "report/table.h"
#include "lab/search/suite.h"
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
    struct suite suite;
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
    case END_ENDLESS:
        return "stopped: a client comes to no end, so the search would not end either";
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
                     explorer->suite.entries[SUITE_LOCKS].wanted;
    char words[1024] = "";

    for (int i = 0; i < WITNESSES; i++)
        if (explorer->suite.seen[i] == seen &&
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

static void print_entry(const struct explorer *explorer, enum suite_kind kind) {
    const struct suite_entry *entry = &explorer->suite.entries[kind];

    if (!entry->wanted)
        return;
    if (kind != SUITE_MAIN)
        printf("  And with %s:\n\n", suite_kind_title(kind));
    char *bounds = settings_text(&entry->bounds);
    print_row("bounds", bounds);
    free(bounds);
    if (kind == SUITE_MAIN)
        print_assumed(entry->bounds.assumed);
    print_tried(&entry->result);
    if (kind == SUITE_MAIN)
        print_memory(&entry->result);
    putchar('\n');
}

static void print_losses(const struct explorer *explorer) {
    for (int i = 0; i < LOSSES; i++) {
        enum loss loss = (enum loss)i;
        const struct suite_entry *entry = suite_losing(&explorer->suite, loss);
        char words[64];

        if (!suite_looks_for(&explorer->suite, loss))
            continue;
        if (entry)
            snprintf(words, sizeof words, "LOST in %d steps",
                     suite_entry_steps(entry, loss));
        else
            snprintf(words, sizeof words, "%s",
                     answer_word(suite_answer(&explorer->suite, loss)));
        printf("  %-9s %-17s ", loss_word(loss), words);
        table_wrap_from(stdout, loss_meaning(loss), page_width(stdout), 30);
    }
}

// Why a property cannot be called clean, and the meaning of "clean".
static void print_notes(const struct explorer *explorer) {
    bool clean = false, untried = false;

    for (int i = 0; i < LOSSES; i++) {
        enum loss loss = (enum loss)i;
        char words[256];

        if (!suite_looks_for(&explorer->suite, loss))
            continue;
        clean |= suite_answer(&explorer->suite, loss) == ANSWER_CLEAN;
        if (suite_answer(&explorer->suite, loss) != ANSWER_NOT_TRIED)
            continue;
        printf("%s", untried ? "" : "\n");
        untried = true;
        snprintf(words, sizeof words, "%s is not tried: %s.", loss_word(loss),
                 suite_missing(&explorer->suite, loss));
        printf("  ");
        table_wrap_from(stdout, words, page_width(stdout), 2);
    }
    if (clean)
        puts("\n  Clean is clean within the bounds below, and no more.");
}

static void print_answer(const struct explorer *explorer) {
    printf("explore %s, lease %d s\n\n", settings_title(&explorer->settings),
           LEASE_S);
    print_losses(explorer);
    print_notes(explorer);
}

// The searches behind the answer: how far each went, and what it has met.
static void print_searches(const struct explorer *explorer) {
    puts("\nThe search:\n");
    for (int i = 0; i < SUITE_SIZE; i++)
        print_entry(explorer, (enum suite_kind)i);
    print_witnesses(explorer, true);
    print_witnesses(explorer, false);
}

static char *schedule_of(const struct explorer *explorer, enum loss loss) {
    const struct suite_entry *entry = suite_losing(&explorer->suite, loss);
    char name[LOCK_NAME_SIZE];

    locks_short_name(settings_title(&explorer->settings), name);
    return search_schedule(entry->result.schedules[loss],
                           entry->result.lengths[loss], name, loss,
                           &entry->bounds);
}

// Replays the schedule in a child: there is one world in a process. Returns the
// child's exit status.
static int replay_in_child(const struct explorer *explorer, enum loss loss,
                           const char *line, bool shown) {
    struct options options = {.key = USUAL_KEY,
                              .client = explorer->settings.client,
                              .virtual = explorer->settings.client != NULL};
    struct schedule schedule;

    finish_output();
    pid_t child = child_start();
    if (child == 0) {
        if (!shown && !freopen("/dev/null", "w", stdout))
            fail("cannot open /dev/null");
        schedule_parse(&schedule, line);
        exit(replay(&options, loss_word(loss),
                    settings_title(&explorer->settings), &schedule));
    }
    int code = child_end_of_output(child);
    if (code == EXIT_WRONG_USE) // the child has printed the reason
        fail("the schedule '%s' could not be replayed", line);
    return code;
}

static void print_trace(const struct explorer *explorer, enum loss loss) {
    char *line = schedule_of(explorer, loss);

    putchar('\n');
    if (replay_in_child(explorer, loss, line, true) != LOST)
        refuse("the schedule '%s' was found and is not lost when it is "
               "replayed", line);
    free(line);
}

// A search counts some steps of a client that comes to no end. Whether there is
// really no end to them, the world finds out: the schedule goes on.
static void confirm_progress(const struct explorer *explorer) {
    if (suite_answer(&explorer->suite, LOSS_PROGRESS) != ANSWER_LOST)
        return;
    char *line = schedule_of(explorer, LOSS_PROGRESS);
    if (replay_in_child(explorer, LOSS_PROGRESS, line, false) != LOST)
        refuse("a client has sent many commands, or has woken many times, "
               "while no time has passed: such a lock cannot be searched");
    free(line);
}

// --- JSON -------------------------------------------------------------------

static json_t *loss_object(const struct explorer *explorer, enum loss loss) {
    enum answer answer = suite_answer(&explorer->suite, loss);
    json_t *object = json_object();

    json_object_set_new(object, "meaning", json_string(loss_meaning(loss)));
    json_object_set_new(object, "answer", json_string(answer_word(answer)));
    json_object_set_new(object, "lost", json_boolean(answer == ANSWER_LOST));
    if (answer == ANSWER_NOT_TRIED)
        json_object_set_new(object, "missing",
                            json_string(suite_missing(&explorer->suite, loss)));
    if (answer != ANSWER_LOST)
        return object;
    char *line = schedule_of(explorer, loss);
    json_object_set_new(object, "steps", json_integer(suite_entry_steps(
        suite_losing(&explorer->suite, loss), loss)));
    json_object_set_new(object, "schedule", json_string(line));
    free(line);
    return object;
}

static void put_count(json_t *object, const char *name, size_t count) {
    json_object_set_new(object, name, json_integer((json_int_t)count));
}

static void put_entry(json_t *object, const struct suite_entry *entry) {
    static const char *const ends[] = {
        [END_EMPTY] = "empty",   [END_FOUND] = "found",
        [END_ENDLESS] = "endless",
        [END_DEPTH] = "depth",   [END_FULL] = "full",
        [END_MEMORY] = "memory", [END_TIME] = "time",
        [END_SIGNAL] = "signal"};
    const struct search_result *result = &entry->result;
    json_t *seen = json_array();

    for (int i = 0; i < WITNESSES; i++)
        if (result->seen[i])
            json_array_append_new(
                seen, json_string(witness_meaning((enum witness)i)));
    json_object_set_new(object, "bounds", settings_object(&entry->bounds));
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
        if (suite_looks_for(&explorer->suite, (enum loss)i))
            json_object_set_new(losses, loss_word((enum loss)i),
                                loss_object(explorer, (enum loss)i));
    json_object_set_new(document, "format", json_integer(1));
    json_object_set_new(document, "lock",
                        json_string(settings_title(&explorer->settings)));
    json_object_set_new(document, "lease_ms", json_integer(LEASE_S * 1000));
    put_entry(document, &explorer->suite.entries[SUITE_MAIN]);
    for (int i = SUITE_MAIN + 1; i < SUITE_SIZE; i++) {
        if (!explorer->suite.entries[i].wanted)
            continue;
        json_t *object = json_object();
        put_entry(object, &explorer->suite.entries[i]);
        json_object_set_new(document, suite_kind_name((enum suite_kind)i),
                            object);
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
    suite_begin(&explorer->settings);
}

static void explore(struct explorer *explorer) {
    explorer->options.progress = isatty(STDERR_FILENO);
    search_catch_signals();
    settings_open_workers(&explorer->settings);
    suite_run(&explorer->suite, &explorer->settings, &explorer->options);
    workers_close();
}

static void print_traces(const struct explorer *explorer) {
    for (int i = 0; i < LOSSES; i++)
        if (suite_answer(&explorer->suite, (enum loss)i) == ANSWER_LOST)
            print_trace(explorer, (enum loss)i);
}

static void print_text(const struct explorer *explorer) {
    print_answer(explorer);
    if (!explorer->quiet)
        print_traces(explorer);
    print_searches(explorer);
}

static int exit_status(const struct explorer *explorer) {
    const struct suite *suite = &explorer->suite;
    bool lost = false, tried = false;

    for (int i = 0; i < LOSSES; i++) {
        enum loss loss = (enum loss)i;
        enum answer answer = suite_answer(suite, loss);

        tried |= suite_looks_for(suite, loss) && answer != ANSWER_NOT_TRIED;
        lost |= answer == ANSWER_LOST;
    }
    if (lost)
        return LOST;
    return tried && suite_is_complete(suite) ? EXIT_SUCCESS : UNFINISHED;
}

int explore_main(int argc, char **argv) {
    static struct explorer explorer;

    arguments_hide(argc, argv);
    begin(&explorer);
    argp.children = settings_options(&explorer.settings, "");
    arguments_parse(&argp, argc, argv, &explorer);
    suite_choose(&explorer.suite, &explorer.settings);
    explore(&explorer);
    confirm_progress(&explorer);
    if (explorer.json)
        print_json(&explorer);
    else
        print_text(&explorer);
    int code = exit_status(&explorer);
    finish_output();
    suite_forget(&explorer.suite);
    return code;
}
