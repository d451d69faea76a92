// The program behind explore, assumptions, play and bench: make links these
// names in scenarios/ to it.
#include "base/arguments.h"
#include "lab.h"

#include <string.h>

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
} tools[] = {
    {"assumptions", assumptions_main},
    {"bench", bench_main},
    {"explore", explore_main},
    {"play", play_main},
};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (strcmp(program_invocation_short_name, tools[i].name) == 0)
            return tools[i].main(argc, argv);
    refuse("this program is explore, assumptions, play or bench, by its name");
}
