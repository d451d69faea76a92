// The environment of this process.
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <stdbool.h>

// Takes out each variable for which is_unwanted() is true. It is given the
// variable as "NAME=value", and the argument.
void environment_drop(bool (*is_unwanted)(const char *variable,
                                          const void *argument),
                      const void *argument);

#endif
