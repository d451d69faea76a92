// Open addressing with linear probing, at most half full.
#include "map.h"

#include "fail.h"
#include "list.h"

#include <stdlib.h>
#include <string.h>

static uint32_t first_slot(const struct map *map, struct map_key key) {
    return (uint32_t)key.low & (map->slot_count - 1);
}

static uint32_t *find_slot(const struct map *map, struct map_key key) {
    uint32_t slot = first_slot(map, key);

    while (map->slots[slot]) {
        const struct map_key *there = &map->keys[map->slots[slot] - 1];
        if (there->high == key.high && there->low == key.low)
            break;
        slot = (slot + 1) & (map->slot_count - 1);
    }
    return &map->slots[slot];
}

static void grow(struct map *map) {
    map->slot_count = map->slot_count ? 2 * map->slot_count : 1024;
    free(map->slots);
    map->slots = must_have(calloc(map->slot_count, sizeof *map->slots));
    for (uint32_t i = 0; i < map->count; i++)
        *find_slot(map, map->keys[i]) = i + 1;
}

uint32_t map_find(const struct map *map, struct map_key key) {
    if (map->slot_count == 0)
        return MAP_NONE;
    uint32_t number = *find_slot(map, key);
    return number ? number - 1 : MAP_NONE;
}

void map_prefetch_slot(const struct map *map, struct map_key key) {
    if (map->slot_count > 0)
        __builtin_prefetch(&map->slots[first_slot(map, key)]);
}

// (A search looks at one or two of the slots there, mostly.)
void map_prefetch_keys(const struct map *map, struct map_key key) {
    enum { MOST = 2 };

    if (map->slot_count == 0)
        return;
    uint32_t slot = first_slot(map, key);
    for (int i = 0; i < MOST && map->slots[slot]; i++) {
        __builtin_prefetch(&map->keys[map->slots[slot] - 1]);
        slot = (slot + 1) & (map->slot_count - 1);
    }
}

bool map_add(struct map *map, struct map_key key) {
    if (2 * (map->count + 1) > map->slot_count)
        grow(map);
    uint32_t *slot = find_slot(map, key);
    if (*slot)
        return false;
    map->keys = list_grow(map->keys, map->count, sizeof *map->keys);
    map->keys[map->count] = key;
    *slot = ++map->count;
    return true;
}

void map_empty(struct map *map) {
    free(map->keys);
    free(map->slots);
    memset(map, 0, sizeof *map);
}

size_t map_bytes(const struct map *map) {
    return map->count * sizeof *map->keys +
           map->slot_count * sizeof *map->slots;
}
