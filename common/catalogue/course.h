// The course: the races that everybody should know, from course.txt beside this
// file. The list is text, and not a mark in the head of each race: its order is
// the ladder's, and one reads it in one look.
#ifndef COURSE_H
#define COURSE_H

#include "races.h"

#include <stddef.h>

struct course {
    const struct race_entry **races; // freed by nobody
    size_t count;
};

// The races of the course, in its order; they are entries of the list. The
// course begins zeroed, and is empty in a tree without course.txt. Refuses a
// race that the list does not have.
void course_read(struct course *course, const struct race_list *list);

#endif
