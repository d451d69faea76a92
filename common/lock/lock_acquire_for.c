// For stages without lock_acquire_for(): their lease, if any, is given once, to
// lock_open().
#include "lock.h"

enum lock_result lock_acquire_for(struct lock *lock, int lease_ms) {
    (void)lock;
    (void)lease_ms;
    lock_explain("this lock cannot take a lease for a single acquire");
    return LOCK_CANNOT;
}
