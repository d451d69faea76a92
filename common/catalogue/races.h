// The races that this checkout has, from the heads of their files: those in the
// chapters of scenarios/, and those in scenarios/bugs/.
//
//     // Race 3.1: a late release deletes the next owner's lock.
//     // … the story …
//     // Usually lost by: a release that does not ask whose lock it is.
//
// The number is the chapter, as in the name of the folder, and the race's place
// there. A race in bugs/ has none: "// Race: …".
#ifndef RACES_H
#define RACES_H

#include "base/paths.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    RACE_NAME_SIZE = 64,
    RACE_TITLE_SIZE = 128,
    RACE_SOURCE_SIZE = 128,
};

struct race;

struct race_entry {
    char name[RACE_NAME_SIZE];
    char source[RACE_SOURCE_SIZE]; // "scenarios/03_giving_back/NAME.c"
    char title[RACE_TITLE_SIZE];
    int chapter, place; // 0: in bugs/
    void (*story)(struct race *race); // NULL in a program without races
};

struct race_list {
    struct race_entry *entries;
    size_t count;
};

// Does it stand in a chapter? The others, in scenarios/bugs/, are checks for a
// lock of one's own.
bool races_is_documented(const struct race_entry *race);

// "1 Taking the lock" for the first chapter; "bugs/renewal".
void races_shelf(const struct race_entry *race, char shelf[RACE_TITLE_SIZE]);
bool races_share_shelf(const struct race_entry *one,
                       const struct race_entry *other);

// All races: the chapters in order, then bugs/ by folder and name. The list
// begins zeroed; its entries are freed by nobody.
void races_list(struct race_list *list);

// The race of this name. Refuses what is unknown, in one line.
const struct race_entry *races_find(const struct race_list *list,
                                    const char *name);

// The same without a list. False if there is none of this name.
bool races_look_up(const char *name, struct race_entry *entry);

// The race's title: the first line of its head, after the number.
void races_title(const char *name, char title[RACE_TITLE_SIZE]);

// The story at its head, without title and sources: paragraphs, with an empty
// line between two. Empty if there is no such race. The caller frees it.
char *races_story(const char *name);

#endif
