// FNV-1a with 64 bits: a hash to compare things by. It is not a cryptographic
// hash. Source: Fowler, Noll and Vo, isthe.com/chongo/tech/comp/fnv.
#ifndef HASH_H
#define HASH_H

#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

// Adds one more number to `hash`. (FNV-1a itself adds one byte at a time.)
uint64_t hash_with(uint64_t hash, uint64_t number);

uint64_t hash_of(const char *text);

#endif
