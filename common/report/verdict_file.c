#include "verdict_file.h"

#include "base/arguments.h"
#include "base/fail.h"
#include "base/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t count_tabs(const char *text) {
    size_t count = 0;

    for (; *text; text++)
        count += *text == '\t';
    return count;
}

static void add_row(struct verdict_file *file, char *line, int number,
                    const struct verdict_table *table) {
    char *cells = strchr(line, '\t');

    if (!cells || count_tabs(line) != table->locks.count)
        refuse("%s:%d: a race and %zu verdicts with a tab before each should "
               "stand here: --format tsv prints such a table", file->path,
               number, table->locks.count);
    *cells++ = '\0';
    if (verdict_file_row(file, line))
        refuse("%s:%d: there is a row for %s already", file->path, number,
               line);
    file->rows = list_grow(file->rows, file->count, sizeof *file->rows);
    file->rows[file->count++] =
        (struct verdict_file_row){line, cells};
}

void verdict_file_read(struct verdict_file *file, const char *path,
                       const struct verdict_table *table) {
    FILE *in = fopen(path, "r");
    char *head = verdict_table_head(table), *line = NULL;
    size_t size = 0;
    ssize_t length;

    file->path = path;
    if (!in)
        refuse("cannot read %s: %s", path, strerror(errno));
    for (int number = 1; (length = getline(&line, &size, in)) > 0 &&
                         line[length - 1] == '\n'; number++) {
        line[length - 1] = '\0';
        if (number > 1)
            add_row(file, must_have(strdup(line)), number, table);
        else if (strcmp(line, head) != 0)
            refuse("%s:1: '%.60s' should stand here: --format tsv prints such "
                   "a table of the same locks", path, head);
    }
    if (ferror(in))
        refuse("cannot read %s: %s", path, strerror(errno));
    fclose(in);
    free(line);
    free(head);
}

const struct verdict_file_row *verdict_file_row(const struct verdict_file *file,
                                                const char *race) {
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->rows[i].race, race) == 0)
            return &file->rows[i];
    return NULL;
}

// Compares cell by cell; both rows have as many.
static size_t compare_row(const struct verdict_table *table, const char *race,
                          const char *expected, const char *came) {
    size_t differ = 0;

    for (size_t c = 0; c < table->locks.count; c++) {
        size_t there = strcspn(expected, "\t"), here = strcspn(came, "\t");
        if (there != here || memcmp(expected, came, here) != 0) {
            fprintf(stderr, "%s on %s: %.*s; expected: %.*s\n", race,
                    table->locks.names[c], (int)here, came, (int)there,
                    expected);
            differ++;
        }
        expected += there + 1;
        came += here + 1;
    }
    return differ;
}

size_t verdict_file_compare(const struct verdict_file *file,
                            const struct verdict_table *table) {
    size_t differ = 0;

    for (size_t r = 0; r < table->row_count; r++) {
        const char *race = table->rows[r]->name;
        const struct verdict_file_row *row = verdict_file_row(file, race);
        if (!row)
            fail("%s has no row for %s", file->path, race);
        char *came = verdict_table_cells(table, r);
        differ += compare_row(table, race, row->cells, came);
        free(came);
    }
    return differ;
}
