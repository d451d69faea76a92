#include "environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void environment_drop(bool (*is_unwanted)(const char *variable,
                                          const void *argument),
                      const void *argument) {
    for (char **variable = environ; *variable;) {
        char name[256];
        size_t length = strcspn(*variable, "=");
        snprintf(name, sizeof name, "%.*s", (int)length, *variable);
        if (length >= sizeof name || !is_unwanted(*variable, argument) ||
            unsetenv(name) < 0)
            variable++;
        // else the next one stands in its place
    }
}
