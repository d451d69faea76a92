#include "locks.h"

#include "arguments.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_stage(const char *name) {
    return strncmp(name, "stage", 5) == 0 && isdigit((unsigned char)name[5]);
}

static int stage_number(const char *name) {
    return is_stage(name) ? atoi(name + 5) : -1;
}

static int family(const char *name) {
    return is_stage(name) ? 0 : strncmp(name, "detour_", 7) == 0 ? 1 : 2;
}

static int in_order(const void *one, const void *other) {
    const char *a = one, *b = other;

    if (family(a) != family(b))
        return family(a) - family(b);
    if (stage_number(a) != stage_number(b))
        return stage_number(a) - stage_number(b);
    return strcmp(a, b);
}

static void list_folder(struct lock_list *list, const char *folder) {
    char path[PATHS_SIZE];
    struct dirent *entry;

    list->count = 0;
    paths_join(path, folder);
    DIR *open = opendir(path);
    if (!open)
        return;
    while ((entry = readdir(open)) && list->count < MAX_LOCKS)
        if (entry->d_name[0] != '.' && !strchr(entry->d_name, '.'))
            snprintf(list->names[list->count++], LOCK_NAME_SIZE, "%.*s",
                     LOCK_NAME_SIZE - 1, entry->d_name);
    closedir(open);
    qsort(list->names, list->count, LOCK_NAME_SIZE, in_order);
}

void locks_built(struct lock_list *list) {
    list_folder(list, "build/clients");
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
        name += is_stage(name) ? 5 : 0;
    }
    if (strcmp(word, name) == 0)
        return true;
    return length > 0 && isdigit((unsigned char)word[length - 1]) &&
           strncmp(word, name, length) == 0 && name[length] == '_';
}

void locks_find(const char *word, char name[LOCK_NAME_SIZE]) {
    struct lock_list all;
    char client[PATHS_SIZE];

    list_folder(&all, "stages");
    for (size_t i = 0; i < all.count; i++) {
        if (!means(word, all.names[i]))
            continue;
        snprintf(name, LOCK_NAME_SIZE, "%s", all.names[i]);
        locks_client(name, client);
        if (access(client, X_OK) < 0)
            refuse("%s is not built: run make %s", name, name);
        return;
    }
    if (all.count == 0)
        refuse("there is no lock in stages/");
    refuse("there is no lock '%s': say a number or a name from %s to %s", word,
           all.names[0], all.names[all.count - 1]);
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

// --- heads -------------------------------------------------------------------

// Copies words with single spaces between them.
static void append_words(char *text, size_t size, const char *line) {
    size_t used = strlen(text);
    for (line += strspn(line, " "); *line && *line != '\n' && used + 2 < size;) {
        if (used > 0 && text[used - 1] != ' ')
            text[used++] = ' ';
        while (*line && *line != ' ' && *line != '\n' && used + 1 < size)
            text[used++] = *line++;
        line += strspn(line, " ");
        text[used] = '\0';
    }
}

// The head of a lock.c is its leading // lines. A sentence that begins with
// "Still open:" is followed by the commands that show it, set in by four
// spaces.
static bool still_open(const char *name, const char *race, char *text,
                       size_t size) {
    char relative[LOCK_NAME_SIZE + 16], path[PATHS_SIZE], line[256], command[128];
    bool open = false, listed = false, found = false;

    snprintf(relative, sizeof relative, "stages/%s/lock.c", name);
    paths_join(path, relative);
    snprintf(command, sizeof command, "//     ./scenarios/%s\n", race);
    *text = '\0';
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    while (!found && fgets(line, sizeof line, file) &&
           strncmp(line, "//", 2) == 0) {
        bool is_command = strncmp(line, "//     ./", 9) == 0;
        if (strncmp(line, "// Still open:", 14) == 0) {
            *text = '\0';
            open = true;
            listed = false;
            append_words(text, size, line + 14);
        } else if (is_command) {
            listed = true;
            found = open && strcmp(line, command) == 0;
        } else if (open && !listed) {
            append_words(text, size, line + 2);
        }
    }
    fclose(file);
    if (!found)
        *text = '\0';
    return found;
}

void locks_because(const char *name, const char *race, char *text, size_t size) {
    struct lock_list all;

    *text = '\0';
    list_folder(&all, "stages");
    for (size_t i = 0; i < all.count; i++) {
        bool itself = strcmp(all.names[i], name) == 0;
        bool later = is_stage(name) &&
                     stage_number(all.names[i]) > stage_number(name);
        if ((itself || later) && still_open(all.names[i], race, text, size))
            return;
    }
}

void locks_answer(const char *name, const char *race, char *text, size_t size) {
    struct lock_list all;
    char sentence[512];
    int last = -1, highest = -1;

    *text = '\0';
    list_folder(&all, "stages");
    for (size_t i = 0; i < all.count; i++) {
        int number = stage_number(all.names[i]);
        if (number > highest)
            highest = number;
        if (number >= stage_number(name) &&
            still_open(all.names[i], race, sentence, sizeof sentence))
            last = number;
    }
    if (last >= 0 && last < highest)
        snprintf(text, size, "Stage %d answers this: make diff N=%d", last + 1,
                 last + 1);
}
