// Searches in a game for the shortest way from the current position to a loss.
#ifndef LOOKAHEAD_H
#define LOOKAHEAD_H

#include "search/search.h"

// What to look for.
struct lookahead {
    const struct bounds *bounds;
    const struct move *moves; // the game so far
    int count;
    unsigned wanted;            // 1 << loss, any of these
    int most;                   // at most so many more moves
    bool (*go_on)(int further); // asked before it looks one move further; NULL:
                                // it does
};

// What was found.
struct lookahead_result {
    struct move *moves; // from the beginning of the game to the loss; NULL: no
                        // way was found
    int length;
    enum loss loss;
    int looked; // everything has been tried that is so many moves away
    bool all;   // and nothing is left to try
};

// Stops after some seconds or so many positions. The caller frees the moves.
void lookahead(const struct lookahead *ahead, struct lookahead_result *result);

// Is there an order of moves, from the beginning, that loses this? Looks within
// small bounds, which it also returns, so that the answer comes at once. Also
// true if there was not enough time to try all.
bool lookahead_finds(const struct bounds *bounds, enum loss loss,
                     struct bounds *tried);

#endif
