// ./scenarios/assumptions: the assumptions under which a lock keeps each
// property, as one table.
#include "lab.h"
#include "hitting_sets.h"
#include "loss_groups.h"

#include "base/arguments.h"
#include "catalogue/locks.h"
#include "report/table.h"
#include "lab/search/search.h"
#include "lab/search/bounds_options.h"

#include "base/fail.h"
#include "base/units.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tool {
    struct settings settings;
    struct lock_list locks;
    enum format format;
    struct settings given; // not completed yet: that depends on the lock
    int masters; // of a lock that uses several; 0: as many as are usual
};

// --- printing ---------------------------------------------------------------

// A letter for each assumption, in the order of bounds.h.
static const char letters[ASSUMPTIONS + 1] = "wpsmchelkrfgn";

static void write_set(FILE *out, unsigned set, bool whole) {
    const char *before = "";

    for (int i = 0; i < ASSUMPTIONS; i++) {
        if (!(set & 1u << i))
            continue;
        if (whole)
            fprintf(out, "%s%s", before, assumption_word((enum assumption)i));
        else
            fputc(letters[i], out);
        before = "+";
    }
}

static bool is_always(const struct minimal_sets *answer) {
    return answer->count == 1 && answer->sets[0] == 0;
}

// "always", "never", or the sets: "wp ws". The caller frees it.
static char *answer_text(const struct minimal_sets *answer, bool whole) {
    char *words = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&words, &size));

    if (answer->count == 0)
        fputs("never", out);
    if (answer->missing)
        fputs(whole ? "not tried" : "-", out);
    else if (is_always(answer))
        fputs("always", out);
    for (int i = 0; i < answer->count; i++) {
        fputs(i > 0 ? " " : "", out);
        write_set(out, answer->sets[i], whole);
    }
    fclose(out);
    return words;
}

// "; for wakeup: 2 clients, …"
static void write_bounds(FILE *out, const char *of, const struct bounds *all,
                         enum group group) {
    struct bounds bounds = bounds_of(all, group);
    char *words = settings_text(&bounds);

    fprintf(out, "%s%s", of, words);
    free(words);
}

static void print_legend(const struct bounds *bounds, int masters,
                         bool untried) {
    char *words = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&words, &size));

    write_bounds(out, "within these bounds: ", bounds, GROUP_USUAL);
    write_bounds(out, "; for entry and count: ", bounds, GROUP_NESTED);
    write_bounds(out, "; for wakeup: ", bounds, GROUP_WAITING);
    write_bounds(out, "; for resource: ", bounds, GROUP_WRITING);
    write_bounds(out, "; for loser and bounded also: ", bounds, GROUP_WIDER);
    fputs(" (and no more leases for a lock that renews itself)", out);
    if (masters > 1 && bounds->masters == 1)
        fprintf(out, "; with %d masters exclusion alone is asked for: 0 "
                "leases; restart, jump, at most 1 in all", masters);
    fclose(out);
    fputs("\n  always  ", stdout);
    table_wrap_from(stdout, words, page_width(stdout), 10);
    free(words);
    puts("  never   under none of these assumptions");
    if (untried)
        puts("  -       not tried: these bounds leave out what could lose it");
    puts("  wp ms   if w and p are taken for granted, or if m and s are:\n");
    for (int i = 0; i < ASSUMPTIONS; i++)
        printf("  %c  %-20s  %s\n", letters[i],
               assumption_word((enum assumption)i),
               assumption_meaning((enum assumption)i));
}

// The width of a column: its title fits, and "always".
static int width_of(enum loss loss) {
    int width = (int)strlen(loss_word(loss));
    return width > 6 ? width : 6;
}

// The width of the first column: the longest name fits.
static int name_width;

static void fit_names(const struct lock_list *locks) {
    name_width = (int)strlen("clean under");
    for (size_t i = 0; i < locks->count; i++) {
        char name[LOCK_NAME_SIZE];
        locks_short_name(locks->names[i], name);
        int length = (int)strlen(name);
        name_width = length > name_width ? length : name_width;
    }
}

// Columns of the table, from the first to before the last. Where the screen is
// too narrow for all, the others follow below, when all answers are known.
struct part {
    int from, to;
    bool tsv;
};

static struct part part_from(int from, bool tsv) {
    int to = from, width = name_width, room = screen_width(stdout);

