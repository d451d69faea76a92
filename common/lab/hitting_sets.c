#include "hitting_sets.h"

#include "loss_groups.h"

#include "base/arguments.h"
#include "base/patience.h"
#include "base/units.h"
#include "catalogue/locks.h"
#include "lab/search/memo.h"
#include "lab/search/workers.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// --- searches ---------------------------------------------------------------

// The findings of a search under some assumptions: for each lost property, the
// assumptions that the schedule breaks. The search ends when its own property
// is lost; if that never is, everything was tried for the others, too.
static struct searched {
    enum group group; // of its bounds
    unsigned assumed;
    bool complete;
    bool endless; // a client comes to no end, so the rest is not known
    bool lost[LOSSES];
    unsigned breaks[LOSSES];
    bool seen[WITNESSES];
} findings[MOST_SETS * (LOSSES + 2)];
static int finding_count;

// On standard error, while it is a terminal: this takes a while.
static struct {
    bool shown;
    const char *lock;
    int searches; // so far, of all locks
    int64_t begun_ns;
} progress;

static void show_progress(enum loss loss) {
    if (progress.shown)
        fprintf(stderr, "\r\033[K%s, %s: search %d, after %d s", progress.lock,
                loss_word(loss), progress.searches,
                (int)((real_ns() - progress.begun_ns) / SECOND));
}

static void clear_progress(void) {
    if (progress.shown)
        fputs("\r\033[K", stderr);
}

static unsigned broken_by(const struct move *moves, int count) {
    unsigned breaks = 0;
    for (int i = 0; i < count; i++)
        breaks |= moves[i].breaks;
    return breaks;
}

// An earlier search that answers this one; NULL: there is none. A schedule that
// breaks none of `assumed` is possible under them, whatever its own search
// assumed. And a property that is never lost under a set is never lost under a
// larger one.
static const struct searched *known(enum group group, unsigned assumed,
                                    enum loss loss) {
    for (int i = 0; i < finding_count; i++) {
        const struct searched *finding = &findings[i];
        if (finding->group != group)
            continue;
        if (finding->lost[loss] ? !(finding->breaks[loss] & assumed)
                                : finding->complete &&
                                  (finding->assumed & ~assumed) == 0)
            return finding;
    }
    return NULL;
}

static const struct searched *find_within(const struct bounds *bounds,
                                          enum group group, unsigned assumed,
                                          enum loss loss) {
    struct search_options options = {.bounds = *bounds,
                                     .most_positions = POSITIONS,
                                     .memory_mb = MEMORY_MB,
                                     .enough = 1u << loss};
    const struct searched *before = known(group, assumed, loss);
    struct search_result result;

    if (before)
        return before;
    struct searched *finding = &findings[finding_count++];
    *finding = (struct searched){.group = group, .assumed = assumed};
    options.bounds.assumed = assumed;
    progress.searches++;
    show_progress(loss);
    search(&options, &result);
    finding->endless = result.end == END_ENDLESS;
    if (result.end != END_EMPTY && result.end != END_FOUND && !finding->endless)
        refuse("a search did not come to its end: smaller bounds, please");
    finding->complete = result.end == END_EMPTY;
    memcpy(finding->seen, result.seen, sizeof finding->seen);
    for (int i = 0; i < LOSSES; i++) {
        finding->lost[i] = result.schedules[i] != NULL;
        if (result.schedules[i])
            finding->breaks[i] =
                broken_by(result.schedules[i], result.lengths[i]);
    }
    search_forget(&result);
    return finding;
}

// The same within wider bounds. (A lock that renews itself has a timer for each
// holder: a second lease would take it minutes.)
static const struct searched *find_wider(const struct bounds *all,
                                         bool renews, unsigned assumed,
                                         enum loss loss) {
    struct bounds wider = bounds_of(all, GROUP_WIDER);

    if (renews)
        wider.leases = all->leases;
    return find_within(&wider, GROUP_WIDER, assumed, loss);
}

// A search that loses the property; else the one of its own group, which has
// tried everything.
static const struct searched *find(const struct bounds *all, unsigned assumed,
                                   enum loss loss) {
    struct bounds own = bounds_of(all, group_of(loss));
    const struct searched *finding =
        find_within(&own, group_of(loss), assumed, loss);

    if (finding->lost[loss] || (loss != LOSS_LOSER && loss != LOSS_BOUNDED))
        return finding;
    const struct searched *wider =
        find_wider(all, finding->seen[WITNESS_RENEWS], assumed, loss);
    return wider->lost[loss] ? wider : finding;
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

// The set with all that follows from it: no-crashes includes no crashes while a
// client acquires.
static unsigned weakest(unsigned set) {
    if (set & 1u << ASSUME_NO_CRASHES)
        set |= 1u << ASSUME_NO_CRASH_MID_ACQUIRE;
    return set;
}

static bool is_among(const unsigned *sets, int count, unsigned set) {
    for (int i = 0; i < count; i++)
        if (sets[i] == set)
            return true;
    return false;
}

// Smaller sets first: no set is found after a larger one that contains it.
static void ask(const struct bounds *all, enum loss loss,
                struct minimal_sets *answer) {
    const struct bounds bounds = bounds_of(all, group_of(loss));
    unsigned given = all->assumed, queue[MOST_SETS] = {given};
    int queued = 1;

    *answer = (struct minimal_sets){.count = 0};
    for (int size = 0; size <= ASSUMPTIONS; size++)
        for (int i = 0; i < queued; i++) {
            unsigned set = queue[i];
            if (size_of(set) != size ||
                has_subset(answer->sets, answer->count, weakest(set)))
                continue;
            const struct searched *finding = find(all, set, loss);
            if (!finding->lost[loss] && finding->endless) {
                *answer = (struct minimal_sets){
                    .count = 1, .missing = "a client comes to no end"};
                return;
            }
            if (!finding->lost[loss]) {
                if (set == given)
                    answer->missing =
                        coverage_missing(loss, &bounds, finding->seen);
                answer->sets[answer->count++] = set & ~given;
                continue;
            }
            for (unsigned bit = 1; bit < 1u << ASSUMPTIONS; bit <<= 1)
                if (finding->breaks[loss] & bit &&
                    !is_among(queue, queued, set | bit))
                    queue[queued++] = set | bit;
        }
}

static void ask_each(const struct bounds *all,
                     struct minimal_sets answers[LOSSES]) {
    finding_count = 0;
    for (int loss = 0; loss < LOSSES; loss++)
        if (loss != LOSS_EXCLUSION && all->masters > 1) // takes minutes
            answers[loss] = (struct minimal_sets){
                .count = 1, .missing = "of a lock on several masters only "
                                       "exclusion is asked"};
        else
            ask(all, (enum loss)loss, &answers[loss]);
}

void hitting_sets_find(const struct settings *given, int masters,
                       const char *lock, struct minimal_sets answers[LOSSES]) {
    struct settings settings = *given;

    snprintf(settings.lock, sizeof settings.lock, "%s", lock);
    settings.bounds.masters = locks_masters(lock) > 1 ? masters : 0;
    settings_complete(&settings);
    progress.lock = lock;
    progress.shown = isatty(STDERR_FILENO);
    if (progress.begun_ns == 0)
        progress.begun_ns = real_ns();
    settings_open_workers(&settings);
    ask_each(&settings.bounds, answers);
    workers_close();
    memo_forget();
    clear_progress();
}
