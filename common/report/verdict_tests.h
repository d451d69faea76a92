// A table of verdicts as other programs read the results of tests: a test for
// each cell. It passes if the lock holds, fails if it is BROKEN or nothing can
// be said, and is skipped if the race cannot happen. A cell that was not run is
// an error. No times: the same table is the same bytes.
#ifndef VERDICT_TESTS_H
#define VERDICT_TESTS_H

#include "verdict_table.h"

// JUnit XML, as Jenkins and most build servers read it: a suite for each lock.
void verdict_tests_print_junit(const struct verdict_table *table);

// The Test Anything Protocol (testanything.org), version 13: Perl's prove takes
// 14 for an error, and readers of 14 read it as well.
void verdict_tests_print_tap(const struct verdict_table *table);

#endif
