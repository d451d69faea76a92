// ./scenarios/assumptions: what one has to take for granted for a lock to keep
// each property, as one table.
//
// A schedule that loses a property breaks some assumptions; to be clean a lock
// needs at least one of them. So each search either shows that what is assumed
// is enough, or a schedule whose broken assumptions say what else to try: the
// tree of hitting sets (Reiter, A Theory of Diagnosis from First Principles,
// 1987).
#include "arguments.h"
#include "locks.h"
#include "search/crew.h"
#include "search/search.h"
#include "search/settings.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SETS = 64, MOST_SEARCHES = 1024, MOST_POSITIONS = 8000000,
       COLUMN = 13, NAME = 27 };

struct tool {
    struct settings settings;
    struct lock_list locks;
    enum { TEXT, TSV, JSON } format;
    bool nested_said, faults_said;
};

// Under which sets of assumptions one property of one lock is clean: the
// smallest, none containing another.
struct answer {
    unsigned sets[MOST_SETS];
    int count; // 0: under none
};

// --- searches ---------------------------------------------------------------

// What a search under some assumptions has found: for each property the
// assumptions that a schedule losing it breaks.
static struct finding {
    unsigned assumed;
    bool lost[LOSSES];
    unsigned breaks[LOSSES];
} findings[MOST_SEARCHES];
static int finding_count;

static unsigned broken_by(const struct move *moves, int count) {
    unsigned breaks = 0;
    for (int i = 0; i < count; i++)
        breaks |= moves[i].breaks;
    return breaks;
}

static const struct finding *find(const struct bounds *bounds,
                                  unsigned assumed) {
    struct search_options options = {.bounds = *bounds,
                                     .most_positions = MOST_POSITIONS};
    struct search_result result;

    for (int i = 0; i < finding_count; i++)
        if (findings[i].assumed == assumed)
            return &findings[i];
    if (finding_count == MOST_SEARCHES)
        refuse("more than %d searches would be needed: fewer faults or "
               "assumptions, please", MOST_SEARCHES);
    struct finding *finding = &findings[finding_count++];
    finding->assumed = options.bounds.assumed = assumed;
    search(&options, &result);
    if (result.end != END_EMPTY)
        refuse("a search did not come to its end: smaller bounds, please");
    for (int loss = 0; loss < LOSSES; loss++) {
        finding->lost[loss] = result.schedules[loss] != NULL;
        if (result.schedules[loss])
            finding->breaks[loss] =
                broken_by(result.schedules[loss], result.lengths[loss]);
    }
    search_forget(&result);
    return finding;
}

// --- hitting sets -----------------------------------------------------------

static int size_of(unsigned set) {
    return __builtin_popcount(set);
}

static bool has_subset(const unsigned *sets, int count, unsigned set) {
    for (int i = 0; i < count; i++)
        if ((sets[i] & set) == sets[i])
            return true;
    return false;
}

static bool is_among(const unsigned *sets, int count, unsigned set) {
    for (int i = 0; i < count; i++)
        if (sets[i] == set)
            return true;
    return false;
}

// Smaller sets first, so that a set that is enough is never found after one
// that contains it.
static void ask(const struct bounds *bounds, enum loss loss,
                struct answer *answer) {
    unsigned queue[MOST_SEARCHES] = {bounds->assumed};
    int queued = 1;

    answer->count = 0;
    for (int size = 0; size <= ASSUMPTIONS; size++)
        for (int i = 0; i < queued; i++) {
            unsigned set = queue[i];
            if (size_of(set) != size ||
                has_subset(answer->sets, answer->count, set))
                continue;
            const struct finding *finding = find(bounds, set);
            if (!finding->lost[loss]) {
                if (answer->count < MOST_SETS)
                    answer->sets[answer->count++] = set;
                continue;
            }
            for (unsigned bit = 1; bit < 1u << ASSUMPTIONS; bit <<= 1)
                if (finding->breaks[loss] & bit && queued < MOST_SEARCHES &&
                    !is_among(queue, queued, set | bit))
                    queue[queued++] = set | bit;
        }
}

