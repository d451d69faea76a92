#include "hash.h"

uint64_t hash_with(uint64_t hash, uint64_t number) {
    return (hash ^ number) * UINT64_C(0x100000001b3);
}

uint64_t hash_of(const char *text) {
    uint64_t hash = HASH_START;

    for (; *text; text++)
        hash = hash_with(hash, (unsigned char)*text);
    return hash;
}
