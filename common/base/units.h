// Time, everywhere in nanoseconds.
#ifndef UNITS_H
#define UNITS_H

#define MILLISECOND 1000000LL
#define SECOND (1000 * MILLISECOND)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)

// The lease that every lock is opened with, unless time is real.
enum { LEASE_S = 30 };
#define LEASE (LEASE_S * SECOND)

#endif
