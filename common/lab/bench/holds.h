// The cost of a hold: an acquire and a release with nobody else there, beside
// the same commands sent bare.
#ifndef HOLDS_H
#define HOLDS_H

// Measures the hold of a lock on one server.
void bench_hold(const char *lock);

// Measures the hold of Redlock on five masters.
void bench_redlock_hold(void);

#endif
