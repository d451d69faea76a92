#include "locks.h"

#include "base/arguments.h"
#include "world/choice.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool locks_is_stage(const char *name) {
    return strncmp(name, "stage", 5) == 0 && isdigit((unsigned char)name[5]);
}

bool locks_is_detour(const char *name) {
    return strncmp(name, "detour_", 7) == 0;
}

bool locks_is_road(const char *name) {
    return strncmp(name, "road_", 5) == 0;
}

bool locks_is_mine(const char *name) {
    return strncmp(name, "my_", 3) == 0;
}

void locks_short_name(const char *name, char brief[LOCK_NAME_SIZE]) {
    size_t length = locks_is_stage(name) ? strcspn(name, "_") : strlen(name);
    snprintf(brief, LOCK_NAME_SIZE, "%.*s", (int)length, name);
}

static int stage_number(const char *name) {
    return locks_is_stage(name) ? atoi(name + 5) : -1;
}

static int family(const char *name) {
    return locks_is_stage(name)    ? 0
           : locks_is_detour(name) ? 1
           : locks_is_road(name)   ? 2
                                   : 3;
}

static int in_order(const void *one, const void *other) {
    const char *a = one, *b = other;

    if (family(a) != family(b))
        return family(a) - family(b);
    if (stage_number(a) != stage_number(b))
        return stage_number(a) - stage_number(b);
    return strcmp(a, b);
}

enum { SOURCE_SIZE = LOCK_NAME_SIZE + 32 };

// The lock's source, relative to the top: "stages/detours/NAME/lock.c".
static void find_source(const char *name, char source[SOURCE_SIZE]) {
    snprintf(source, SOURCE_SIZE, "stages/%s%.*s/lock.c",
             locks_is_detour(name) ? "detours/"
             : locks_is_road(name) ? "roads/"
                                   : "",
             LOCK_NAME_SIZE - 1, name);
}

// Has the lock a source in this tree? A lock that was removed may still be
// there as a program.
static bool has_source(const char *name) {
    char path[PATHS_SIZE], source[SOURCE_SIZE];

    find_source(name, source);
    paths_join(path, source);
    return access(path, F_OK) == 0;
}

static void add_folder(struct lock_list *list, const char *folder) {
    char path[PATHS_SIZE];
    struct dirent *entry;

    paths_join(path, folder);
    DIR *open = opendir(path);
    if (!open)
        return;
    while ((entry = readdir(open))) {
        if (strchr(entry->d_name, '.') || !has_source(entry->d_name))
            continue;
        if (list->count == MAX_LOCKS)
            refuse("more than %d locks are in %s", MAX_LOCKS, path);
        if (strlen(entry->d_name) >= LOCK_NAME_SIZE)
            refuse("the name of %s/%s is longer than %d letters", path,
                   entry->d_name, LOCK_NAME_SIZE - 1);
        strcpy(list->names[list->count++], entry->d_name);
    }
    closedir(open);
    qsort(list->names, list->count, LOCK_NAME_SIZE, in_order);
}

static void list_clients(struct lock_list *list) {
    list->count = 0;
    add_folder(list, "build/clients");
}

static void list_sources(struct lock_list *list) {
    list->count = 0;
    add_folder(list, "stages");
    add_folder(list, "stages/detours");
    add_folder(list, "stages/roads");
}

// Those of a list that are not a student's own, and that Redis holds, or else
// this engine (NULL: any other).
static void keep(struct lock_list *list, bool elsewhere, const char *engine) {
    char said[LOCK_NAME_SIZE];
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->names[i];
        bool there = locks_engine(name, said);
        if (!locks_is_mine(name) && there == elsewhere &&
            (!there || !engine || strcmp(said, engine) == 0))
            memmove(list->names[kept++], name, LOCK_NAME_SIZE);
    }
    list->count = kept;
}

void locks_elsewhere(struct lock_list *list, const char *engine) {
    if (engine)
        list_clients(list);
    else
        list_sources(list);
    keep(list, true, engine);
}

void locks_roads(struct lock_list *list) {
    size_t kept = 0;

    list_sources(list);
    for (size_t i = 0; i < list->count; i++)
        if (locks_is_road(list->names[i]))
            memmove(list->names[kept++], list->names[i], LOCK_NAME_SIZE);
    list->count = kept;
}

void locks_built(struct lock_list *list) {
    list_clients(list);
    keep(list, false, NULL);
    if (list->count == 0)
        refuse("no lock is built yet: run make");
}

void locks_client(const char *name, char path[PATHS_SIZE]) {
    char relative[LOCK_NAME_SIZE + 16];
    snprintf(relative, sizeof relative, "build/clients/%s", name);
    paths_join(path, relative);
}

