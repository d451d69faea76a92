#include "frontier.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

// A stored position: its number; one bit for each of its words, which says
// whether it differs from the first position's; those that do, each as the
// difference.
enum {
    WORDS = sizeof(struct position) / sizeof(uint64_t),
    BITS = 64,
    MASKS = (WORDS + BITS - 1) / BITS,
    HEAD = 1 + MASKS,
};

_Static_assert(sizeof(struct position) % sizeof(uint64_t) == 0,
               "a position is made of whole words");

static uint64_t word_of(const struct position *position, int number) {
    uint64_t word;

    memcpy(&word, (const char *)position + sizeof word * (size_t)number,
           sizeof word);
    return word;
}

static bool same_words(const struct position *one, const struct position *other,
                       int begin, int end) {
    size_t from = sizeof(uint64_t) * (size_t)begin;
    size_t size = sizeof(uint64_t) * (size_t)(end - begin);

    return memcmp((const char *)one + from, (const char *)other + from, size)
           == 0;
}

// Each word is written, and the next one over it if it does not differ. Most do
// not, and these are passed over several at a time. Returns how many there are.
static size_t pack(uint64_t *to, const struct position *position,
                   const struct position *first) {
    enum { SEVERAL = 8 };
    size_t count = 0;

    memset(to, 0, MASKS * sizeof *to);
    for (int begin = 0; begin < WORDS; begin += SEVERAL) {
        int end = begin + SEVERAL < WORDS ? begin + SEVERAL : WORDS;
        if (same_words(position, first, begin, end))
            continue;
        for (int number = begin; number < end; number++) {
            uint64_t word = word_of(position, number) ^ word_of(first, number);
            to[MASKS + count] = word;
            count += word != 0;
            to[number / BITS] |= (uint64_t)(word != 0) << number % BITS;
        }
    }
    return MASKS + count;
}

void frontier_add(struct frontier *frontier, uint32_t number,
                  const struct position *position) {
    size_t needed = frontier->end + HEAD + WORDS;

    if (needed > frontier->room) {
        frontier->room = 2 * needed;
        frontier->words = must_have(realloc(
            frontier->words, frontier->room * sizeof *frontier->words));
    }
    frontier->words[frontier->end++] = number;
    frontier->end += pack(frontier->words + frontier->end, position,
                          frontier->first);
    frontier->count++;
    if (frontier->end > frontier->longest)
        frontier->longest = frontier->end;
}

uint32_t frontier_number(const struct frontier *frontier, size_t place) {
    return (uint32_t)frontier->words[place];
}

void frontier_copy(const struct frontier *frontier, size_t place,
                   struct position *position) {
    const uint64_t *masks = frontier->words + place + 1;
    const uint64_t *word = masks + MASKS;

    memcpy(position, frontier->first, sizeof *position);
    for (int mask = 0; mask < MASKS; mask++)
        for (uint64_t left = masks[mask]; left != 0; left &= left - 1) {
            int number = mask * BITS + __builtin_ctzll(left);
            uint64_t own = word_of(frontier->first, number) ^ *word++;
            memcpy((char *)position + sizeof own * (size_t)number, &own,
                   sizeof own);
        }
}

size_t frontier_next(const struct frontier *frontier, size_t place) {
    const uint64_t *masks = frontier->words + place + 1;

    place += HEAD;
    for (int mask = 0; mask < MASKS; mask++)
        place += (size_t)__builtin_popcountll(masks[mask]);
    return place;
}

size_t frontier_bytes(const struct frontier *frontier) {
    return frontier->longest * sizeof *frontier->words;
}

void frontier_empty(struct frontier *frontier) {
    frontier->count = frontier->end = 0;
}

void frontier_free(struct frontier *frontier) {
    free(frontier->words);
    memset(frontier, 0, sizeof *frontier);
}
