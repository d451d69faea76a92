#include "colour.h"

#include <stdlib.h>
#include <unistd.h>

bool colour_wanted(FILE *out) {
    const char *no_color = getenv("NO_COLOR");
    return isatty(fileno(out)) && !(no_color && *no_color);
}

// Blue, orange, green, violet, olive; grey for all others.
const char *colour_of_client(const char *name) {
    static const char *const colours[] = {"38;5;32", "38;5;166", "38;5;29",
                                          "38;5;133", "38;5;100", "38;5;244"};

    return colours[*name >= 'A' && *name <= 'E' ? *name - 'A' : 5];
}
