// Time, everywhere in nanoseconds.
#ifndef UNITS_H
#define UNITS_H

#include <stdint.h>

#define MILLISECOND 1000000LL
#define SECOND (1000 * MILLISECOND)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)

// The lease that every lock is opened with, unless time is real.
enum { LEASE_S = 30 };
#define LEASE (LEASE_S * SECOND)

// "7 s", or "0.500 s" where it is no whole number of seconds: in milliseconds,
// the rest is left out. Returns `words`.
enum { SPAN_WORDS = 32 };
const char *span_words(int64_t ns, char words[SPAN_WORDS]);

#endif
