#include "course.h"

#include "base/list.h"

#include <stdio.h>

// Lines begin with a race; its rung stands behind it, for readers and tests.
void course_read(struct course *course, const struct race_list *list) {
    char path[PATHS_SIZE], line[256], name[RACE_NAME_SIZE];

    paths_join(path, "common/catalogue/course.txt");
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (*line == '#' || sscanf(line, "%63s", name) != 1)
            continue;
        course->races = list_grow(course->races, course->count,
                                  sizeof *course->races);
        course->races[course->count++] = races_find(list, name);
    }
    if (file)
        fclose(file);
}
