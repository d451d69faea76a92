#include "measure.h"

#include "base/arguments.h"
#include "machine/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

double now_us(void) {
    return (double)real_ns() / 1e3;
}

static int by_size(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

void line(double value, const char *unit, const char *format, ...) {
    char what[128];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    printf("%-52s %9.*f %s\n", what, value < 10 ? 2 : 1, value, unit);
    finish_output();
}

void count_line(const char *what, double count) {
    printf("%-52s %9.0f\n", what, count);
    finish_output();
}