// "4", "stage4" and the whole name mean the same; "stage" alone means nothing.
static bool means(const char *word, const char *name) {
    size_t length = strlen(word);

    if (isdigit((unsigned char)*word)) {
        name += locks_is_stage(name) ? 5 : 0;
    }
    if (strcmp(word, name) == 0)
        return true;
    return length > 0 && isdigit((unsigned char)word[length - 1]) &&
           strncmp(word, name, length) == 0 && name[length] == '_';
}

bool locks_known(const char *word) {
    struct lock_list all;

    list_sources(&all);
    for (size_t i = 0; i < all.count; i++)
        if (means(word, all.names[i]))
            return true;
    return false;
}

bool locks_is_built(const char *name) {
    char path[PATHS_SIZE];

    locks_client(name, path);
    return access(path, X_OK) == 0;
}

void locks_find(const char *word, char name[LOCK_NAME_SIZE]) {
    struct lock_list all;
    char goal[LOCK_NAME_SIZE], engine[LOCK_NAME_SIZE];

    list_sources(&all);
    for (size_t i = 0; i < all.count; i++) {
        if (!means(word, all.names[i]))
            continue;
        snprintf(name, LOCK_NAME_SIZE, "%s", all.names[i]);
        locks_short_name(name, goal);
        if (locks_is_built(name))
            return;
        if (locks_engine(name, engine))
            refuse("%s is not built: make roads installs %s, and builds it",
                   name, engine);
        refuse("%s is not built: run make %s", name, goal);
    }
    if (all.count == 0)
        refuse("there is no lock in stages/");
    refuse("there is no lock '%s': say a number or a name from %s to %s", word,
           all.names[0], all.names[all.count - 1]);
}

static const char both[] = "--stage names the locks: no --all with it";

void locks_add(struct lock_list *list, const char *word) {
    if (list->all)
        refuse("%s", both);
    if (list->count == MAX_LOCKS)
        refuse("more than %d locks are named", MAX_LOCKS);
    locks_find(word, list->names[list->count]);
    list->count++;
}

void locks_add_all(struct lock_list *list) {
    if (list->count > 0 && !list->all)
        refuse("%s", both);
    list->count = 0;
    list->all = true;
    locks_built(list);
}

void locks_current(char name[LOCK_NAME_SIZE]) {
    char path[PATHS_SIZE], word[LOCK_NAME_SIZE] = "";

    paths_join(path, "build/current");
    FILE *file = fopen(path, "r");
    if (file) {
        if (!fgets(word, sizeof word, file))
            word[0] = '\0';
        fclose(file);
    }
    word[strcspn(word, "\n")] = '\0';
    if (!*word)
        refuse("which lock? make one (make stage3), or name one (--stage 3)");
    locks_find(word, name);
}

// Its lock.c; NULL if there is none.
static FILE *open_source(const char *name) {
    char source[SOURCE_SIZE], path[PATHS_SIZE];

    find_source(name, source);
    paths_join(path, source);
    return fopen(path, "r");
}

// Finds the line of its head that begins with this word, and copies what stands
// behind it. False if there is none.
static bool find_in_head(const char *name, const char *word, char *rest,
                         size_t size) {
    char line[256];
    bool found = false;
    FILE *file = open_source(name);

    while (file && !found && fgets(line, sizeof line, file) &&
           strncmp(line, "//", 2) == 0)
        found = strncmp(line, word, strlen(word)) == 0;
    if (file)
        fclose(file);
    if (found)
        snprintf(rest, size, "%s", line + strlen(word));
    return found;
}

bool locks_is_local(const char *name) {
    char rest[256];
    return find_in_head(name, "// Local: ", rest, sizeof rest);
}

int locks_masters(const char *name) {
    char rest[256];

    if (!find_in_head(name, "// Masters: ", rest, sizeof rest))
        return 1;
    int masters = atoi(rest);
    if (masters < 1 || masters > MAX_MASTERS)
        refuse("the head of %s wants %d masters: 1 to %d can be had", name,
               masters, MAX_MASTERS);
    return masters;
}

bool locks_engine(const char *name, char engine[LOCK_NAME_SIZE]) {
    bool said = find_in_head(name, "// Engine: ", engine, LOCK_NAME_SIZE);

    if (said)
        engine[strcspn(engine, " .\n")] = '\0';
    return said;
}

void locks_title(const char *name, char *title, size_t size) {
    char line[256] = "";
    FILE *file = open_source(name);

    if (file && !fgets(line, sizeof line, file))
        *line = '\0';
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    snprintf(title, size, "%s", strncmp(line, "// ", 3) == 0 ? line + 3 : line);
}

int locks_number(const char *name) {
    char title[128];
    int number = stage_number(name);

    if (!locks_is_detour(name))
        return number;
    locks_title(name, title, sizeof title);
    return sscanf(title, "Detour from stage %d", &number) == 1 ? number : -1;
}
