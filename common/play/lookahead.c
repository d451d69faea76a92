// One move further each time, by a whole search each: most of the work is in
// the last one, and between two of them there is time to look whether somebody
// has pressed a key.
#include "lookahead.h"

#include "base/units.h"
#include "machine/clock.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

// When searches have taken that, the next one takes too long to wait for. The
// same on every machine, but for one that is too slow for that.
enum { ENOUGH_POSITIONS = 50000, ENOUGH_RUNS = 800 };
enum { ENOUGH_S = 10, MOST_SECONDS = 5, MOST_POSITIONS = 1000000 };

// The first of them that is wanted.
static void take(const struct hunt *hunt, const struct search_result *result,
                 struct quarry *quarry) {
    for (int loss = LOSSES - 1; loss >= 0; loss--) {
        if (!(hunt->wanted & result->lost & 1u << loss) ||
            (quarry->moves && result->lengths[loss] > quarry->length))
            continue;
        size_t size = (size_t)result->lengths[loss] * sizeof *quarry->moves;
        free(quarry->moves);
        quarry->moves = must_have(malloc(size));
        memcpy(quarry->moves, result->schedules[loss], size);
        quarry->length = result->lengths[loss];
        quarry->loss = (enum loss)loss;
    }
}

void hunt(const struct hunt *hunt, struct quarry *quarry) {
    struct search_options options = {
        .bounds = *hunt->bounds,
        .prefix = hunt->moves,
        .prefix_length = hunt->count,
        .most_positions = MOST_POSITIONS,
        .memory_mb = MEMORY_MB,
        .seconds = MOST_SECONDS,
    };
    struct search_result result;
    int64_t begin_ns = clock_real_ns();
    size_t runs = 0;
    bool more = true;

    *quarry = (struct quarry){.moves = NULL};
    for (int ahead = 1; more && ahead <= hunt->most &&
                        hunt->count + ahead <= hunt->bounds->depth; ahead++) {
        if (hunt->go_on && !hunt->go_on(ahead))
            return;
        options.bounds.depth = hunt->count + ahead;
        search(&options, &result);
        take(hunt, &result, quarry);
        if (result.end == END_EMPTY || result.end == END_DEPTH)
            quarry->looked = ahead;
        quarry->all = result.end == END_EMPTY;
        runs += result.runs;
        more = !quarry->moves && result.end == END_DEPTH &&
               result.positions < ENOUGH_POSITIONS && runs < ENOUGH_RUNS &&
               clock_real_ns() - begin_ns < ENOUGH_S * SECOND;
        search_forget(&result);
    }
}
