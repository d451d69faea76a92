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

// A lease of one's own is over before a watchdog is due.
enum { LOST = 1, UNFINISHED = 3, OWN_LEASE_S = LEASE_S / 6 };

// Everything at once takes minutes. So what the command line leaves open is
// tried in a few small searches, one after the other: each has a bit of one
// thing, and memory of what clients and server do is common to all.
enum part_kind {
    PART_MAIN,    // what usually goes wrong
    PART_NESTED,  // unless --nested: a nested call, and no lease that ends
    PART_HALFWAY, // unless --halfway
    PART_RARE,    // unless --faults: those that are left out in the first one
    PART_ROUNDS,  // unless --rounds: two rounds, and no lease that ends
    PART_ALONE,   // unless --rounds or --asks: one client, which asks itself
    PART_WRITES,  // unless --writes: writes, which alone count then
    PART_OWN,     // unless --own-lease, if the lock can: a lease of one's own
    PARTS,
};

static const struct {
    const char *name, *title;
} part_words[PARTS] = {
    [PART_NESTED] = {"nested", "a nested call"},
    [PART_HALFWAY] = {"halfway", "time that stops halfway through a lease"},
    [PART_RARE] = {"rare", "rarer faults"},
    [PART_ROUNDS] = {"two_rounds", "two rounds"},
    [PART_ALONE] = {"alone", "one client alone, which asks itself"},
    [PART_WRITES] = {"writes", "writes, which alone count"},
    [PART_OWN] = {"own_lease", "a lease of one's own"},
};

struct explorer {
    struct settings settings;
    struct search_options options;
    struct part {
        bool wanted;
        struct bounds bounds;
        struct search_result result;
    } parts[PARTS];
    bool seen[WITNESSES]; // in any of them
    bool json, quiet;
};

static int steps_to(const struct part *part, enum loss loss) {
    return search_steps(part->result.schedules[loss],
                        part->result.lengths[loss]);
}

// The search with a shortest schedule that loses it; NULL: it is not lost.
static const struct part *part_that_loses(const struct explorer *explorer,
                                          enum loss loss) {
    const struct part *found = NULL;

    for (int i = 0; i < PARTS; i++) {
        const struct part *part = &explorer->parts[i];
        if (part->result.schedules[loss] &&
            (!found || steps_to(part, loss) < steps_to(found, loss)))
            found = part;
    }
    return found;
}

static bool has_come_to_its_end(const struct explorer *explorer) {
    for (int i = 0; i < PARTS; i++)
        if (explorer->parts[i].result.end != END_EMPTY)
            return false;
    return true;
}

// Does one of the searches look for it?
static bool is_sought(const struct explorer *explorer, enum loss loss) {
    for (int i = 0; i < PARTS; i++)
        if (explorer->parts[i].wanted &&
            losses_looked_for(&explorer->parts[i].bounds) & 1u << loss)
            return true;
    return false;
}

static bool is_lost(const struct explorer *explorer, enum loss loss) {
    return part_that_loses(explorer, loss) != NULL;
}

// What is missing to call it clean, in all searches together.
static const char *missing(const struct explorer *explorer, enum loss loss) {
    struct bounds bounds = explorer->parts[PART_MAIN].bounds;

    for (int i = 0; i < PARTS; i++) {
        const struct part *part = &explorer->parts[i];
        if (part->wanted && part->bounds.nested > bounds.nested)
            bounds.nested = part->bounds.nested;
        if (part->wanted && part->bounds.writes > bounds.writes)
            bounds.writes = part->bounds.writes;
    }
    return coverage_missing(loss, &bounds, explorer->seen);
}

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
           "--writes and, if the lock can, --own-lease is tried in further "
           "searches, with a bit of each. "
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
    char words[1024] = "";

    for (int i = 0; i < WITNESSES; i++)
        if (explorer->seen[i] == seen &&
            (seen || (i != WITNESS_UNPROVEN &&
                      (i != WITNESS_BOTH ||
                       explorer->settings.bounds.locks > 1))))
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
    const struct part *part = &explorer->parts[kind];

    if (!part->wanted)
        return;
    if (kind != PART_MAIN)
        printf("  And with %s:\n\n", part_words[kind].title);
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

static enum answer answer_of(const struct explorer *explorer, enum loss loss) {
    if (is_lost(explorer, loss))
        return ANSWER_LOST;
    if (!has_come_to_its_end(explorer))
        return ANSWER_OPEN;
    return missing(explorer, loss) ? ANSWER_NOT_TRIED : ANSWER_CLEAN;
}

