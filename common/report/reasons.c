#include "reasons.h"

#include "base/fail.h"
#include "base/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void reasons_add(struct reasons *reasons, size_t cell, const char *text) {
    for (size_t i = 0; i < reasons->count; i++) {
        struct reason *reason = &reasons->entries[i];
        if (strcmp(reason->text, text) == 0) {
            reason->first = cell < reason->first ? cell : reason->first;
            reason->count++;
            return;
        }
    }
    reasons->entries = list_grow(reasons->entries, reasons->count,
                                 sizeof *reasons->entries);
    reasons->entries[reasons->count++] = (struct reason){
        .text = must_have(strdup(text)), .first = cell, .count = 1};
}

static int by_first_cell(const void *one, const void *other) {
    size_t a = ((const struct reason *)one)->first;
    size_t b = ((const struct reason *)other)->first;
    return (a > b) - (a < b);
}

void reasons_print(struct reasons *reasons, const struct verdict_table *table) {
    size_t columns = table->locks.count;

    if (reasons->count > 0)
        qsort(reasons->entries, reasons->count, sizeof *reasons->entries,
              by_first_cell);
    for (size_t i = 0; i < reasons->count; i++) {
        const struct reason *reason = &reasons->entries[i];
        fprintf(stderr, "%s: %s on %s", program_invocation_short_name,
                table->rows[reason->first / columns]->name,
                table->locks.names[reason->first % columns]);
        if (reason->count > 1)
            fprintf(stderr, " (and %zu more)", reason->count - 1);
        fprintf(stderr, " was not run: %s\n", reason->text);
    }
}

bool reasons_take(char reason[REASON_SIZE], char *errors, const char *race) {
    size_t length = strlen(race);

    for (char *line = errors, *next; *line; line = next) {
        size_t whole = strcspn(line, "\n");
        next = line + whole + (line[whole] == '\n');
        if (strncmp(line, race, length) != 0 ||
            strncmp(line + length, ": ", 2) != 0)
            continue;
        snprintf(reason, REASON_SIZE, "%.*s", (int)(whole - length - 2),
                 line + length + 2);
        memmove(line, next, strlen(next) + 1);
        return true;
    }
    return false;
}
