// Stage 2: SETNX lock locked, and if that was answered with 1, EXPIRE lock 30;
// DEL lock.
#define TOKENS 0
#include "state.inc"

inline runs(i) {
    if
    :: sends[i] == TAKE && !key -> key = 1; answer[i] = YES
    :: sends[i] == LEND && key -> ends = now + LEASE; answer[i] = YES
    :: sends[i] == FREE && key -> key = 0; ends = 0; answer[i] = YES
    :: else -> answer[i] = NO
    fi
}

inline hears(i) {
    if
    :: at[i] == TAKES && answer[i] == YES -> at[i] = LENDS; sends[i] = LEND
    :: at[i] == TAKES && answer[i] == NO -> is_refused(i)
    :: at[i] == LENDS && answer[i] == YES -> gets_in(i)
    :: at[i] == LENDS && answer[i] == NO -> loses_its_lock(i)
    :: at[i] == LEAVES -> has_left(i)
    fi
}

#include "moves.inc"