    while (to < LOSSES && (tsv || to == from ||
                           width + 1 + width_of((enum loss)to) <= room))
        width += 1 + width_of((enum loss)to++);
    return (struct part){from, to, tsv};
}

static void print_cell(struct part part, int loss, const char *words) {
    if (part.tsv)
        printf("\t%s", words);
    else
        printf(" %-*s", loss < part.to - 1 ? width_of((enum loss)loss) : 0,
               words);
}

static void print_row(struct part part, const char *lock,
                      const struct minimal_sets answers[LOSSES]) {
    char name[LOCK_NAME_SIZE];

    locks_short_name(lock, name);
    printf("%-*s", part.tsv ? 0 : name_width, part.tsv ? lock : name);
    for (int loss = part.from; loss < part.to; loss++) {
        char *words = answer_text(&answers[loss], part.tsv);
        print_cell(part, loss, words);
        free(words);
    }
    putchar('\n');
    finish_output();
}

static void print_head(struct part part) {
    printf("%-*s", part.tsv ? 0 : name_width,
           part.tsv ? "lock" : "clean under");
    for (int loss = part.from; loss < part.to; loss++)
        print_cell(part, loss, loss_word((enum loss)loss));
    putchar('\n');
}

static void print_given(unsigned given) {
    if (!given)
        return;
    printf("%-*s ", name_width, "assumed");
    write_set(stdout, given, true);
    putchar('\n');
}

static void print_part(const struct tool *tool, struct part part,
                       struct minimal_sets answers[][LOSSES]) {
    putchar('\n');
    print_head(part);
    for (size_t i = 0; i < tool->locks.count; i++)
        print_row(part, tool->locks.names[i], answers[i]);
}

static json_t *answer_object(const struct minimal_sets *answer) {
    json_t *object = json_object(), *sets = json_array();
    const char *word = answer->count == 0   ? "never"
                       : answer->missing   ? "not tried"
                       : is_always(answer) ? "always"
                                           : "under";

    json_object_set_new(object, "clean", json_string(word));
    if (answer->missing)
        json_object_set_new(object, "missing", json_string(answer->missing));
    for (int i = 0; i < answer->count; i++)
        json_array_append_new(sets, settings_assumed(answer->sets[i]));
    if (strcmp(word, "under") == 0)
        json_object_set(object, "sets", sets);
    json_decref(sets);
    return object;
}

static void print_json(const struct tool *tool,
                       struct minimal_sets answers[][LOSSES]) {
    json_t *document = json_object(), *locks = json_object();
    static const char *const names[GROUPS] = {
        "bounds", "nested_bounds", "waiting_bounds", "writing_bounds",
        "wider_bounds"};

    for (size_t i = 0; i < tool->locks.count; i++) {
        json_t *row = json_object();
        for (int loss = 0; loss < LOSSES; loss++)
            json_object_set_new(row, loss_word((enum loss)loss),
                                answer_object(&answers[i][loss]));
        json_object_set_new(locks, tool->locks.names[i], row);
    }
    json_object_set_new(document, "format", json_integer(1));
    json_object_set_new(document, "lease_ms", json_integer(LEASE_S * 1000));
    for (int group = 0; group < GROUPS; group++) {
        struct bounds bounds = bounds_of(&tool->settings.bounds,
                                         (enum group)group);
        json_object_set_new(document, names[group], settings_object(&bounds));
    }
    json_object_set_new(document, "locks", locks);
    json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(document);
}

// --- the command line -------------------------------------------------------

enum { KEY_LOCK = 's', KEY_ALL = 'a', KEY_FORMAT = 'f',
       KEY_CLIENT = 'c', KEY_DEPTH = 2000 };

