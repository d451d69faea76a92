// The default: a lock that does not watch itself is believed until released.
#include "lock.h"

bool lock_held(struct lock *lock) {
    (void)lock;
    return true;
}
