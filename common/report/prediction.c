#include "prediction.h"

#include "base/arguments.h"
#include "base/list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const words[] = {
    [NOT_RUN] = "?",      [HOLDS] = "holds",
    [BROKEN] = "broken",  [CANNOT] = "cannot",
    [INCONCLUSIVE] = "inconclusive",
};
static const char *const sentences[] = { // behind "it"
    [HOLDS] = "holds",
    [BROKEN] = "is broken",
    [CANNOT] = "cannot happen",
    [INCONCLUSIVE] = "is inconclusive",
};

// --- blank -------------------------------------------------------------------

enum { GAP = 2 };

static int widest_race(const struct verdict_table *table) {
    int widest = (int)strlen("race");

    for (size_t r = 0; r < table->row_count; r++)
        if ((int)strlen(table->rows[r]->name) > widest)
            widest = (int)strlen(table->rows[r]->name);
    return widest;
}

void prediction_print_blank(const struct verdict_table *table) {
    int first = widest_race(table);
    char name[LOCK_NAME_SIZE];

    puts("# Say holds, broken or cannot (happen) in place of each ?, and then:\n"
         "#     ./scenarios/matrix --check FILE");
    printf("%-*s", first, "race");
    for (size_t c = 0; c < table->locks.count; c++) {
        locks_short_name(table->locks.names[c], name);
        printf("%*s%s", GAP, "", name);
    }
    putchar('\n');
    for (size_t r = 0; r < table->row_count; r++) {
        printf("%-*s", first, table->rows[r]->name);
        for (size_t c = 0; c < table->locks.count; c++) {
            bool last = c + 1 == table->locks.count;
            locks_short_name(table->locks.names[c], name);
            printf("%*s%-*s", GAP, "", last ? 0 : (int)strlen(name), "?");
        }
        putchar('\n');
    }
}

// --- reading -----------------------------------------------------------------

struct answer_reader {
    const char *file;
    int line;
    const struct race_list *races;
    struct verdict_table *table;
};

static void read_head(const struct answer_reader *reader, char *rest) {
    struct lock_list *locks = &reader->table->locks;
    char *word;

    while ((word = strtok_r(NULL, " \t", &rest))) {
        if (!locks_known(word))
            refuse("%s:%d: there is no lock '%s'", reader->file, reader->line,
                   word);
        locks_add(locks, word);
    }
    if (locks->count == 0)
        refuse("%s:%d: behind 'race' stand the locks: race stage4 stage5",
               reader->file, reader->line);
}

static const struct race_entry *find_race(const struct answer_reader *reader,
                                          const char *name) {
    for (size_t r = 0; r < reader->table->row_count; r++)
        if (strcmp(reader->table->rows[r]->name, name) == 0)
            refuse("%s:%d: the race '%s' stands here twice", reader->file,
                   reader->line, name);
    for (size_t i = 0; i < reader->races->count; i++)
        if (strcmp(reader->races->entries[i].name, name) == 0)
            return races_find(reader->races, name);
    refuse("%s:%d: there is no race '%s'", reader->file, reader->line, name);
}

static enum cell read_cell(const struct answer_reader *reader,
                           const char *word) {
    if (strcmp(word, "-") == 0)
        return CANNOT;
    for (enum cell cell = NOT_RUN; cell <= CANNOT; cell++)
        if (strcasecmp(word, words[cell]) == 0)
            return cell;
    refuse("%s:%d: '%s' is no verdict: say holds, broken, cannot or ?",
           reader->file, reader->line, word);
}

static void read_row(const struct answer_reader *reader, const char *name,
                     char *rest) {
    struct verdict_table *table = reader->table;
    size_t count = 0, cells = table->row_count * table->locks.count;
    char *word;

    verdict_table_add_row(table, find_race(reader, name));
    for (; (word = strtok_r(NULL, " \t", &rest)); count++) {
        enum cell cell = read_cell(reader, word);
        if (count == table->locks.count)
            continue;
        table->cells = list_grow(table->cells, cells, sizeof *table->cells);
        table->cells[cells++] = (struct verdict_cell){.verdict = cell};
    }
    if (count != table->locks.count)
        refuse("%s:%d: %zu verdicts stand here, for %zu locks", reader->file,
               reader->line, count, table->locks.count);
}

static void read_line(const struct answer_reader *reader, char *line) {
    char *rest = NULL, *word = strtok_r(line, " \t", &rest);

    if (!word || *word == '#')
        return;
    bool head = strcmp(word, "race") == 0;
    if (reader->table->locks.count == 0 && !head)
        refuse("%s:%d: the first line begins with 'race' and names the locks; "
               "--blank prints such a table", reader->file, reader->line);
    if (reader->table->locks.count > 0 && head)
        refuse("%s:%d: a second line that begins with 'race'", reader->file,
               reader->line);
    if (head)
        read_head(reader, rest);
    else
        read_row(reader, word, rest);
}

void prediction_read(const char *file, const struct race_list *races,
                     struct verdict_table *table) {
    struct answer_reader reader = {.file = file, .races = races,
                                   .table = table};
    FILE *in = fopen(file, "r");
    char *line = NULL;
    size_t size = 0;
    ssize_t length;

    if (!in)
        refuse("cannot read %s: %s", file, strerror(errno));
    for (errno = 0; (length = getline(&line, &size, in)) > 0; errno = 0) {
        reader.line++;
        if (strlen(line) != (size_t)length)
            refuse("%s:%d: a zero byte", file, reader.line);
        line[strcspn(line, "\r\n")] = '\0';
        read_line(&reader, line);
    }
    if (ferror(in))
        refuse("cannot read %s: %s", file, strerror(errno));
    free(line);
    fclose(in);
    if (table->row_count == 0)
        refuse("%s has no row: --blank prints a table to fill in", file);
}

// --- the score ---------------------------------------------------------------

static void print_wrong(const struct verdict_table *said,
                        const struct verdict_table *came, size_t r, size_t c) {
    char name[LOCK_NAME_SIZE];

    locks_short_name(said->locks.names[c], name);
    printf("you said %-6s  it %-15s  ./scenarios/%s --stage %s\n",
           words[verdict_table_cell(said, r, c)->verdict],
           sentences[verdict_table_cell(came, r, c)->verdict],
           said->rows[r]->name, name);
}

void prediction_print_score(const struct verdict_table *said,
                            const struct verdict_table *came) {
    size_t right = 0, wrong = 0, open = 0;

    for (size_t r = 0; r < said->row_count; r++)
        for (size_t c = 0; c < said->locks.count; c++) {
            enum cell own = verdict_table_cell(said, r, c)->verdict;
            enum cell true_one = verdict_table_cell(came, r, c)->verdict;
            open += own == NOT_RUN;
            right += own != NOT_RUN && own == true_one;
            if (own != NOT_RUN && true_one != NOT_RUN && own != true_one &&
                ++wrong > 0)
                print_wrong(said, came, r, c);
        }
    printf("%s%zu of %zu right", wrong > 0 ? "\n" : "", right, right + wrong);
    if (open > 0)
        printf("; %zu not said", open);
    putchar('\n');
}
