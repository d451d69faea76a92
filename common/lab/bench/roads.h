// The cost of a hold on each engine, one beside the other.
#ifndef ROADS_H
#define ROADS_H

// Measures the hold of a lock on any engine: time, requests and bytes.
void bench_road(const char *lock);

#endif