static void ask_all(const struct tool *tool, const char *lock,
                    struct answer answers[LOSSES]) {
    struct settings settings = tool->settings;

    snprintf(settings.lock, sizeof settings.lock, "%s", lock);
    finding_count = 0;
    settings_open_crew(&settings);
    for (int loss = 0; loss < LOSSES; loss++)
        ask(&settings.bounds, (enum loss)loss, &answers[loss]);
    crew_close();
    memory_forget();
}

// --- printing ---------------------------------------------------------------

// A letter for each assumption, in the order of bounds.h.
static const char letters[ASSUMPTIONS + 1] = "wpsmchelkr";

static void write_set(char *words, size_t size, unsigned set, bool whole) {
    for (int i = 0; i < ASSUMPTIONS; i++)
        if (set & 1u << i) {
            size_t used = strlen(words);
            if (whole)
                snprintf(words + used, size - used, "%s%s",
                         used && words[used - 1] != ' ' ? "+" : "",
                         assumption_word((enum assumption)i));
            else
                snprintf(words + used, size - used, "%c", letters[i]);
        }
}

// "always", "never", or the sets: "wp ws".
static void write_answer(char *words, size_t size, const struct answer *answer,
                         bool whole) {
    words[0] = '\0';
    if (answer->count == 0)
        snprintf(words, size, "never");
    for (int i = 0; i < answer->count; i++) {
        size_t used = strlen(words);
        if (i > 0)
            snprintf(words + used, size - used, " ");
        if (answer->sets[i] == 0)
            snprintf(words, size, "always");
        else
            write_set(words, size, answer->sets[i], whole);
    }
}

static void print_legend(const struct bounds *bounds) {
    char *words = settings_text(bounds);

    printf("\n  always  within the bounds: %s\n", words);
    free(words);
    puts("  never   under none of these assumptions");
    puts("  wp ms   if w and p are taken for granted, or if m and s are:\n");
    for (int i = 0; i < ASSUMPTIONS; i++)
        printf("  %c  %-20s  %s\n", letters[i],
               assumption_word((enum assumption)i),
               assumption_meaning((enum assumption)i));
}

static void print_row(const char *lock, const struct answer answers[LOSSES],
                      bool tsv) {
    char words[1024];

    printf("%-*s", tsv ? 0 : NAME, lock);
    for (int loss = 0; loss < LOSSES; loss++) {
        write_answer(words, sizeof words, &answers[loss], tsv);
        if (tsv)
            printf("\t%s", words);
        else if (loss == LOSSES - 1)
            printf(" %s", words);
        else
            printf(" %-*s", COLUMN - 1, words);
    }
    putchar('\n');
    fflush(stdout);
}

static void print_head(bool tsv) {
    if (tsv)
        fputs("lock", stdout);
    else
        printf("%-*s", NAME, "clean under");
    for (int loss = 0; loss < LOSSES; loss++)
        if (tsv)
            printf("\t%s", loss_word((enum loss)loss));
        else if (loss == LOSSES - 1)
            printf(" %s", loss_word((enum loss)loss));
        else
            printf(" %-*s", COLUMN - 1, loss_word((enum loss)loss));
    putchar('\n');
}

int main(int argc, char **argv) {
    static struct tool tool;
    (void)argc; (void)argv;
    struct answer answers[LOSSES];
    settings_begin(&tool.settings);
    for (int i=1;i<argc;i++) locks_find(argv[i], tool.locks.names[tool.locks.count++]);
    for (int f=0;f<FAULTS;f++) tool.settings.bounds.faults[f]=1;
    tool.settings.bounds.fault_total=1;
    tool.settings.bounds.nested=getenv("N")?atoi(getenv("N")):0; if(getenv("L")) tool.settings.bounds.leases=atoi(getenv("L"));
    print_head(false);
    for (size_t i=0;i<tool.locks.count;i++) { ask_all(&tool, tool.locks.names[i], answers); print_row(tool.locks.names[i], answers, false); fprintf(stderr,"%d searches\n", finding_count);}
    print_legend(&tool.settings.bounds);
    return 0;
}
