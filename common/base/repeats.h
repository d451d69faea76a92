// Repetitions in a list: "the next three, five times".
#ifndef REPEATS_H
#define REPEATS_H

#include <stdbool.h>
#include <stddef.h>

// Fewer times are not worth a reader's attention.
enum { LEAST_REPEATS = 5, LONGEST_PERIOD = 64 };

struct repeats {
    size_t period; // how many items are repeated; 0: nothing repeats here
    size_t times;  // how often they stand there, the first time included
};

// A list, as this file looks at it.
struct repeated_list {
    const void *items;
    size_t count;
    bool (*begins)(const void *items, size_t i); // may a repetition begin here?
    bool (*same)(const void *items, size_t i, size_t j);
};

// The repetition from item `at` on that covers most items, with its shortest
// period.
struct repeats repeats_at(const struct repeated_list *list, size_t at);

#endif
