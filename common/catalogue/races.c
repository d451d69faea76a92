#include "races.h"

#include "base/arguments.h"
#include "base/fail.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const chapters[] = {
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
};

enum { CHAPTERS = sizeof chapters / sizeof *chapters };

static const char top[] = "scenarios/";

bool races_is_documented(const struct race_entry *race) {
    return race->chapter > 0;
}

static int folder_length(const struct race_entry *race) {
    return (int)(strrchr(race->source, '/') - race->source);
}

void races_shelf(const struct race_entry *race, char shelf[RACE_TITLE_SIZE]) {
    int begin = sizeof top - 1;

    if (race->chapter > 0 && race->chapter < CHAPTERS)
        snprintf(shelf, RACE_TITLE_SIZE, "%d %s", race->chapter,
                 chapters[race->chapter]);
    else
        snprintf(shelf, RACE_TITLE_SIZE, "%.*s", folder_length(race) - begin,
                 race->source + begin);
}

bool races_share_shelf(const struct race_entry *one,
                       const struct race_entry *other) {
    int length = folder_length(one);

    return length == folder_length(other) &&
           strncmp(one->source, other->source, (size_t)length) == 0;
}

static int in_order(const void *one, const void *other) {
    const struct race_entry *a = one, *b = other;

    if (races_is_documented(a) != races_is_documented(b))
        return races_is_documented(a) ? -1 : 1;
    if (a->chapter != b->chapter)
        return a->chapter - b->chapter;
    return a->place != b->place ? a->place - b->place
                                : strcmp(a->source, b->source);
}

// Is the number the one of its folder?
static bool read_first_line(struct race_entry *entry, const char *line) {
    int chapter = 0;

    if (!races_is_documented(entry))
        return sscanf(line, "// Race: %127[^\n]", entry->title) == 1;
    return sscanf(line, "// Race %d.%d: %127[^\n]", &chapter, &entry->place,
                  entry->title) == 3 &&
           chapter == entry->chapter;
}

static bool read_head(struct race_entry *entry) {
    char path[PATHS_SIZE], line[256];

    paths_join(path, entry->source);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool read = fgets(line, sizeof line, file) && read_first_line(entry, line);
    size_t length = strlen(entry->title);
    if (length > 0 && entry->title[length - 1] == '.')
        entry->title[length - 1] = '\0';
    fclose(file);
    return read;
}

// The sources of races whose names fit: all in chapters, and all in bugs/.
static void find_sources(glob_t *found, const char *names) {
    char pattern[PATHS_SIZE], relative[RACE_NAME_SIZE + 32];
    static const char *const folders[] = {"[0-9]*", "bugs/*"};

    memset(found, 0, sizeof *found);
    for (int i = 0; i < 2; i++) {
        snprintf(relative, sizeof relative, "scenarios/%s/%s.c", folders[i],
                 names);
        paths_join(pattern, relative);
        glob(pattern, i > 0 ? GLOB_APPEND : 0, NULL, found);
    }
}

static struct race_entry entry_of(const char *path) {
    struct race_entry entry = {.source = ""};
    const char *source = strstr(path, top), *next;
    const char *name = strrchr(path, '/') + 1;

    while ((next = strstr(source + 1, top)))
        source = next;
    if (strlen(name) - 2 >= RACE_NAME_SIZE ||
        strlen(source) >= RACE_SOURCE_SIZE)
        refuse("the name of %s is longer than %d letters", source,
               RACE_NAME_SIZE - 1);
    snprintf(entry.source, sizeof entry.source, "%s", source);
    snprintf(entry.name, sizeof entry.name, "%.*s", (int)strlen(name) - 2,
             name);
    entry.chapter = atoi(source + sizeof top - 1);
    if (!read_head(&entry))
        refuse("%s does not begin with '// Race%s: title'", source,
               entry.chapter ? " CHAPTER.PLACE" : "");
    return entry;
}

void races_list(struct race_list *list) {
    glob_t found;

    find_sources(&found, "*");
    list->entries = must_have(calloc(found.gl_pathc + 1,
                                     sizeof *list->entries));
    list->count = found.gl_pathc;
    for (size_t i = 0; i < list->count; i++)
        list->entries[i] = entry_of(found.gl_pathv[i]);
    globfree(&found);
    if (list->count == 0)
        refuse("there is no race in scenarios/");
    qsort(list->entries, list->count, sizeof *list->entries, in_order);
}

bool races_look_up(const char *name, struct race_entry *entry) {
    glob_t found;

    find_sources(&found, name);
    bool there = found.gl_pathc > 0;
    if (there)
        *entry = entry_of(found.gl_pathv[0]);
    globfree(&found);
    return there;
}

void races_title(const char *name, char title[RACE_TITLE_SIZE]) {
    struct race_entry entry = {.title = "a race"};

    races_look_up(name, &entry);
    snprintf(title, RACE_TITLE_SIZE, "%s", entry.title);
}

// Is this the beginning of a line of the head that is not part of the story?
static bool is_remark(const char *line) {
    return strncmp(line, "// Usually lost by:", 19) == 0 ||
           strncmp(line, "// Source", 9) == 0;
}

char *races_story(const char *name) {
    struct race_entry entry = {.source = ""};
    char path[PATHS_SIZE], line[256], *story = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&story, &size));

    races_look_up(name, &entry);
    paths_join(path, entry.source);
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
    refuse("there is no race '%s': ./scenarios/list shows them all", name);
}
