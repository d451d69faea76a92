#include "visited.h"

#include "base/fail.h"
#include "base/list.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

static struct tree {
    struct map numbers; // of positions, by their fingerprints
    struct visited {
        uint32_t parent; // its number
        int depth;
        struct move move; // that led here from there
    } *visited;
    const struct move *prefix; // to the first
    int prefix_length;
} tree;

static struct map_key key_of(struct fingerprint fingerprint) {
    return (struct map_key){fingerprint.high, fingerprint.low};
}

static bool add(struct fingerprint fingerprint, struct visited visited) {
    uint32_t count = tree.numbers.count;

    if (!map_add(&tree.numbers, key_of(fingerprint)))
        return false;
    tree.visited = list_grow(tree.visited, count, sizeof *tree.visited);
    tree.visited[count] = visited;
    return true;
}

void visited_prefetch(struct fingerprint fingerprint) {
    map_prefetch_slot(&tree.numbers, key_of(fingerprint));
}

void visited_prefetch_more(struct fingerprint fingerprint) {
    map_prefetch_keys(&tree.numbers, key_of(fingerprint));
}

uint32_t visited_number(struct fingerprint fingerprint) {
    return map_find(&tree.numbers, key_of(fingerprint));
}

void visited_begin(const struct move *prefix, int length,
                   struct fingerprint fingerprint) {
    tree.prefix = prefix;
    tree.prefix_length = length;
    add(fingerprint, (struct visited){.depth = length});
}

bool visited_add(uint32_t parent, const struct move *move,
                 struct fingerprint fingerprint) {
    return add(fingerprint,
               (struct visited){.parent = parent,
                                .depth = tree.visited[parent].depth + 1,
                                .move = *move});
}

void visited_forget(void) {
    map_empty(&tree.numbers);
    free(tree.visited);
    memset(&tree, 0, sizeof tree);
}

uint32_t visited_count(void) {
    return tree.numbers.count;
}

int visited_depth(uint32_t number) {
    return tree.visited[number].depth;
}

struct move *visited_moves(uint32_t number, const struct move *last) {
    int depth = tree.visited[number].depth;
    struct move *moves = must_have(calloc((size_t)depth + 1, sizeof *moves));

    if (tree.prefix_length > 0)
        memcpy(moves, tree.prefix,
               (size_t)tree.prefix_length * sizeof *moves);

    moves[depth] = *last;
    while (depth > tree.prefix_length) {
        moves[--depth] = tree.visited[number].move;
        number = tree.visited[number].parent;
    }
    return moves;
}

// The bytes of all entries, without the room that is still free.
size_t visited_bytes(void) {
    return map_bytes(&tree.numbers) +
           tree.numbers.count * sizeof *tree.visited;
}
