#include "shown.h"

#include "base/units.h"
#include "machine/clock.h"

#include <string.h>

int shown_majority(int masters) {
    return masters / 2 + 1;
}

int shown_place(const struct shown *shown, int server) {
    for (int i = 0; i < shown->count; i++)
        if (shown->servers[i] == server)
            return i;
    return -1;
}

// What is left now of a lease that was looked at before; -1 if it has ended.
static int64_t left_ms(const struct shown *shown, int place,
                       const struct lock_state *state) {
    int64_t passed_ms = (clock_now() - shown->looked_ns[place]) / MILLISECOND;

    if (state->ttl_ms < 0)
        return INT64_MAX;
    return state->ttl_ms < passed_ms ? -1 : state->ttl_ms - passed_ms;
}

// How long this value will stand on a majority of the masters; -1: it does not.
// It does until so many leases have ended that too few are left: the majority's
// shortest, if the longest are taken.
static int64_t majority_ms(const struct shown *shown,
                           const struct lock_state *states,
                           const char *value) {
    int64_t longest[MAX_MASTERS] = {0};
    int holders = 0;

    for (int i = 0; i < shown->count; i++) {
        int64_t ms = left_ms(shown, i, &states[i]);
        if (!states[i].exists || ms < 0 || strcmp(states[i].value, value) != 0)
            continue;
        int place = holders++;
        for (; place > 0 && longest[place - 1] < ms; place--)
            longest[place] = longest[place - 1];
        longest[place] = ms;
    }
    int majority = shown_majority(shown->count);
    return holders < majority ? -1 : longest[majority - 1];
}

static struct lock_state on_majority(const struct shown *shown,
                                     const struct lock_state *states) {
    if (shown->count == 1)
        return states[0];
    for (int i = 0; i < shown->count; i++) {
        int64_t ms = states[i].exists
                         ? majority_ms(shown, states, states[i].value) : -1;
        if (ms < 0)
            continue;
        struct lock_state lock = states[i];
        lock.ttl_ms = ms == INT64_MAX ? -1 : ms;
        return lock;
    }
    return (struct lock_state){.ttl_ms = -1};
}

static void count_majority(struct shown *shown) {
    shown->lock = on_majority(shown, shown->locks);
    shown->second = on_majority(shown, shown->seconds);
    shown->lock_ns = shown->count == 1 ? shown->looked_ns[0] : clock_now();
}

static void look_at_one(struct shown *shown, struct engine *engine,
                        int place) {
    int server = shown->servers[place];

    if (!engine_runs(engine, server) && !engine_is_dead(engine, server))
        return;
    shown->locks[place] = engine_look(engine, server, shown->key);
    if (shown->second_key)
        shown->seconds[place] = engine_look(engine, server, shown->second_key);
    shown->looked_ns[place] = clock_now();
}

void shown_look_at(struct shown *shown, struct engine *engine, int place) {
    look_at_one(shown, engine, place);
    count_majority(shown);
}

void shown_look(struct shown *shown, struct engine *engine) {
    for (int i = 0; i < shown->count; i++)
        look_at_one(shown, engine, i);
    count_majority(shown);
}

static void age(struct shown *shown, int place, struct lock_state *lock) {
    int64_t ms = left_ms(shown, place, lock);

    if (!lock->exists || lock->ttl_ms < 0)
        return;
    lock->ttl_ms = ms;
    if (ms < 0)
        *lock = (struct lock_state){.ttl_ms = -1, .alone = lock->alone};
}

void shown_age(struct shown *shown, int place) {
    age(shown, place, &shown->locks[place]);
    age(shown, place, &shown->seconds[place]);
    shown->looked_ns[place] = clock_now();
    count_majority(shown);
}

bool shown_gained(const struct shown *shown, int server) {
    int place = shown_place(shown, server);

    if (shown->count == 1 || place < 0)
        return false;
    const struct lock_state *before = &shown->told[place];
    const struct lock_state *now = &shown->locks[place];
    return now->exists && (!before->exists || now->ttl_ms > before->ttl_ms ||
                           strcmp(before->value, now->value) != 0);
}

void shown_report(struct shown *shown) {
    memcpy(shown->told, shown->locks, sizeof shown->told);
}
