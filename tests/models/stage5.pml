// Stage 5: SET lock TOKEN NX PX 30000; one script that deletes the key while it
// holds that token.
#define TOKENS 1
#include "state.inc"

inline runs(i) {
    if
    :: sends[i] == TAKE && !key ->
        key = 1;
        ends = now + LEASE;
        mine[i] = token[i];
        answer[i] = YES
    :: sends[i] == FREE && key && mine[i] == token[i] ->
        key = 0;
        ends = 0;
        answer[i] = YES
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
