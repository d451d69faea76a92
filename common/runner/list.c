// ./scenarios/list: the course, the races by group, the locks by family, a line
// each.
#include "tools.h"

#include "base/arguments.h"
#include "catalogue/course.h"
#include "catalogue/locks.h"
#include "catalogue/races.h"

#include <stdio.h>
#include <string.h>

static int widest_name(const struct race_list *races) {
    int widest = 0;

    for (size_t i = 0; i < races->count; i++)
        if ((int)strlen(races->entries[i].name) > widest)
            widest = (int)strlen(races->entries[i].name);
    return widest;
}

static void list_course(const struct race_list *races) {
    struct course course = {0};

    course_read(&course, races);
    if (course.count > 0)
        puts("The course, in the order of the ladder (./scenarios/matrix "
             "--course)");
    for (size_t i = 0; i < course.count; i++)
        printf("  %-*s  %s\n", widest_name(races), course.races[i]->name,
               course.races[i]->title);
    if (course.count > 0)
        putchar('\n');
}

static void list_races(const struct race_list *races) {
    char shelf[RACE_TITLE_SIZE];

    for (size_t i = 0; i < races->count; i++) {
        const struct race_entry *race = &races->entries[i];
        races_shelf(race, shelf);
        if (i == 0 || !races_share_shelf(race - 1, race))
            printf("%s%s\n", i > 0 ? "\n" : "", shelf);
        printf("  %-*s  %s\n", widest_name(races), race->name, race->title);
    }
}

static void list_family(const struct lock_list *locks, const char *title,
                        bool (*belongs)(const char *name)) {
    char line[256];
    bool any = false;

    for (size_t i = 0; i < locks->count; i++)
        any = any || belongs(locks->names[i]);
    if (any)
        printf("\n%s\n", title);
    for (size_t i = 0; i < locks->count; i++) {
        if (!belongs(locks->names[i]))
            continue;
        locks_title(locks->names[i], line, sizeof line);
        printf("  %-28s  %s\n", locks->names[i], line);
    }
}

static bool locks_is_any(const char *name) {
    (void)name;
    return true;
}

int list_main(int argc, char **argv) {
    static const struct argp argp = {
        .doc = "Lists the course, all races by group, and the locks by "
               "family.",
    };
    static struct race_list races;
    static struct lock_list locks;

    arguments_parse(&argp, argc, argv, NULL);
    races_list(&races);
    list_course(&races);
    list_races(&races);
    locks_built(&locks);
    list_family(&locks, "The ladder", locks_is_stage);
    list_family(&locks, "Detours: wrong turns that people really took",
                locks_is_detour);
    list_family(&locks, "Roads: other ways to the same end", locks_is_road);
    locks_elsewhere(&locks, NULL);
    list_family(&locks, "On another server than Redis (make roads; docs/roads.md)",
                locks_is_any);
    finish_output();
    return 0;
}
