#include "lock_state.h"

#include <string.h>

bool lock_state_new_value(const struct lock_state *before,
                          const struct lock_state *now) {
    return now->exists &&
           (!before->exists || strcmp(before->value, now->value) != 0);
}

bool lock_state_gained(const struct lock_state *before,
                       const struct lock_state *now) {
    return lock_state_new_value(before, now) ||
           (now->exists && before->ttl_ms >= 0 &&
            (now->ttl_ms < 0 || now->ttl_ms > before->ttl_ms)) ||
           (now->exists && before->ttl_ms < 0 && now->ttl_ms >= 0);
}

// --- several masters ---------------------------------------------------------

int lock_state_majority(int masters) {
    return masters / 2 + 1;
}

// How long this value will stand on a majority; -1: it does not. It does until
// so many leases have ended that too few are left: the majority's shortest, if
// the longest are taken.
static int64_t stands_ms(const struct lock_state *states, int masters,
                         const char *value) {
    int64_t longest[masters];
    int holders = 0, majority = lock_state_majority(masters);

    for (int i = 0; i < masters; i++) {
        if (!states[i].exists || strcmp(states[i].value, value) != 0)
            continue;
        int64_t ms = states[i].ttl_ms < 0 ? INT64_MAX : states[i].ttl_ms;
        int place = holders++;
        for (; place > 0 && longest[place - 1] < ms; place--)
            longest[place] = longest[place - 1];
        longest[place] = ms;
    }
    return holders < majority ? -1 : longest[majority - 1];
}

struct lock_state lock_state_on_majority(const struct lock_state *states,
                                         int masters) {
    for (int i = 0; i < masters; i++) {
        int64_t ms = states[i].exists
                         ? stands_ms(states, masters, states[i].value) : -1;
        if (ms < 0)
            continue;
        struct lock_state lock = states[i];
        lock.ttl_ms = ms == INT64_MAX ? -1 : ms;
        return lock;
    }
    return (struct lock_state){.ttl_ms = -1};
}
