// Times, and how they are printed.
#ifndef MEASURE_H
#define MEASURE_H

#include <stddef.h>

// A figure is the median of so many measurements, unless it says otherwise.
enum { BATCHES = 7 };

// Real time.
double now_us(void);

// Sorts the values.
double median(double *values, size_t count);

// Prints a value with its label: two decimals below ten, one above.
__attribute__((format(printf, 3, 4)))
void line(double value, const char *unit, const char *format, ...);

// Prints a whole number.
void count_line(const char *what, double count);

#endif
