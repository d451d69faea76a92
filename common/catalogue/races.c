#include "races.h"

#include "base/arguments.h"
#include "base/fail.h"
#include "base/list.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *races_group(int group) {
    static const char *const titles[] = {
        "",
        "Taking the lock",
        "The lease runs out",
        "Giving it back",
        "Renewing it",
        "Who is the owner",
        "Lost answers",
        "The server's state",
        "Copies and clocks",
        "Waiting",
        "Fencing",
        "Redlock",
        "ZooKeeper",
        "Databases",
        "Bugs inside a right idea",
    };
    int count = sizeof titles / sizeof *titles;
    return group > 0 && group < count ? titles[group] : "Others";
}

static int in_order(const void *one, const void *other) {
    const struct race_entry *a = one, *b = other;

    if (a->group != b->group)
        return a->group - b->group;
    if (a->place != b->place)
        return a->place - b->place;
    return strcmp(a->name, b->name);
}

static bool read_head(struct race_entry *entry) {
    char relative[RACE_NAME_SIZE + 16], path[PATHS_SIZE], line[256];

    snprintf(relative, sizeof relative, "scenarios/%s.c", entry->name);
    paths_join(path, relative);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool read = fgets(line, sizeof line, file) &&
                sscanf(line, "// Race %d.%d: %127[^\n]", &entry->group,
                       &entry->place, entry->title) == 3;
    size_t length = strlen(entry->title);
    if (length > 0 && entry->title[length - 1] == '.')
        entry->title[length - 1] = '\0';
    fclose(file);
    return read;
}

void races_list(struct race_list *list) {
    char folder[PATHS_SIZE];
    struct dirent *file;

    list->count = 0;
    paths_join(folder, "scenarios");
    DIR *open = opendir(folder);
    while (open && (file = readdir(open))) {
        size_t length = strlen(file->d_name);
        if (length < 3 || length >= RACE_NAME_SIZE ||
            strcmp(file->d_name + length - 2, ".c") != 0)
            continue;
        list->entries = list_grow(list->entries, list->count,
                                  sizeof *list->entries);
        struct race_entry *entry = &list->entries[list->count];
        *entry = (struct race_entry){0};
        snprintf(entry->name, RACE_NAME_SIZE, "%.*s", (int)length - 2,
                 file->d_name);
        if (!read_head(entry))
            refuse("scenarios/%s does not begin with '// Race GROUP.PLACE: "
                   "title'", file->d_name);
        list->count++;
    }
    if (open)
        closedir(open);
    if (list->count == 0)
        refuse("there is no race in %s", folder);
    qsort(list->entries, list->count, sizeof *list->entries, in_order);
}

void races_title(const char *name, char title[RACE_TITLE_SIZE]) {
    struct race_entry entry = {.title = "a race"};

    snprintf(entry.name, sizeof entry.name, "%s", name);
    read_head(&entry);
    snprintf(title, RACE_TITLE_SIZE, "%s", entry.title);
}

// Is this the beginning of a line of the head that is not part of the story?
static bool is_remark(const char *line) {
    return strncmp(line, "// Usually lost by:", 19) == 0 ||
           strncmp(line, "// Source", 9) == 0;
}

char *races_story(const char *name) {
    char relative[RACE_NAME_SIZE + 16], path[PATHS_SIZE], line[256];
    char *story = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&story, &size));

    snprintf(relative, sizeof relative, "scenarios/%s.c", name);
    paths_join(path, relative);
    FILE *file = fopen(path, "r");
    for (int i = 0; file && fgets(line, sizeof line, file) &&
                    strncmp(line, "//", 2) == 0 && !is_remark(line); i++)
        if (i > 1) // behind the title and an empty line
            fputs(line + (line[2] == ' ' ? 3 : 2), out);
    if (file)
        fclose(file);
    fclose(out);
    return must_have(story);
}

const struct race_entry *races_find(const struct race_list *list,
                                    const char *name) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->entries[i].name, name) == 0)
            return &list->entries[i];
    refuse("there is no race '%s': ls scenarios/*.c shows them all", name);
}
