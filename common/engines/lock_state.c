#include "lock_state.h"

#include <string.h>

bool lock_state_new_value(const struct lock_state *before,
                          const struct lock_state *now) {
    return now->exists &&
           (!before->exists || strcmp(before->value, now->value) != 0);
}

bool lock_state_joined(const struct lock_state *before,
                       const struct lock_state *now) {
    return now->last > (before->exists ? before->last : 0);
}

bool lock_state_may_have_left(const struct lock_state *before,
                              const struct lock_state *now, int place) {
    int less = now->exists ? before->behind - now->behind : 0;

    return less > 1 || (less == 1 && before->places - now->places == place);
}

bool lock_state_gained(const struct lock_state *before,
                       const struct lock_state *now) {
    return lock_state_new_value(before, now) ||
           lock_state_joined(before, now) ||
           (now->exists && before->ttl_ms >= 0 &&
            (now->ttl_ms < 0 || now->ttl_ms > before->ttl_ms)) ||
           (now->exists && before->ttl_ms < 0 && now->ttl_ms >= 0);
}

// --- several masters ---------------------------------------------------------

int lock_state_majority(int masters) {
    return masters / 2 + 1;
}

static int64_t lease_ms(const struct lock_state *state) {
    return state->ttl_ms < 0 ? INT64_MAX : state->ttl_ms;
}

// The number of masters that hold this value for so long.
static int holders(const struct lock_state *states, int masters,
                   const char *value, int64_t ms) {
    int count = 0;

    for (int i = 0; i < masters; i++)
        count += states[i].exists && strcmp(states[i].value, value) == 0 &&
                 lease_ms(&states[i]) >= ms;
    return count;
}

struct lock_state lock_state_on_majority(const struct lock_state *states,
                                         int masters) {
    struct lock_state lock = {.ttl_ms = -1};

    // Its end is that of the longest lease that a majority has: when it is
    // over, too few are left.
    for (int i = 0; i < masters; i++)
        if (states[i].exists &&
            holders(states, masters, states[i].value, lease_ms(&states[i])) >=
                lock_state_majority(masters) &&
            (!lock.exists || lease_ms(&states[i]) > lease_ms(&lock)))
            lock = states[i];
    return lock;
}
