#include "parts.h"

#include "memo.h"
#include "snapshot.h"

#include "base/arguments.h"
#include "base/units.h"

// A lease of one's own is over before a watchdog is due.
enum { OWN_LEASE_S = LEASE_S / 6 };

static const struct {
    const char *name, *title;
} words[PARTS] = {
    [PART_NESTED] = {"nested", "a nested call"},
    [PART_HALFWAY] = {"halfway", "time that stops halfway through a lease"},
    [PART_RARE] = {"rare", "rarer faults"},
    [PART_ROUNDS] = {"two_rounds", "two rounds"},
    [PART_ALONE] = {"alone", "one client alone, which asks itself"},
    [PART_WRITES] = {"writes", "writes, which alone count"},
    [PART_OWN] = {"own_lease", "a lease of one's own"},
    [PART_LOCKS] = {"two_locks", "a second lock"},
};

const char *part_name(enum part_kind kind) {
    return words[kind].name;
}

const char *part_title(enum part_kind kind) {
    return words[kind].title;
}

// --- which there are ---------------------------------------------------------

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

void parts_begin(struct settings *settings) {
    struct bounds *bounds = &settings->bounds;

    settings_begin(settings);
    bounds->nested = bounds->halfway = bounds->rounds = -1;
    bounds->own_lease_s = bounds->writes = bounds->asks = -1;
    bounds->locks = -1;
    bounds->leases = 1;
    set_faults(bounds, USUAL_FAULTS);
}

// A search with waits or locks takes long, and in one with writes nothing else
// counts: these have no others beside them.
static bool has_others(const struct bounds *given) {
    return given->wait_s == 0 && given->writes <= 0 && given->locks <= 1;
}

// Chooses the searches, before the bounds are completed.
static void want(struct part *parts, const struct settings *settings) {
    bool others = has_others(&settings->bounds);

    parts[PART_MAIN].wanted = true;
    parts[PART_NESTED].wanted = others && settings->bounds.nested < 0;
    parts[PART_HALFWAY].wanted = others && settings->bounds.halfway < 0;
    parts[PART_RARE].wanted = others && !settings->faults_given;
    parts[PART_ROUNDS].wanted = others && settings->bounds.rounds < 0;
    parts[PART_ALONE].wanted = others && settings->bounds.rounds < 0 &&
                               settings->bounds.asks < 0;
    parts[PART_WRITES].wanted = others && settings->bounds.writes < 0;
    parts[PART_OWN].wanted = others && settings->bounds.own_lease_s < 0;
    parts[PART_LOCKS].wanted = others && settings->bounds.locks < 0;
}

// Two locks share whatever they share at once. So this search stays small,
// whatever was given for the others.
static void bound_locks(struct bounds *bounds) {
    bounds->locks = 2;
    bounds->clients = bounds->clients > 2 ? 2 : bounds->clients;
    bounds->rounds = 1;
    bounds->leases = bounds->time_s = bounds->halfway = 0;
    bounds->nested = bounds->own_lease_s = bounds->asks = 0;
    set_faults(bounds, NO_FAULTS);
}

// The bounds of each, and its faults unless those were given.
static void bound(struct part *parts, bool faults_given) {
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

    parts[PART_NESTED].bounds.nested = parts[PART_OWN].bounds.nested = 1;
    parts[PART_NESTED].bounds.leases = parts[PART_OWN].bounds.leases =
        parts[PART_ROUNDS].bounds.leases = 0;
    parts[PART_ROUNDS].bounds.rounds = parts[PART_ALONE].bounds.rounds = 2;
    parts[PART_HALFWAY].bounds.halfway = 1;
    parts[PART_WRITES].bounds.writes = 1;
    parts[PART_OWN].bounds.own_lease_s = OWN_LEASE_S;
    parts[PART_ALONE].bounds.clients = parts[PART_ALONE].bounds.asks = 1;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (!faults_given)
            set_faults(&parts[faults[i].part].bounds, faults[i].faults);
    // These two look at what happens where nothing goes wrong.
    set_faults(&parts[PART_HALFWAY].bounds, NO_FAULTS);
    set_faults(&parts[PART_ALONE].bounds, NO_FAULTS);
    bound_locks(&parts[PART_LOCKS].bounds);
}