static void print_losses(const struct explorer *explorer) {
    for (int i = 0; i < LOSSES; i++) {
        enum loss loss = (enum loss)i;
        const struct part *part = part_that_loses(explorer, loss);
        char words[64];

        if (!is_sought(explorer, loss))
            continue;
        if (part)
            snprintf(words, sizeof words, "LOST in %d steps",
                     steps_to(part, loss));
        else
            snprintf(words, sizeof words, "%s",
                     answer_word(answer_of(explorer, loss)));
        printf("  %-9s %-17s %s\n", loss_word(loss), words, loss_meaning(loss));
    }
}

// What is missing to call a property clean; and what "clean" means.
static void print_notes(const struct explorer *explorer) {
    bool clean = false, untried = false;

    for (int i = 0; i < LOSSES; i++) {
        enum loss loss = (enum loss)i;
        char words[256];

        if (!is_sought(explorer, loss))
            continue;
        clean |= answer_of(explorer, loss) == ANSWER_CLEAN;
        if (answer_of(explorer, loss) != ANSWER_NOT_TRIED)
            continue;
        printf("%s", untried ? "" : "\n");
        untried = true;
        snprintf(words, sizeof words, "  %s is not tried: %s.", loss_word(loss),
                 missing(explorer, loss));
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
    const struct part *part = part_that_loses(explorer, loss);
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
    enum answer answer = answer_of(explorer, loss);
    json_t *object = json_object();

    json_object_set_new(object, "meaning", json_string(loss_meaning(loss)));
    json_object_set_new(object, "answer", json_string(answer_word(answer)));
    json_object_set_new(object, "lost", json_boolean(answer == ANSWER_LOST));
    if (answer == ANSWER_NOT_TRIED)
        json_object_set_new(object, "missing",
                            json_string(missing(explorer, loss)));
    if (answer != ANSWER_LOST)
        return object;
    char *line = schedule_of(explorer, loss);
    json_object_set_new(object, "steps", json_integer(steps_to(
        part_that_loses(explorer, loss), loss)));
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
        if (is_sought(explorer, (enum loss)i))
            json_object_set_new(losses, loss_word((enum loss)i),
                                loss_object(explorer, (enum loss)i));
    json_object_set_new(document, "format", json_integer(1));
    json_object_set_new(document, "lock",
                        json_string(settings_title(&explorer->settings)));
    json_object_set_new(document, "lease_ms", json_integer(LEASE_S * 1000));
    put_part(document, &explorer->parts[PART_MAIN]);
    for (int i = PART_MAIN + 1; i < PARTS; i++) {
        if (!explorer->parts[i].wanted)
            continue;
        json_t *part = json_object();
        put_part(part, &explorer->parts[i]);
        json_object_set_new(document, part_words[i].name, part);
    }
    json_object_set_new(document, "properties", losses);
    json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(document);
}

// --- the program ------------------------------------------------------------

// Sets of faults: 1 << fault.
enum {
    NO_FAULTS = 0,
    USUAL_FAULTS = 1 << FAULT_CRASH | 1 << FAULT_STOP |
                   1 << FAULT_LOSE_ANSWER | 1 << FAULT_STRANGER,
    RARE_FAULTS = 1 << FAULT_AGAIN | 1 << FAULT_REFUSE | 1 << FAULT_GIVE_UP,
};

// One of these may happen.
static void set_faults(struct bounds *bounds, unsigned faults) {
    for (int fault = 0; fault < FAULTS; fault++)
        bounds->faults[fault] = faults >> fault & 1;
    bounds->fault_total = faults != NO_FAULTS;
}

static void begin(struct explorer *explorer) {
    struct bounds *bounds = &explorer->settings.bounds;

    explorer->options.most_positions = POSITIONS;
    explorer->options.memory_mb = MEMORY_MB;
    settings_begin(&explorer->settings);
    bounds->nested = bounds->halfway = bounds->rounds = -1;
    bounds->own_lease_s = bounds->writes = bounds->asks = -1;
    bounds->leases = 1;
    set_faults(bounds, USUAL_FAULTS);
}

// Which searches there are.
static void choose_parts(struct explorer *explorer) {
    const struct settings *settings = &explorer->settings;
    struct part *parts = explorer->parts;

    // What takes long has no others beside it; where writes count, nothing
    // else does.
    bool others = settings->bounds.wait_s == 0 &&
                  settings->bounds.writes <= 0 && settings->bounds.locks == 1;

    parts[PART_MAIN].wanted = true;
    parts[PART_NESTED].wanted = others && settings->bounds.nested < 0;
    parts[PART_HALFWAY].wanted = others && settings->bounds.halfway < 0;
    parts[PART_RARE].wanted = others && !settings->faults_given;
    parts[PART_ROUNDS].wanted = others && settings->bounds.rounds < 0;
    parts[PART_ALONE].wanted = others && settings->bounds.rounds < 0 &&
                               settings->bounds.asks < 0;
    parts[PART_WRITES].wanted = others && settings->bounds.writes < 0;
    parts[PART_OWN].wanted = others && settings->bounds.own_lease_s < 0;
    settings_complete(&explorer->settings);
    for (int i = 0; i < PARTS; i++)
        parts[i].bounds = settings->bounds;
}

// What each of them tries, and what goes wrong in it unless that was given.
static void bound_parts(struct explorer *explorer) {
    static const struct {
        enum part_kind part;
        unsigned faults;
    } faults[] = {
        {PART_NESTED, USUAL_FAULTS | 1 << FAULT_REFUSE},
        {PART_RARE, RARE_FAULTS},
        {PART_ROUNDS, 1 << FAULT_LOSE_ANSWER | 1 << FAULT_AGAIN |
                      1 << FAULT_GIVE_UP},
        {PART_WRITES, NO_FAULTS},
        {PART_OWN, 1 << FAULT_LOSE_ANSWER},
    };
    struct part *parts = explorer->parts;

    parts[PART_NESTED].bounds.nested = parts[PART_OWN].bounds.nested = 1;
    parts[PART_NESTED].bounds.leases = parts[PART_OWN].bounds.leases =
        parts[PART_ROUNDS].bounds.leases = 0;
    parts[PART_ROUNDS].bounds.rounds = parts[PART_ALONE].bounds.rounds = 2;
    parts[PART_HALFWAY].bounds.halfway = 1;
    parts[PART_WRITES].bounds.writes = 1;
    parts[PART_OWN].bounds.own_lease_s = OWN_LEASE_S;
    parts[PART_ALONE].bounds.clients = parts[PART_ALONE].bounds.asks = 1;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (!explorer->settings.faults_given)
            set_faults(&parts[faults[i].part].bounds, faults[i].faults);
    // These two look at what happens where nothing goes wrong.
    set_faults(&parts[PART_HALFWAY].bounds, NO_FAULTS);
    set_faults(&parts[PART_ALONE].bounds, NO_FAULTS);
}

// Most locks cannot: then there is no such search, unless it was asked for.
static bool takes_own_lease(const struct explorer *explorer,
                            struct part *part) {
    if (!part->wanted || search_takes_own_lease(&part->bounds))
        return true;
    if (explorer->settings.bounds.own_lease_s > 0)
        refuse("%s cannot take a lease for a single acquire: --own-lease is "
               "not for it", settings_title(&explorer->settings));
    part->wanted = false;
    return false;
}

static void explore(struct explorer *explorer) {
    explorer->options.progress = isatty(STDERR_FILENO);
    search_catch_signals();
    settings_open_workers(&explorer->settings);
    if (explorer->settings.bounds.locks > 1 &&
        !search_has_second_lock(&explorer->settings.bounds))
        refuse("%s has no second lock: --locks 2 is not for it",
               settings_title(&explorer->settings));
    for (int i = 0; i < PARTS; i++) {
        struct part *part = &explorer->parts[i];
        if (part->bounds.own_lease_s > 0 && !takes_own_lease(explorer, part))
            continue;
        if (!part->wanted)
            continue;
        explorer->options.bounds = part->bounds;
        search(&explorer->options, &part->result);
        for (int w = 0; w < WITNESSES; w++)
            if (i != PART_WRITES || w == WITNESS_WRITE || w == WITNESS_STALE)
                explorer->seen[w] |= part->result.seen[w];
    }
    workers_close();
}

int main(int argc, char **argv) {
    static struct explorer explorer;
    bool lost = false, tried = false;

    arguments_hide(argc, argv);
    begin(&explorer);
    argp.children = settings_options(&explorer.settings, "");
    arguments_parse(&argp, argc, argv, &explorer);
    choose_parts(&explorer);
    bound_parts(&explorer);
    explore(&explorer);
    if (explorer.json)
        print_json(&explorer);
    else
        print_text(&explorer);
    for (int i = 0; i < LOSSES; i++) {
        lost |= is_lost(&explorer, (enum loss)i);
        tried |= is_sought(&explorer, (enum loss)i) &&
                 answer_of(&explorer, (enum loss)i) != ANSWER_NOT_TRIED;
        if (is_lost(&explorer, (enum loss)i) && !explorer.json &&
            !explorer.quiet)
            print_trace(&explorer, (enum loss)i);
    }
    finish_output();
    for (int i = 0; i < PARTS; i++)
        search_forget(&explorer.parts[i].result);
    if (lost)
        return LOST;
    return tried && has_come_to_its_end(&explorer) ? EXIT_SUCCESS : UNFINISHED;
}
