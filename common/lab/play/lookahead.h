// Searches in a game for the shortest way from the current position to a loss.
#ifndef LOOKAHEAD_H
#define LOOKAHEAD_H

#include "lab/search/search.h"

// The question: a loss, from a game so far.
struct lookahead {
    const struct bounds *bounds;
    const struct move *moves; // the game so far
    int count;
    unsigned wanted;            // 1 << loss, any of these
    int most;                   // how many more moves at most
    bool calm;                  // from now on no time passes while something is
                                // on its way, and no fault happens but a crash.
                                // Where there are several masters, no time
                                // passes, and there are only their faults.
                                // These are fewer orders, so it sees further
    bool (*go_on)(int further); // asked before it looks one move further; NULL:
                                // it does
};

// The answer.
struct lookahead_result {
    struct move *moves; // from the beginning of the game to the loss; NULL if
                        // none was found
    int length;
    enum loss loss;
    int looked; // all orders of so many more moves were tried
    bool all;   // and there are no longer ones
};

// Stops after some seconds, or after a fixed number of positions. The caller
// frees the moves.
void lookahead(const struct lookahead *ahead, struct lookahead_result *result);

// Can this lock lose the property at all? Tries all orders of moves from the
// beginning, within small bounds, so that the answer comes at once; returns
// these bounds, too. Also true if there was not enough time to try all.
bool lookahead_finds(const struct bounds *bounds, enum loss loss,
                     struct bounds *tried);

#endif
