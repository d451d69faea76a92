// Stage 4: SET lock locked NX EX 30; DEL lock.
#define TOKENS 0
#include "state.inc"

inline runs(i) {
    if
    :: sends[i] == TAKE && !key -> key = 1; ends = now + LEASE; answer[i] = YES
    :: sends[i] == FREE && key -> key = 0; ends = 0; answer[i] = YES
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
