#include "colour.h"

#include <stdlib.h>
#include <unistd.h>

bool colour_wanted(FILE *out) {
    const char *no_color = getenv("NO_COLOR");
    return isatty(fileno(out)) && !(no_color && *no_color);
}
