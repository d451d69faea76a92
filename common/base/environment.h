// The environment of this process.
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <stdbool.h>

// A variable that is added to an environment. In an array of them the last has
// a NULL name.
struct variable {
    const char *name;
    const char *value;
};

// Takes out each variable for which is_unwanted() is true. It is given the
// variable as "NAME=value", and the argument.
void environment_drop(bool (*is_unwanted)(const char *variable,
                                          const void *argument),
                      const void *argument);

// A copy of it for another process, as execve() wants it: without the variables
// for which is_unwanted() is true (NULL: for none), and with these added. It is
// freed with environment_free() while ours is still the same.
char **environment_for(const struct variable *added,
                       bool (*is_unwanted)(const char *variable,
                                           const void *argument),
                       const void *argument);
void environment_free(char **copy, const struct variable *added);

#endif
