// A client's randomness (random_preload.c).
#ifndef RANDOM_PRELOAD_H
#define RANDOM_PRELOAD_H

#include "clock_preload.h"

#pragma GCC visibility push(hidden)

// This process has just become a client: what the kernel has given it at its
// start is replaced.
void random_begin(void);

#pragma GCC visibility pop

#endif
