// Iterative deepening: one search up to a depth of one move, then a new search
// up to two moves, and so on. Most of the work is in the last search. Between
// two searches there is time to see whether the player has pressed a key.
#include "lookahead.h"

#include "base/units.h"
#include "base/patience.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

// After a search of this size the next one would take too long. Positions and
// runs are the same on every machine; the seconds are for a very slow one.
enum { ENOUGH_POSITIONS = 50000, ENOUGH_RUNS = 800, MORE_POSITIONS = 250000 };
enum { ENOUGH_S = 10, MOST_SECONDS = 5, MOST_POSITIONS = 1000000 };
enum { MOST_SECONDS_LONG = 60 }; // clients that wait, or ask several masters

// The assumptions of a calm game: messages arrive at once, and nothing goes
// wrong, except that a client is killed.
enum {
    CALM = 1u << ASSUME_PROMPT_WIRE | 1u << ASSUME_NO_STOPS |
           1u << ASSUME_NO_HANGS | 1u << ASSUME_EQUAL_CLOCKS |
           1u << ASSUME_NOTHING_LOST | 1u << ASSUME_SERVER_KEEPS_MEMORY |
           1u << ASSUME_OWN_RELEASES | 1u << ASSUME_NO_REFUSALS |
           1u << ASSUME_NO_GIVE_UPS
};

// Takes the shortest schedule that loses a wanted property; of equally short
// ones, the one of the first in enum loss.
static void take(const struct lookahead *ahead,
                 const struct search_result *searched,
                 struct lookahead_result *result) {
    for (int loss = LOSSES - 1; loss >= 0; loss--) {
        int length = searched->lengths[loss];
        if (!(ahead->wanted & searched->lost & 1u << loss) ||
            (result->moves && length > result->length))
            continue;
        size_t size = (size_t)length * sizeof *result->moves;
        free(result->moves);
        result->moves = must_have(malloc(size));
        memcpy(result->moves, searched->schedules[loss], size);
        result->length = length;
        result->loss = (enum loss)loss;
    }
}

// Adds the assumptions of a calm game. (Of several masters, each can forget
// everything and each clock can jump. Then no client is killed, and no time
// passes.)
static void calm(struct bounds *bounds) {
    enum { OF_SERVERS = 1u << ASSUME_EQUAL_CLOCKS |
                        1u << ASSUME_SERVER_KEEPS_MEMORY };

    if (bounds->masters == 1) {
        bounds->assumed |= CALM;
        return;
    }
    bounds->assumed |= 1u << ASSUME_NO_CRASHES | (CALM & ~OF_SERVERS);
    bounds->leases = 0;
}

void lookahead(const struct lookahead *ahead,
               struct lookahead_result *result) {
    struct search_options options = {
        .bounds = *ahead->bounds,
        .prefix = ahead->moves,
        .prefix_length = ahead->count,
        .most_positions = MOST_POSITIONS,
        .memory_mb = MEMORY_MB,
        .seconds = ahead->calm ? MOST_SECONDS_LONG : MOST_SECONDS,
    };
    int64_t enough_s = ahead->calm ? MOST_SECONDS_LONG : ENOUGH_S;
    struct search_result searched;
    int64_t begin_ns = real_ns();
    size_t runs = 0;
    bool more = true;

    options.bounds.redundant_moves = false; // they cannot lose more
    if (ahead->calm)
        calm(&options.bounds);
    *result = (struct lookahead_result){.moves = NULL};
    for (int further = 1; more && further <= ahead->most &&
                          ahead->count + further <= ahead->bounds->depth;
         further++) {
        if (ahead->go_on && !ahead->go_on(further))
            return;
        options.bounds.depth = ahead->count + further;
        search(&options, &searched);
        take(ahead, &searched, result);
        if (searched.end == END_EMPTY || searched.end == END_DEPTH)
            result->looked = further;
        result->all = searched.end == END_EMPTY;
        runs += searched.runs;
        more = !result->moves && searched.end == END_DEPTH &&
               searched.positions < ENOUGH_POSITIONS && runs < ENOUGH_RUNS &&
               real_ns() - begin_ns < enough_s * SECOND;
        search_forget(&searched);
    }
}

static int at_most(int number, int limit) {
    return number < limit ? number : limit;
}

// Clients that wait come to many more positions. So less is tried. They wait
// just longer than the second in which they have to be let in, one client may
// be killed, and messages arrive at once. (The judge does not count a client
// that was held up on the wire.)
static void narrow_waiting(struct bounds *bounds) {
    enum { LONG_ENOUGH_S = 2 };
    int crashes = bounds->faults[FAULT_CRASH];

    bounds->wait_s = at_most(bounds->wait_s, LONG_ENOUGH_S);
    bounds->leases = at_most(bounds->leases, 1);
    memset(bounds->faults, 0, sizeof bounds->faults);
    bounds->faults[FAULT_CRASH] = crashes;
    bounds->fault_total = at_most(bounds->fault_total, crashes);
    bounds->assumed |= CALM;
}

// A refused client may write over the lock of a holder that it has not seen.
// Two clients need a second round for that. Of three, the first one is dead;
// and the second one may die, too.
static void want_loser(const struct bounds *bounds, struct bounds *tried) {
    int crashes = bounds->clients > 2
                      ? at_most(bounds->faults[FAULT_CRASH], 2) : 0;

    if (bounds->clients == 2)
        tried->rounds = at_most(bounds->rounds, 2);
    memset(tried->faults, 0, sizeof tried->faults);
    tried->faults[FAULT_CRASH] = crashes;
    tried->fault_total = at_most(bounds->fault_total, crashes);
}

// Tries all orders of moves within these bounds, or as many as there is time
// for.
static struct search_result try_all(const struct bounds *bounds,
                                    enum loss loss, size_t most_positions) {
    struct search_options options = {
        .bounds = *bounds,
        .most_positions = most_positions,
        .memory_mb = MEMORY_MB,
        .enough = 1u << loss,
        .seconds = loss == LOSS_WAKEUP || bounds->masters > 1
                       ? MOST_SECONDS_LONG : MOST_SECONDS,
    };
    struct search_result searched;

    search(&options, &searched);
    search_forget(&searched);
    return searched;
}

bool lookahead_finds(const struct bounds *bounds, enum loss loss,
                     struct bounds *tried) {
    struct search_result searched;

    *tried = *bounds;
    tried->redundant_moves = false;
    tried->rounds = at_most(bounds->rounds, 1);
    tried->leases = at_most(bounds->leases, 2);
    tried->fault_total = at_most(bounds->fault_total, 1);
    for (int fault = 0; fault < FAULTS; fault++)
        tried->faults[fault] = at_most(bounds->faults[fault], 1);
    if (loss == LOSS_WAKEUP)
        narrow_waiting(tried);
    searched = try_all(tried, loss, ENOUGH_POSITIONS);
    if (searched.end == END_ENDLESS && !(searched.lost & 1u << loss))
        return false;
    if (searched.end != END_EMPTY || searched.lost & 1u << loss)
        return true;
    if (loss != LOSS_LOSER && loss != LOSS_BOUNDED)
        return false;
    struct bounds further = *tried;
    want_loser(bounds, &further);
    return try_all(&further, loss, MORE_POSITIONS).lost & 1u << loss;
}