void parts_choose(struct parts *parts, struct settings *settings) {
    want(parts->of, settings);
    settings_complete(settings);
    if (settings->bounds.masters > 1)
        parts->of[PART_LOCKS].wanted = false;
    for (int i = 0; i < PARTS; i++)
        parts->of[i].bounds = settings->bounds;
    bound(parts->of, settings->faults_given);
}

// --- searching ---------------------------------------------------------------

// Some locks cannot: then there is no such search, unless it was asked for.
static void leave_out_impossible(struct part *part,
                                 const struct settings *settings) {
    const struct bounds *given = &settings->bounds;
    const char *title = settings_title(settings);

    if (part->bounds.own_lease_s > 0 &&
        !search_takes_own_lease(&part->bounds)) {
        if (given->own_lease_s > 0)
            refuse("%s cannot take a lease for a single acquire: --own-lease "
                   "is not for it", title);
        part->wanted = false;
    } else if (part->bounds.locks > 1 &&
               !search_has_second_lock(&part->bounds)) {
        if (given->locks > 1)
            refuse("%s has no second lock: --locks 2 is not for it", title);
        part->wanted = false;
    }
}

static void note_seen(struct parts *parts, enum part_kind kind) {
    const bool *seen = parts->of[kind].result.seen;

    for (int w = 0; w < WITNESSES; w++)
        if (kind != PART_WRITES || w == WITNESS_WRITE || w == WITNESS_STALE)
            parts->seen[w] |= seen[w];
}

void parts_search(struct parts *parts, const struct settings *settings,
                  const struct search_options *options) {
    struct search_options own = *options;

    for (int i = 0; i < PARTS; i++) {
        struct part *part = &parts->of[i];
        if (!part->wanted)
            continue;
        if (i == PART_LOCKS) // whose clients begin otherwise: they open two
            memo_forget();
        snapshot_locks(part->bounds.locks);
        leave_out_impossible(part, settings);
        if (!part->wanted)
            continue;
        own.bounds = part->bounds;
        search(&own, &part->result);
        note_seen(parts, (enum part_kind)i);
    }
}

void parts_forget(struct parts *parts) {
    for (int i = 0; i < PARTS; i++)
        search_forget(&parts->of[i].result);
}

// --- what they have found ----------------------------------------------------

int part_steps(const struct part *part, enum loss loss) {
    return search_steps(part->result.schedules[loss],
                        part->result.lengths[loss]);
}

const struct part *parts_losing(const struct parts *parts, enum loss loss) {
    const struct part *found = NULL;

    for (int i = 0; i < PARTS; i++) {
        const struct part *part = &parts->of[i];
        if (part->result.schedules[loss] &&
            (!found || part_steps(part, loss) < part_steps(found, loss)))
            found = part;
    }
    return found;
}

bool parts_look_for(const struct parts *parts, enum loss loss) {
    for (int i = 0; i < PARTS; i++)
        if (parts->of[i].wanted &&
            losses_looked_for(&parts->of[i].bounds) & 1u << loss)
            return true;
    return false;
}

bool parts_are_complete(const struct parts *parts) {
    for (int i = 0; i < PARTS; i++)
        if (parts->of[i].result.end != END_EMPTY)
            return false;
    return true;
}

const char *parts_missing(const struct parts *parts, enum loss loss) {
    struct bounds bounds = parts->of[PART_MAIN].bounds;

    for (int i = 0; i < PARTS; i++) {
        const struct part *part = &parts->of[i];
        if (part->wanted && part->bounds.nested > bounds.nested)
            bounds.nested = part->bounds.nested;
        if (part->wanted && part->bounds.writes > bounds.writes)
            bounds.writes = part->bounds.writes;
        if (part->wanted && part->bounds.locks > bounds.locks)
            bounds.locks = part->bounds.locks;
    }
    return coverage_missing(loss, &bounds, parts->seen);
}

enum answer parts_answer(const struct parts *parts, enum loss loss) {
    if (parts_losing(parts, loss))
        return ANSWER_LOST;
    if (!parts_are_complete(parts))
        return ANSWER_OPEN;
    return parts_missing(parts, loss) ? ANSWER_NOT_TRIED : ANSWER_CLEAN;
}
