#include "repeats.h"

// How often the items from `at` on stand there, one after another.
static size_t times_of(const struct repeated_list *list, size_t at,
                       size_t period) {
    size_t end = at + period;

    while (end < list->count && list->same(list->items, end - period, end))
        end++;
    return (end - at) / period;
}

struct repeats repeats_at(const struct repeated_list *list, size_t at) {
    struct repeats best = {0};

    if (!list->begins(list->items, at))
        return best;
    for (size_t period = 1; period <= LONGEST_PERIOD; period++) {
        if (at + period * LEAST_REPEATS > list->count)
            break;
        size_t times = times_of(list, at, period);
        if (times >= LEAST_REPEATS &&
            period * times > best.period * best.times)
            best = (struct repeats){period, times};
    }
    return best;
}
