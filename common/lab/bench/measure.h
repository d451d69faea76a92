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

// With two decimals below ten, and with one above.
void line(const char *what, double value, const char *unit);

// Prints a whole number.
void count_line(const char *what, double count);

#endif