static const struct argp_option choices[] = {
    {"stage", KEY_LOCK, "LOCK", 0,
     "only this lock: a number or a name (may be given more than once)", 1},
    {"all", KEY_ALL, NULL, 0, "the detours too", 1},
    {"format", KEY_FORMAT, "FORMAT", 0, "text (the default), tsv or json", 1},
    {"client", KEY_CLIENT, "COMMAND", OPTION_HIDDEN, NULL, 1},
    {"depth", KEY_DEPTH, "N", OPTION_HIDDEN, NULL, 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct tool *tool = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &tool->settings;
        return 0;
    case KEY_LOCK:
        locks_add(&tool->locks, argument);
        return 0;
    case KEY_ALL:
        locks_add_all(&tool->locks);
        return 0;
    case KEY_FORMAT:
        tool->format = arguments_format(argument, FORMATS_OF_TABLE);
        return 0;
    case KEY_CLIENT:
        refuse("--client is for explore: this is a table of locks");
    case KEY_DEPTH:
        refuse("--depth is for explore: each search here goes to its end");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static struct argp argp = {
    .options = choices,
    .parser = parse,
    .doc = "Finds out what has to be taken for granted for a lock to keep each "
           "property, and prints one table: always, never, or the smallest sets "
           "of assumptions under which every schedule within the bounds keeps "
           "it.\v"
           "One lease and one fault of any kind by default; for entry and count "
           "one client alone, with a nested call in the fault's place. A lock "
           "with a watchdog takes longer than all others together; on a "
           "terminal the search that runs and the time so "
           "far are shown. docs/assumptions.md says more. Exit status: 0, or 2 for wrong "
           "use or a run that failed.",
};

static void begin(struct tool *tool) {
    struct bounds *bounds = &tool->settings.bounds;

    settings_begin(&tool->settings);
    bounds->leases = 1;
    bounds->nested = 1;
    for (int fault = 0; fault < FAULTS; fault++)
        bounds->faults[fault] = 1;
    bounds->fault_total = 1;
}

// The ladder; below it, the road on several servers.
static void choose_usual(struct lock_list *locks) {
    static struct lock_list built;

    locks_built(&built);
    for (int road = 0; road < 2; road++)
        for (size_t i = 0; i < built.count; i++)
            if (road ? strncmp(built.names[i], "road_", 5) == 0 &&
                       locks_masters(built.names[i]) > 1
                     : locks_is_stage(built.names[i]))
                strcpy(locks->names[locks->count++], built.names[i]);
}

// The greatest number of masters of these locks; 1: none uses several.
static int most_masters(const struct lock_list *locks, int given) {
    for (size_t i = 0; i < locks->count; i++)
        if (locks_masters(locks->names[i]) > 1)
            return given > 1 ? given : USUAL_MASTERS;
    return 1;
}

static bool some_untried(struct minimal_sets answers[][LOSSES],
                         size_t count) {
    for (size_t i = 0; i < count; i++)
        for (int loss = 0; loss < LOSSES; loss++)
            if (answers[i][loss].missing)
                return true;
    return false;
}

// The other columns, if there are any, and the legend.
static void print_rest(const struct tool *tool, int from,
                       struct minimal_sets answers[][LOSSES]) {
    while (from < LOSSES) {
        struct part part = part_from(from, false);
        print_part(tool, part, answers);
        from = part.to;
    }
    print_legend(&tool->settings.bounds,
                 most_masters(&tool->locks, tool->masters),
                 some_untried(answers, tool->locks.count));
}

int assumptions_main(int argc, char **argv) {
    static struct minimal_sets answers[MAX_LOCKS][LOSSES];
    static struct tool tool;

    arguments_hide(argc, argv);
    begin(&tool);
    argp.children = settings_options(&tool.settings,
                                    "wait,own-lease,writes,asks,time,stage,"
                                    "client,depth,locks");
    arguments_parse(&argp, argc, argv, &tool);
    if (tool.locks.count == 0)
        choose_usual(&tool.locks);
    tool.masters = tool.settings.bounds.masters;
    if (locks_masters(tool.locks.names[0]) == 1)
        tool.settings.bounds.masters = 0;
    tool.given = tool.settings;
    strcpy(tool.settings.lock, tool.locks.names[0]);
    settings_complete(&tool.settings);
    bool tsv = tool.format == FORMAT_TSV, json = tool.format == FORMAT_JSON;
    fit_names(&tool.locks);
    struct part part = part_from(0, tsv);
    for (size_t i = 0; i < tool.locks.count; i++) {
        hitting_sets_find(&tool.given, tool.masters, tool.locks.names[i],
                          answers[i]);
        if (i == 0 && tool.format == FORMAT_TEXT)
            print_given(tool.settings.bounds.assumed);
        if (i == 0 && !json)
            print_head(part);
        if (!json)
            print_row(part, tool.locks.names[i], answers[i]);
    }
    if (json)
        print_json(&tool, answers);
    else if (!tsv)
        print_rest(&tool, part.to, answers);
    finish_output();
    return EXIT_SUCCESS;
}
