// Looking ahead in a game: the shortest way to a loss.
#ifndef LOOKAHEAD_H
#define LOOKAHEAD_H

#include "search/search.h"

struct hunt {
    const struct bounds *bounds;
    const struct move *moves; // where it begins
    int count;
    unsigned wanted;          // 1 << loss, any of these
    int most;                 // moves from there at most
    bool (*go_on)(int ahead); // asked before it looks further; NULL: it does
};

struct quarry {
    struct move *moves; // all, from the beginning; NULL: nothing is found
    int length;
    enum loss loss;
    int looked; // so many moves ahead everything has been tried
    bool all;   // and nothing is left to try
};

// Never takes long: it stops after some seconds, or so many positions. The
// caller frees the moves.
void hunt(const struct hunt *hunt, struct quarry *quarry);

#endif
