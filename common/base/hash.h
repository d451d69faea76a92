// FNV-1a, with 64 bits: for telling things apart, not for keeping secrets.
// Source: Fowler, Noll and Vo,
// isthe.com/chongo/tech/comp/fnv.
#ifndef HASH_H
#define HASH_H

#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

// `hash` and one more number: a byte, where the algorithm is to be kept to.
uint64_t hash_with(uint64_t hash, uint64_t number);

uint64_t hash_of(const char *text);

#endif
