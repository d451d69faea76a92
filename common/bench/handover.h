// How a lock goes from hand to hand while four wait for it: on all cores, as it
// is in production, where those who are woken do not wait for each other. (On
// one core the client that gets the lock has to wait until the other three have
// tried.) It is compared with a bare round trip on all cores.
#ifndef HANDOVER_H
#define HANDOVER_H

void bench_handover(const char *lock);

#endif
