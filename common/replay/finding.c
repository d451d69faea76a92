// The sentence alone does not say how a lock was lost. "B and C are both
// inside" may come from a lease that is over, or from a release by A that
// deletes B's lock. The lock's states tell the two apart: the cause is the last
// event that took the lock from its owner, and the last event that changed it.
#include "finding.h"

#include "base/hash.h"

#include <string.h>

// --- the cause ---------------------------------------------------------------

// A client's operation, as the events show it.
struct doing {
    bool busy;
    enum operation operation;
    bool entered; // before the operation began
};

static uint64_t hash_of_change(const struct entry *entry,
                               const char *const clients[],
                               const struct doing doing[JUDGE_CLIENTS]) {
    uint64_t hash = hash_with(HASH_START, entry->kind);

    hash = hash_with(hash, entry->lock.exists);
    if (entry->client < 0) {
        for (const char *c = entry->text ? entry->text : ""; *c; c++)
            hash = hash_with(hash, (uint64_t)*c);
        return hash;
    }
    const struct doing *own = &doing[entry->client];
    hash = hash_with(hash, (uint64_t)clients[entry->client][0]);
    hash = hash_with(hash, own->busy ? (uint64_t)own->operation + 1 : 0);
    return hash_with(hash, own->busy && own->entered);
}

static void follow(struct doing doing[JUDGE_CLIENTS],
                   const struct entry *entry) {
    if (entry->client < 0 || entry->lock_number > 0)
        return;
    if (entry->kind == EVENT_ASKED)
        doing[entry->client] = (struct doing){
            .busy = true,
            .operation = entry->operation,
            .entered = entry->depth > 0,
        };
    if (entry->kind == EVENT_RESULT)
        doing[entry->client].busy = false;
}

// Events have the states of the first lock only: of a second one nothing is
// known.
static bool is_about_second_lock(const struct record *record) {
    for (size_t i = record->entry_count; i-- > 0;)
        if (record->entries[i].kind == EVENT_RESULT)
            return record->entries[i].lock_number > 0;
    return false;
}

static uint64_t cause_of(const struct record *record) {
    struct doing doing[JUDGE_CLIENTS] = {{false}};
    struct lock_state before = {0};
    uint64_t taken = 0, changed = 0;

    if (is_about_second_lock(record))
        return 0;
    for (size_t i = 0; i < record->entry_count; i++) {
        const struct entry *entry = &record->entries[i];
        follow(doing, entry);
        bool same = before.exists == entry->lock.exists &&
                    (!before.exists ||
                     strcmp(before.value, entry->lock.value) == 0);
        if (!same)
            changed = hash_of_change(entry, record->clients, doing);
        if (!same && before.exists)
            taken = changed;
        before = entry->lock;
    }
    return hash_with(hash_with(HASH_START, taken), changed);
}

// --- the setting -------------------------------------------------------------

static uint64_t setting_of(const struct race *race, const struct step *step,
                           char letter) {
    const struct lock_state *lock = &race->judge.lock;
    uint64_t hash = hash_with(HASH_START, step->kind);

    hash = hash_with(hash, (uint64_t)letter);
    hash = hash_with(hash, (uint64_t)world_now());
    hash = hash_with(hash, lock->exists ? (uint64_t)lock->ttl_ms + 2 : 0);
    for (int i = 0; i < race->client_count; i++) {
        const struct client *client = &race->clients[i];
        const bool *inside = race->judge.view.clients[i].inside;
        bool about = world_lives(race->world, i) && world_busy(race->world, i);
        if (inside[0] || inside[1] || about)
            hash = hash_with(hash, (uint64_t)client->name[0] << 8 |
                             (uint64_t)inside[0] |
                             (uint64_t)inside[1] << 1 |
                             (uint64_t)about << 2);
    }
    return hash;
}

void finding_note(struct finding *finding, const struct race *race,
                  const struct step *step, char letter, unsigned found) {
    if (finding->lost || race->judge.verdict != VERDICT_BROKEN)
        return;
    finding->lost = true;
    while (!(race->judge.found & ~found & 1u << finding->property))
        finding->property++;
    finding->cause = cause_of(&race->record);
    if (step->kind != STEP_CHOICE)
        finding->setting = setting_of(race, step, letter);
}

void finding_end(struct finding *finding, const struct race *race) {
    if (finding->lost)
        memcpy(finding->sentence, race->judge.sentence,
               sizeof finding->sentence);
}

bool finding_same(const struct finding *one, const struct finding *other) {
    return one->lost && other->lost && one->property == other->property &&
           one->cause == other->cause && one->setting == other->setting &&
           strcmp(one->sentence, other->sentence) == 0;
}
