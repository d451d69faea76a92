// Stage 1: SETNX lock locked; DEL lock.
#define TOKENS 0
#include "state.inc"

inline runs(i) {
    if
    :: sends[i] == TAKE && !key -> key = 1; answer[i] = YES
    :: sends[i] == FREE && key -> key = 0; answer[i] = YES
    :: else -> answer[i] = NO
    fi
}

inline hears(i) {
    if
    :: at[i] == TAKES && answer[i] == YES -> gets_in(i)
    :: at[i] == TAKES && answer[i] == NO -> is_refused(i)
    :: at[i] == LEAVES -> has_left(i)
    fi
}

#include "moves.inc"
