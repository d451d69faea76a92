// ./scenarios/matrix: many races against many locks, as a table.
//
// A scenario program runs, for a few locks of one row at once, so that a cell
// of the table and what a student sees are the same thing. As many run at once
// as there are cores. No cell that has failed is run again.
#include "matrix/matrix.h"

#include "base/arguments.h"
#include "base/fail.h"
#include "catalogue/races.h"
#include "report/prediction.h"
#include "report/reasons.h"
#include "report/verdict_table.h"
#include "report/verdict_tests.h"

#include <stdlib.h>

int main(int argc, char **argv) {
    static struct matrix matrix;

    arguments_hide(argc, argv);
    races_list(&matrix.races);
    matrix_parse(&matrix, argc, argv);
    if (matrix.blank) {
        prediction_print_blank(&matrix.table);
        finish_output();
        return EXIT_SUCCESS;
    }
    matrix_run(&matrix);
    if (matrix.check)
        prediction_print_score(&matrix.said, &matrix.table);
    else if (matrix.format == FORMAT_TSV)
        verdict_table_print_tsv(&matrix.table);
    else if (matrix.format == FORMAT_JSON)
        verdict_table_print_json(&matrix.table);
    else if (matrix.format == FORMAT_JUNIT)
        verdict_tests_print_junit(&matrix.table);
    else if (matrix.format == FORMAT_TAP)
        verdict_tests_print_tap(&matrix.table);
    else
        verdict_table_print_text(&matrix.table);
    finish_output();
    reasons_print(&matrix.reasons, &matrix.table);
    return matrix.reasons.count > 0 ? EXIT_WRONG_USE : EXIT_SUCCESS;
}
