// A hash map from keys of 128 bits to numbers. A key that is added gets the
// next number: 0, 1, 2 and so on. The map stores no values: its owner has them
// in a list (base/list.h), at the place with this number. So one map serves
// entries of every size, and the entries stand in the order in which they were
// added, on every machine.
//
// A key is meant to be a hash, or to have one in its low half: that half alone
// decides where a key is looked for. Nothing can be removed.
#ifndef MAP_H
#define MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_key {
    uint64_t high, low;
};

// All zeros: empty.
struct map {
    struct map_key *keys; // by number
    uint32_t *slots;      // number + 1, by hash; 0: free
    uint32_t count, slot_count;
};

#define MAP_NONE UINT32_MAX

// The number of this key; MAP_NONE if it is not there.
uint32_t map_find(const struct map *map, struct map_key key);

// Fetches memory for a key that will be looked for or added soon. It does so in
// two steps with other work between them: first the place where the key would
// be, then the keys at that place.
void map_prefetch_slot(const struct map *map, struct map_key key);
void map_prefetch_keys(const struct map *map, struct map_key key);

// Adds a key. False if it was there already; else its number is count - 1. Ends
// the program if no memory is left.
bool map_add(struct map *map, struct map_key key);

// Removes everything, and frees the memory.
void map_empty(struct map *map);

// The bytes of all entries, without the room that is still free.
size_t map_bytes(const struct map *map);

#endif
