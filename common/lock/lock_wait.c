// For stages without lock_wait(): try, pause, try again. That is how waiting is
// done where nobody says that the lock is free. Each attempt costs a round
// trip, and a lock that was released is found after a pause at the latest.
#include "lock.h"

#include "wait.h"

#include <stddef.h>

enum { PAUSE_MS = 100 };

enum lock_result lock_wait(struct lock *lock, int patience_ms) {
    long long end_ms = now_ms() + patience_ms;

    for (;;) {
        enum lock_result result = lock_acquire(lock);
        long long left_ms = end_ms - now_ms();
        if (result != LOCK_BUSY || left_ms <= 0)
            return result;
        wait_ms(NULL, left_ms < PAUSE_MS ? (int)left_ms : PAUSE_MS);
    }
}
