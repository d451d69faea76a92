// The default: all acquires have the lease that the lock was opened with, if
// it has any.
#include "lock.h"

enum lock_result lock_acquire_for(struct lock *lock, int lease_ms) {
    (void)lock;
    (void)lease_ms;
    lock_explain("an acquire of this lock has no lease of its own");
    return LOCK_CANNOT;
}
