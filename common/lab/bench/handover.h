// The time of a handover while four clients wait for the lock. It is measured
// on all cores, as in production, where woken clients do not wait for each
// other. (On one core the client that gets the lock has to wait until the other
// three have tried.) The unit is a bare round trip on all cores.
#ifndef HANDOVER_H
#define HANDOVER_H

// NULL instead of a lock: of clients in bare hiredis, which do no more than a
// handover needs (bare_waiter.h). `aim` is printed beside the round trips.
void bench_handover(const char *lock, const char *aim);

#endif
