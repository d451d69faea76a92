#include "verdicts.h"

#include "base/paths.h"
#include "locks.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RUNGS = 32 };

// The verdicts on one race: the rungs that the table lists, those that hold,
// and those to which the race cannot happen.
struct verdict_row {
    bool listed[MAX_RUNGS];
    bool holds[MAX_RUNGS];
    bool cannot[MAX_RUNGS];
};

// A line that begins with "race" names the locks of the lines below it.
static bool read_row(const char *race, struct verdict_row *row) {
    char path[PATHS_SIZE], line[512];
    int rungs[MAX_LOCKS], count = 0;
    bool found = false;

    memset(row, 0, sizeof *row);
    paths_join(path, "common/catalogue/matrix.txt");
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        char *rest = NULL, *name = strtok_r(line, " \n", &rest);
        if (!name || *name == '#')
            continue;
        bool head = strcmp(name, "race") == 0;
        bool here = strcmp(name, race) == 0;
        count = head ? 0 : count;
        for (int i = 0; (name = strtok_r(NULL, " \n", &rest)); i++) {
            if (head && i < MAX_LOCKS)
                rungs[count++] = locks_is_stage(name) ? locks_number(name) : -1;
            if (!here || i >= count || rungs[i] < 0 || rungs[i] >= MAX_RUNGS)
                continue;
            row->listed[rungs[i]] = found = true;
            row->holds[rungs[i]] = strcmp(name, "holds") == 0;
            row->cannot[rungs[i]] = strcmp(name, "cannot") == 0;
        }
    }
    if (file)
        fclose(file);
    return found;
}

// The rung from which on the race cannot happen, not before `first`; MAX_RUNGS:
// it can happen to the last one.
static int end_of_race(const struct verdict_row *row, int first) {
    int end = MAX_RUNGS;

    for (int n = MAX_RUNGS - 1; n >= first; n--)
        if (row->listed[n] && !row->cannot[n])
            break;
        else if (row->listed[n])
            end = n;
    return end;
}

void verdicts_answer(const char *lock, const char *race,
                     char answer[ANSWER_SIZE]) {
    struct verdict_row row;
    int own = locks_number(lock);
    int first = locks_is_stage(lock) ? own + 1 : own;

    *answer = '\0';
    if (own < 0 || own >= MAX_RUNGS || !read_row(race, &row))
        return;
    for (int n = first; n < MAX_RUNGS; n++) {
        if (!row.holds[n])
            continue;
        if (n == own)
            snprintf(answer, ANSWER_SIZE, "Stage %d answers this: make diff "
                     "LOCK=%s", n, lock);
        else if (n == own + 1 && locks_is_stage(lock))
            snprintf(answer, ANSWER_SIZE, "Stage %d answers this: make diff "
                     "N=%d", n, n);
        else
            snprintf(answer, ANSWER_SIZE, "Stage %d answers this: ./scenarios/"
                     "%s --stage %d", n, race, n);
        return;
    }
    int end = end_of_race(&row, first);
    if (end < MAX_RUNGS)
        snprintf(answer, ANSWER_SIZE, "From stage %d on this cannot happen: "
                 "./scenarios/%s --stage %d", end, race, end);
    else if (locks_is_stage(lock) && own > 0 && row.holds[own - 1])
        snprintf(answer, ANSWER_SIZE, "No later stage answers this. Stage %d "
                 "still holds: make diff N=%d", own - 1, own);
    else
        snprintf(answer, ANSWER_SIZE, "No later stage answers this.");
}
