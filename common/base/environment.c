#include "environment.h"

#include "fail.h"

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

static bool names(const struct variable *added, const char *variable) {
    size_t length = strcspn(variable, "=");

    for (; added->name; added++)
        if (strlen(added->name) == length &&
            strncmp(added->name, variable, length) == 0)
            return true;
    return false;
}

// The added ones come first: environment_free() knows how many they are.
char **environment_for(const struct variable *added,
                       bool (*is_unwanted)(const char *variable,
                                           const void *argument),
                       const void *argument) {
    size_t most = 1, count = 0;

    for (const struct variable *one = added; one->name; one++)
        most++;
    for (char **variable = environ; *variable; variable++)
        most++;
    char **copy = must_have(calloc(most, sizeof *copy));
    for (const struct variable *one = added; one->name; one++)
        if (asprintf(&copy[count++], "%s=%s", one->name, one->value) < 0)
            fail("no memory is left");
    for (char **variable = environ; *variable; variable++)
        if (!names(added, *variable) &&
            !(is_unwanted && is_unwanted(*variable, argument)))
            copy[count++] = *variable;
    return copy;
}

void environment_free(char **copy, const struct variable *added) {
    for (size_t i = 0; added[i].name; i++)
        free(copy[i]);
    free(copy);
}
