#include "verdict_tests.h"

#include <stdbool.h>
#include <stdio.h>

static bool is_failure(enum cell cell) {
    return cell == BROKEN || cell == INCONCLUSIVE;
}

static size_t count_in(const struct verdict_table *table, size_t column,
                       bool (*counts)(enum cell cell)) {
    size_t count = 0;

    for (size_t r = 0; r < table->row_count; r++)
        count += counts(verdict_table_cell(table, r, column)->verdict);
    return count;
}

static bool is_error(enum cell cell) {
    return cell == NOT_RUN;
}

static bool is_skipped(enum cell cell) {
    return cell == CANNOT;
}

// The names of races and locks have no character that XML or TAP would take
// for its own.
static void print_case(const char *race, const char *lock,
                       const struct verdict_cell *said) {
    enum cell cell = said->verdict;

    printf("    <testcase name=\"%s\" classname=\"%s\"", race, lock);
    switch (cell) {
    case HOLDS:
        printf("/>\n");
        return;
    case CANNOT:
        printf(">\n      <skipped/>\n");
        break;
    case NOT_RUN:
        printf(">\n      <error message=\"this cell was not run\"/>\n");
        break;
    case BROKEN:
    case INCONCLUSIVE:
        printf(">\n      <failure type=\"%s\" message=\"./scenarios/%s "
               "--stage %s\"/>\n",
               cell == BROKEN ? property_word(said->lost) : "inconclusive",
               race, lock);
        break;
    }
    printf("    </testcase>\n");
}

void verdict_tests_print_junit(const struct verdict_table *table) {
    printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<testsuites name=\"matrix\">\n");
    for (size_t c = 0; c < table->locks.count; c++) {
        const char *lock = table->locks.names[c];
        printf("  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" "
               "errors=\"%zu\" skipped=\"%zu\">\n",
               lock, table->row_count, count_in(table, c, is_failure),
               count_in(table, c, is_error), count_in(table, c, is_skipped));
        for (size_t r = 0; r < table->row_count; r++)
            print_case(table->rows[r]->name, lock,
                       verdict_table_cell(table, r, c));
        printf("  </testsuite>\n");
    }
    printf("</testsuites>\n");
}

static const char *tap_end(const struct verdict_cell *cell) {
    switch (cell->verdict) {
    case CANNOT:       return " # SKIP it cannot happen";
    case INCONCLUSIVE: return ": inconclusive";
    case NOT_RUN:      return ": not run";
    default:           return "";
    }
}

void verdict_tests_print_tap(const struct verdict_table *table) {
    size_t number = 0;

    printf("TAP version 13\n1..%zu\n", table->row_count * table->locks.count);
    for (size_t c = 0; c < table->locks.count; c++)
        for (size_t r = 0; r < table->row_count; r++) {
            const struct verdict_cell *cell = verdict_table_cell(table, r, c);
            bool bad = is_failure(cell->verdict) || is_error(cell->verdict);
            bool broken = cell->verdict == BROKEN;
            printf("%sok %zu - %s on %s%s%s%s\n", bad ? "not " : "", ++number,
                   table->rows[r]->name, table->locks.names[c],
                   broken ? ": loses " : "",
                   broken ? property_word(cell->lost) : "", tap_end(cell));
        }
}
