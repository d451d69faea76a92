// The races that this checkout has, from the heads of scenarios/*.c:
//
//     // Race 3.1: a late release deletes the next owner's lock.
//     // … the story …
//     // Usually lost by: a release that does not ask whose lock it is.
//
// The number is the race's place in docs/atlas.md: its group, and its place
// there.
#ifndef RACES_H
#define RACES_H

#include "base/paths.h"

#include <stddef.h>

enum { RACE_NAME_SIZE = 64, RACE_TITLE_SIZE = 128 };

struct race;

struct race_entry {
    char name[RACE_NAME_SIZE];
    char title[RACE_TITLE_SIZE];
    int group, place;
    void (*tell)(struct race *race); // NULL in a program without races
};

struct race_list {
    struct race_entry *entries;
    size_t count;
};

// "Taking the lock", for group 1.
const char *races_group(int group);

// All races, in the order of their numbers. The list begins zeroed; its entries
// are freed by nobody.
void races_list(struct race_list *list);

// The race of this name. Refuses what is unknown, in one line.
const struct race_entry *races_find(const struct race_list *list,
                                    const char *name);

// The race's title: the first line of its head, after the number.
void races_title(const char *name, char title[RACE_TITLE_SIZE]);

// The story at its head, without title and sources: paragraphs, with an empty
// line between two. Empty if there is no such race. The caller frees it.
char *races_story(const char *name);

#endif
