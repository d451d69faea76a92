#include "visited.h"

#include "base/fail.h"
#include "base/list.h"

#include <stdlib.h>
#include <string.h>

static struct tree {
    struct visited {
        struct fingerprint fingerprint;
        uint32_t parent; // its number
        int depth;
        struct move move; // that led here from there
    } *visited;
    uint32_t *slots; // number + 1; 0: free
    uint32_t count, slot_count;
    const struct move *prefix; // to the first
    int prefix_length;
} tree;

static uint32_t *find_slot(struct fingerprint fingerprint) {
    uint32_t slot = (uint32_t)fingerprint.low & (tree.slot_count - 1);

    while (tree.slots[slot]) {
        const struct fingerprint *there =
            &tree.visited[tree.slots[slot] - 1].fingerprint;
        if (there->high == fingerprint.high && there->low == fingerprint.low)
            break;
        slot = (slot + 1) & (tree.slot_count - 1);
    }
    return &tree.slots[slot];
}

static void grow(void) {
    tree.slot_count = tree.slot_count ? 2 * tree.slot_count : 4096;
    free(tree.slots);
    tree.slots = must_have(calloc(tree.slot_count, sizeof *tree.slots));
    for (uint32_t i = 0; i < tree.count; i++)
        *find_slot(tree.visited[i].fingerprint) = i + 1;
}

static bool add(struct visited visited) {
    if (2 * (tree.count + 1) > tree.slot_count)
        grow();
    uint32_t *slot = find_slot(visited.fingerprint);
    if (*slot)
        return false;
    tree.visited = list_grow(tree.visited, tree.count, sizeof *tree.visited);
    tree.visited[tree.count++] = visited;
    *slot = tree.count;
    return true;
}

uint32_t visited_number(struct fingerprint fingerprint) {
    return *find_slot(fingerprint) - 1;
}

void visited_begin(const struct move *prefix, int length,
                   struct fingerprint fingerprint) {
    tree.prefix = prefix;
    tree.prefix_length = length;
    add((struct visited){.fingerprint = fingerprint, .depth = length});
}

bool visited_add(uint32_t parent, const struct move *move,
                 struct fingerprint fingerprint) {
    return add((struct visited){.fingerprint = fingerprint,
                                .parent = parent,
                                .depth = tree.visited[parent].depth + 1,
                                .move = *move});
}

void visited_forget(void) {
    free(tree.visited);
    free(tree.slots);
    memset(&tree, 0, sizeof tree);
}

uint32_t visited_count(void) {
    return tree.count;
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

// What is stored, and not what there is room for.
size_t visited_bytes(void) {
    return tree.count * sizeof *tree.visited +
           tree.slot_count * sizeof *tree.slots;
}
