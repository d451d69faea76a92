// How a lock goes from hand to hand while four wait for it.
#ifndef HANDOVER_H
#define HANDOVER_H

// `round_trip_us`: bare, to a server.
void bench_handover(const char *lock, double round_trip_us);

#endif
