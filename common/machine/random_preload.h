// A client's randomness (random_preload.c).
#ifndef RANDOM_PRELOAD_H
#define RANDOM_PRELOAD_H

#include "clock_preload.h"

#pragma GCC visibility push(hidden)

// This process has just become a client: what the kernel has given it at its
// start is replaced.
void random_begin(void);

// Is it /dev/urandom or its like? And a file in its place, with more randomness
// than a program reads.
int random_is_file(const char *path);
int random_open(int flags);

#pragma GCC visibility pop

#endif
