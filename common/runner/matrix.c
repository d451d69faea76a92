// ./scenarios/matrix: many races against many locks, as a table. As many cells
// run at once as there are cores. No cell that has failed is run again.
#include "matrix.h"
#include "tools.h"

#include "base/fail.h"
#include "stories.h"
#include "machine/cores.h"
#include "race/cells.h"
#include "race/print.h"
#include "race/race_run.h"
#include "report/prediction.h"
#include "report/reasons.h"
#include "report/verdict_tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLACES_IN_REAL_TIME = 4 }; // there workers mostly wait

static struct matrix matrix;
static struct reasons reasons; // why cells could not be run

// The rows that are run.
static struct {
    const struct race_entry **races;
    size_t *rows;
    size_t count;
} run;

static enum cell cell_for(enum verdict verdict) {
    switch (verdict) {
    case VERDICT_HOLDS:         return HOLDS;
    case VERDICT_BROKEN:        return BROKEN;
    case VERDICT_CANNOT_HAPPEN: return CANNOT;
    default:                    return INCONCLUSIVE;
    }
}

static int note_verdict(struct race *race, size_t number, size_t column,
                        void *argument) {
    struct verdict_cell *cell =
        verdict_table_cell(&matrix.table, run.rows[number], column);

    (void)argument;
    cell->verdict = cell_for(race->judge.verdict);
    cell->lost = race->judge.lost.property;
    cell->only_told = race->judge.found == 1u << PROPERTY_TOLD;
    cell->crashed = race->judge.crashed;
    if (matrix.table.has_digests)
        cell->digest = race_digest(race);
    cell->done = true;
    if (matrix.documents)
        race_write(race, matrix.documents);
    return EXIT_SUCCESS;
}

static void note_reason(size_t number, size_t column, const char *reason,
                        void *argument) {
    size_t row = run.rows[number];

    (void)argument;
    struct verdict_cell *cell = verdict_table_cell(&matrix.table, row, column);

    cell->verdict = NOT_RUN;
    cell->reason = must_have(strdup(reason));
    cell->done = true;
    reasons_add(&reasons, row * matrix.table.locks.count + column, reason);
}

static void show_progress(size_t done, size_t all) {
    static size_t shown;

    if (matrix.options.format == FORMAT_TSV)
        verdict_table_print_tsv(&matrix.table);
    if (!isatty(STDERR_FILENO) || done == shown)
        return;
    shown = done;
    fprintf(stderr, "\r%zu of %zu", done, all);
}

static void wipe_progress(void) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%*s\r", 24, "");
}

static void list_rows(void) {
    size_t count = matrix.table.row_count;

    run.races = must_have(calloc(count + 1, sizeof *run.races));
    run.rows = must_have(calloc(count + 1, sizeof *run.rows));
    for (size_t r = 0; r < count; r++)
        if (!verdict_table_keeps(&matrix.table, r)) {
            run.races[run.count] = matrix.table.rows[r];
            run.rows[run.count++] = r;
        }
}

// A guest that is copied serves all races: it must not hear of any.
static const char *const *name_races(void) {
    const char **names = must_have(calloc(run.count + 1, sizeof *names));

    for (size_t i = 0; i < run.count; i++)
        names[i] = run.races[i]->name;
    return names;
}

static void run_cells(void) {
    list_rows();
    matrix.options.races = name_races();
    matrix.options.judged_only = !matrix.table.has_digests && !matrix.documents;
    const struct cells cells = {
        .races = run.races,
        .race_count = run.count,
        .options = &matrix.options,
        .places = matrix.options.real ? PLACES_IN_REAL_TIME : core_count(),
        .captured = true,
        .conclude = note_verdict,
        .miss = note_reason,
        .progress = show_progress,
    };
    cells_run(&cells);
    wipe_progress();
}

// With a word on the shelves that are not there.
static void print_for_reader(void) {
    verdict_table_print_text(&matrix.table);
    if (matrix.left_out == 0 || matrix.bugs)
        return;
    if (matrix.course) {
        printf("\n%zu more documented races: ./scenarios/matrix\n",
               matrix.left_out);
        return;
    }
    printf("\n%zu checks for a lock of your own stand in scenarios/bugs: "
           "./scenarios/matrix --bugs\n", matrix.left_out);
    if (matrix.in_course > 0)
        printf("Begin with the %zu races of the course: ./scenarios/matrix "
               "--course\n", matrix.in_course);
}

static void print_table(void) {
    if (matrix.check)
        prediction_print_score(&matrix.said, &matrix.table);
    else if (matrix.options.format == FORMAT_TSV)
        verdict_table_print_tsv(&matrix.table);
    else if (matrix.options.format == FORMAT_JSON)
        verdict_table_print_json(&matrix.table);
    else if (matrix.options.format == FORMAT_JUNIT)
        verdict_tests_print_junit(&matrix.table);
    else if (matrix.options.format == FORMAT_TAP)
        verdict_tests_print_tap(&matrix.table);
    else
        print_for_reader();
}

static bool differs_from_expected(void) {
    size_t cells = matrix.table.row_count * matrix.table.locks.count;
    size_t differ = verdict_file_compare(&matrix.expected, &matrix.table);

    fprintf(stderr, "%zu of %zu cells are as %s has them\n", cells - differ,
            cells, matrix.expect);
    return differ > 0;
}

static void list_races(void) {
    races_list(&matrix.races);
    for (size_t i = 0; i < matrix.races.count; i++) {
        struct race_entry *race = &matrix.races.entries[i];
        race->story = stories_find(race->name);
        if (!race->story)
            refuse("%s is not in the program yet: run make", race->source);
    }
}

int matrix_main(int argc, char **argv) {
    arguments_hide(argc, argv);
    list_races();
    matrix_parse(&matrix, argc, argv);
    if (matrix.blank) {
        prediction_print_blank(&matrix.table);
        finish_output();
        return EXIT_SUCCESS;
    }
    run_cells();
    print_table();
    finish_output();
    reasons_print(&reasons, &matrix.table);
    bool differs = matrix.expect && differs_from_expected();
    return reasons.count > 0 ? EXIT_WRONG_USE
           : differs         ? EXIT_FAILURE
                             : EXIT_SUCCESS;
}
