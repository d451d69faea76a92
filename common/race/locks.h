// The locks that this checkout has: folders of stages/, clients in build/, and
// what the head of a lock.c says about itself.
#ifndef LOCKS_H
#define LOCKS_H

#include "paths.h"

#include <stdbool.h>
#include <stddef.h>

enum { LOCK_NAME_SIZE = 64, MAX_LOCKS = 128 };

struct lock_list {
    char names[MAX_LOCKS][LOCK_NAME_SIZE];
    size_t count;
};

// All that are built, the ladder first and in order.
void locks_built(struct lock_list *list);

// The lock that "4", "stage4" or "stage4_set_nx_ex" means, or "detour_x".
// Refuses what is unknown, ambiguous or not built, in one line.
void locks_find(const char *word, char name[LOCK_NAME_SIZE]);

// The lock last made. Refuses if there is none.
void locks_current(char name[LOCK_NAME_SIZE]);

// The path of its client.
void locks_client(const char *name, char path[PATHS_SIZE]);

// What is open in this lock so that it loses `race`, from the first head, its
// own or a later stage's, that says "Still open:" and names the race. Empty if
// none does.
void locks_because(const char *name, const char *race, char *text, size_t size);

// "Stage 5 answers this: make diff N=5": the stage after the last one in whose
// head the race is still open. Empty if there is no such stage.
void locks_answer(const char *name, const char *race, char *text, size_t size);

#endif
