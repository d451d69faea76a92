#include "suite.h"

#include "memo.h"
#include "snapshot.h"

#include "base/arguments.h"
#include "base/units.h"

// A lease of one's own is over before a watchdog is due.
enum { OWN_LEASE_S = LEASE_S / 6 };

static const struct {
    const char *name, *title;
} words[SUITE_SIZE] = {
    [SUITE_NESTED] = {"nested", "a nested call"},
    [SUITE_HALFWAY] = {"halfway", "time that stops halfway through a lease"},
    [SUITE_RARE] = {"rare", "rarer faults"},
    [SUITE_ROUNDS] = {"two_rounds", "two rounds"},
    [SUITE_ALONE] = {"alone", "one client alone, which asks itself"},
    [SUITE_WRITES] = {"writes", "writes, which alone count"},
    [SUITE_OWN] = {"own_lease", "a lease of one's own"},
    [SUITE_LOCKS] = {"two_locks", "a second lock"},
    [SUITE_TURNED] = {"turned_locks", "a second lock, which is opened first"},
};

const char *suite_kind_name(enum suite_kind kind) {
    return words[kind].name;
}

const char *suite_kind_title(enum suite_kind kind) {
    return words[kind].title;
}

// --- the entries -------------------------------------------------------------

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

void suite_begin(struct settings *settings) {
    struct bounds *bounds = &settings->bounds;

    settings_begin(settings);
    bounds->nested = bounds->halfway = bounds->rounds = -1;
    bounds->own_lease_s = bounds->writes = bounds->asks = -1;
    bounds->locks = -1;
    bounds->leases = 1;
    set_faults(bounds, USUAL_FAULTS);
}

// Has the main search others beside it? One with waits or locks takes long, and
// in one with writes nothing else counts.
static bool has_others(const struct bounds *given) {
    return given->wait_s == 0 && given->writes <= 0 && given->locks <= 1;
}

// Chooses the searches, before the bounds are completed.
static void want(struct suite_entry *entries, const struct settings *settings) {
    bool others = has_others(&settings->bounds);

    entries[SUITE_MAIN].wanted = true;
    entries[SUITE_NESTED].wanted = others && settings->bounds.nested < 0;
    entries[SUITE_HALFWAY].wanted = others && settings->bounds.halfway < 0;
    entries[SUITE_RARE].wanted = others && !settings->faults_given;
    entries[SUITE_ROUNDS].wanted = others && settings->bounds.rounds < 0;
    entries[SUITE_ALONE].wanted = others && settings->bounds.rounds < 0 &&
                               settings->bounds.asks < 0;
    entries[SUITE_WRITES].wanted = others && settings->bounds.writes < 0;
    entries[SUITE_OWN].wanted = others && settings->bounds.own_lease_s < 0;
    entries[SUITE_LOCKS].wanted = others && settings->bounds.locks < 0;
    entries[SUITE_TURNED].wanted = entries[SUITE_LOCKS].wanted ||
                                settings->bounds.locks > 1;
}

// Locks that share a state show it at the first use of both. So this search
// stays small, whatever was given for the others.
static void bound_locks(struct bounds *bounds) {
    bounds->locks = 2;
    bounds->clients = bounds->clients > 2 ? 2 : bounds->clients;
    bounds->rounds = 1;
    bounds->leases = bounds->time_s = bounds->halfway = 0;
    bounds->nested = bounds->own_lease_s = bounds->asks = 0;
    set_faults(bounds, NO_FAULTS);
}

// The bounds of each entry, and its faults unless those were given.
static void bound(struct suite_entry *entries, bool faults_given) {
    static const struct {
        enum suite_kind kind;
        unsigned faults;
    } faults[] = {
        {SUITE_NESTED, USUAL_FAULTS | 1 << FAULT_REFUSE},
        {SUITE_RARE, RARE_FAULTS},
        {SUITE_ROUNDS, 1 << FAULT_LOSE_ANSWER | 1 << FAULT_AGAIN |
                      1 << FAULT_GIVE_UP},
        {SUITE_WRITES, NO_FAULTS},
        {SUITE_OWN, 1 << FAULT_LOSE_ANSWER},
    };

    entries[SUITE_NESTED].bounds.nested = entries[SUITE_OWN].bounds.nested = 1;
    entries[SUITE_NESTED].bounds.leases = entries[SUITE_OWN].bounds.leases =
        entries[SUITE_ROUNDS].bounds.leases = 0;
    entries[SUITE_ROUNDS].bounds.rounds = 2;
    entries[SUITE_ALONE].bounds.rounds = 2;
    entries[SUITE_HALFWAY].bounds.halfway = 1;
    entries[SUITE_WRITES].bounds.writes = 1;
    entries[SUITE_OWN].bounds.own_lease_s = OWN_LEASE_S;
    entries[SUITE_ALONE].bounds.clients = entries[SUITE_ALONE].bounds.asks = 1;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (!faults_given)
            set_faults(&entries[faults[i].kind].bounds, faults[i].faults);
    // These two look at what happens where nothing goes wrong.
    set_faults(&entries[SUITE_HALFWAY].bounds, NO_FAULTS);
    set_faults(&entries[SUITE_ALONE].bounds, NO_FAULTS);
    bound_locks(&entries[SUITE_LOCKS].bounds);
    if (entries[SUITE_LOCKS].wanted)
        bound_locks(&entries[SUITE_TURNED].bounds);
    entries[SUITE_TURNED].bounds.turned = true;
}

