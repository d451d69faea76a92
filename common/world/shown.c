#include "shown.h"

#include "base/units.h"
#include "machine/clock.h"

#include <string.h>

int shown_place(const struct shown *shown, int server) {
    for (int i = 0; i < shown->count; i++)
        if (shown->servers[i] == server)
            return i;
    return -1;
}

// Brings the lease of a lock that was looked at before up to now.
static void age(const struct shown *shown, int place,
                struct lock_state *lock) {
    int64_t passed_ms = (clock_now() - shown->looked_ns[place]) / MILLISECOND;

    if (!lock->exists || lock->ttl_ms < 0)
        return;
    if (lock->ttl_ms < passed_ms)
        *lock = (struct lock_state){.ttl_ms = -1, .alone = lock->alone};
    else
        lock->ttl_ms -= passed_ms;
}

static struct lock_state on_majority(const struct shown *shown,
                                     const struct lock_state *states) {
    struct lock_state now[MAX_MASTERS];

    if (shown->count == 1)
        return states[0];
    for (int i = 0; i < shown->count; i++) {
        now[i] = states[i];
        age(shown, i, &now[i]);
    }
    return lock_state_on_majority(now, shown->count);
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
    return lock_state_gained(&shown->reported[place], &shown->locks[place]);
}

void shown_report(struct shown *shown) {
    memcpy(shown->reported, shown->locks, sizeof shown->reported);
}
