#include "family.h"

#include "base/hash.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHILDREN_TEXT = 1024, STATUS_TEXT = 4096 };

// Reads a small file of a thread. False: it is empty, or the thread has ended.
static bool read_file(int tasks, const char *thread, const char *name,
                      char *text, size_t size) {
    char path[64];

    snprintf(path, sizeof path, "%.20s/%s", thread, name);
    int file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, size - 1) : 0;
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

// 'R' and 'D' are at work; a thread that has just ended may have woken another.
static bool thread_sleeps(int tasks, const char *thread, uint64_t *mark) {
    char text[STATUS_TEXT];

    if (!read_file(tasks, thread, "status", text, sizeof text))
        return false;
    const char *state = strstr(text, "\nState:");
    const char *switches = strstr(text, "\nvoluntary_ctxt_switches:");
    if (!state || !switches)
        return false;
    *mark = hash_with(*mark, hash_of(thread));
    *mark = hash_with(*mark, hash_of(switches));
    return !strchr("RD", state[strspn(state + 7, " \t") + 7]);
}

static bool all_sleep(pid_t process, bool itself, uint64_t *mark);

// Do the processes sleep that this thread has started?
static bool children_sleep(int tasks, const char *thread, uint64_t *mark) {
    char text[CHILDREN_TEXT];
    bool all = true;

    read_file(tasks, thread, "children", text, sizeof text);
    for (char *at = text, *end; all; at = end) {
        long child = strtol(at, &end, 10);
        if (end == at)
            break;
        all = all_sleep((pid_t)child, true, mark);
    }
    return all;
}

static bool all_sleep(pid_t process, bool itself, uint64_t *mark) {
    char path[64];
    struct dirent *entry;
    bool all = true;

    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *folder = opendir(path);
    while (all && folder && (entry = readdir(folder)))
        if (isdigit((unsigned char)entry->d_name[0]))
            all = (!itself || thread_sleeps(dirfd(folder), entry->d_name,
                                            mark)) &&
                  children_sleep(dirfd(folder), entry->d_name, mark);
    if (folder)
        closedir(folder);
    return all;
}

bool family_sleeps(pid_t process, uint64_t *mark) {
    *mark = 0;
    return all_sleep(process, false, mark);
}
