// The program behind every race's name, and behind guest-check, list, matrix and
// replay: make links these names in scenarios/ to it.
#include "base/arguments.h"
#include "stories.h"
#include "race/race_main.h"
#include "tools.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *name = program_invocation_short_name;
    struct race_entry race = {0};

    if (strcmp(name, "guest-check") == 0)
        return guest_check_main(argc, argv);
    if (strcmp(name, "list") == 0)
        return list_main(argc, argv);
    if (strcmp(name, "matrix") == 0)
        return matrix_main(argc, argv);
    if (strcmp(name, "replay") == 0)
        return replay_main(argc, argv);
    race.story = stories_find(name);
    if (!race.story)
        refuse("there is no race of this name in the program: run make");
    snprintf(race.name, sizeof race.name, "%s", name);
    return race_main(&race, argc, argv);
}