void suite_choose(struct suite *suite, struct settings *settings) {
    want(suite->entries, settings);
    settings_complete(settings);
    if (settings->bounds.masters > 1)
        suite->entries[SUITE_LOCKS].wanted =
            suite->entries[SUITE_TURNED].wanted = false;
    for (int i = 0; i < SUITE_SIZE; i++)
        suite->entries[i].bounds = settings->bounds;
    bound(suite->entries, settings->faults_given);
}

// --- searching ---------------------------------------------------------------

// Drops an entry that the lock cannot follow; refuses one that was asked for.
static void leave_out_impossible(struct suite_entry *entry,
                                 const struct settings *settings) {
    const struct bounds *given = &settings->bounds;
    const char *title = settings_title(settings);

    if (entry->bounds.own_lease_s > 0 &&
        !search_takes_own_lease(&entry->bounds)) {
        if (given->own_lease_s > 0)
            refuse("%s cannot take a lease for a single acquire: --own-lease "
                   "is not for it", title);
        entry->wanted = false;
    } else if (entry->bounds.locks > 1 &&
               !search_has_second_lock(&entry->bounds)) {
        if (given->locks > 1)
            refuse("%s has no second lock: --locks 2 is not for it", title);
        entry->wanted = false;
    }
}

static void note_seen(struct suite *suite, enum suite_kind kind) {
    const bool *seen = suite->entries[kind].result.seen;

    for (int w = 0; w < WITNESSES; w++)
        if (kind != SUITE_WRITES || w == WITNESS_WRITE || w == WITNESS_STALE)
            suite->seen[w] |= seen[w];
}

// No other search of this lock would come to an end.
static void leave_out_rest(struct suite *suite, int after) {
    for (int i = after + 1; i < SUITE_SIZE; i++)
        if (suite->entries[i].wanted)
            suite->entries[i].result.end = END_ENDLESS;
}

void suite_run(struct suite *suite, const struct settings *settings,
               const struct search_options *options) {
    struct search_options own = *options;

    for (int i = 0; i < SUITE_SIZE; i++) {
        struct suite_entry *entry = &suite->entries[i];
        if (!entry->wanted)
            continue;
        if (i == SUITE_LOCKS || i == SUITE_TURNED) // whose clients begin
            memo_forget();                         // otherwise
        snapshot_locks(entry->bounds.locks);
        leave_out_impossible(entry, settings);
        if (!entry->wanted)
            continue;
        own.bounds = entry->bounds;
        search(&own, &entry->result);
        note_seen(suite, (enum suite_kind)i);
        if (entry->result.end == END_ENDLESS) {
            leave_out_rest(suite, i);
            return;
        }
    }
}

void suite_forget(struct suite *suite) {
    for (int i = 0; i < SUITE_SIZE; i++)
        search_forget(&suite->entries[i].result);
}

// --- the results -------------------------------------------------------------

int suite_entry_steps(const struct suite_entry *entry, enum loss loss) {
    return search_steps(entry->result.schedules[loss],
                        entry->result.lengths[loss]);
}

const struct suite_entry *suite_losing(const struct suite *suite,
                                       enum loss loss) {
    const struct suite_entry *found = NULL;

    for (int i = 0; i < SUITE_SIZE; i++) {
        const struct suite_entry *entry = &suite->entries[i];
        if (!entry->result.schedules[loss])
            continue;
        if (!found ||
            suite_entry_steps(entry, loss) < suite_entry_steps(found, loss))
            found = entry;
    }
    return found;
}

bool suite_looks_for(const struct suite *suite, enum loss loss) {
    for (int i = 0; i < SUITE_SIZE; i++)
        if (suite->entries[i].wanted &&
            losses_looked_for(&suite->entries[i].bounds) & 1u << loss)
            return true;
    return false;
}

bool suite_is_complete(const struct suite *suite) {
    for (int i = 0; i < SUITE_SIZE; i++)
        if (suite->entries[i].result.end != END_EMPTY)
            return false;
    return true;
}

const char *suite_missing(const struct suite *suite, enum loss loss) {
    struct bounds bounds = suite->entries[SUITE_MAIN].bounds;

    for (int i = 0; i < SUITE_SIZE; i++) {
        const struct suite_entry *entry = &suite->entries[i];
        if (entry->wanted && entry->bounds.nested > bounds.nested)
            bounds.nested = entry->bounds.nested;
        if (entry->wanted && entry->bounds.writes > bounds.writes)
            bounds.writes = entry->bounds.writes;
        if (entry->wanted && entry->bounds.locks > bounds.locks)
            bounds.locks = entry->bounds.locks;
    }
    return coverage_missing(loss, &bounds, suite->seen);
}

enum answer suite_answer(const struct suite *suite, enum loss loss) {
    if (suite_losing(suite, loss))
        return ANSWER_LOST;
    if (!suite_is_complete(suite))
        return ANSWER_OPEN;
    return suite_missing(suite, loss) ? ANSWER_NOT_TRIED : ANSWER_CLEAN;
}
