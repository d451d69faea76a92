// For stages without lock_held(): they cannot notice a loss, so a holder
// believes that it holds the lock until it has released it.
#include "lock.h"

bool lock_held(struct lock *lock) {
    (void)lock;
    return true;
}
