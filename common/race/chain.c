#include "chain.h"

#include "base/fail.h"
#include "machine/handover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *races; // that follow, with spaces between them; NULL: no chain

char *chain_for(const struct race_entry *const *following, size_t count) {
    char *chain = NULL;
    size_t size;
    FILE *out = must_have(open_memstream(&chain, &size));

    fputc('0', out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, " %s", following[i]->name);
    fclose(out);
    return chain;
}

bool chain_begins(size_t *begun) {
    const char *chain = getenv(CHAIN_VARIABLE);

    if (!chain)
        return false;
    *begun = strtoul(chain, NULL, 10);
    chain += strcspn(chain, " ");
    races = must_have(strdup(chain + strspn(chain, " ")));
    unsetenv(CHAIN_VARIABLE);
    return true;
}

bool chain_goes_on(void) {
    return races && *races;
}

static void say_what_follows(size_t begun, const char *following) {
    char *chain = NULL;

    if (asprintf(&chain, "%zu %s", begun, following) < 0)
        fail("no memory for a chain of races");
    setenv(CHAIN_VARIABLE, chain, 1);
    free(chain);
}

void chain_go_on(char *const argv[], size_t begun, struct world *world) {
    char name[RACE_NAME_SIZE], program[PATHS_SIZE];
    char **words = (char **)argv;
    FILE *handed = world ? handover_begin() : NULL;

    if (begun == 0) {
        size_t length = strcspn(races, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, races);
        races_program(name, program);
        words[0] = program;
        races += length + (races[length] == ' ');
    }
    say_what_follows(begun, races);
    if (world)
        world_hand_on(world, handed);
    handover_exec(handed, argv);
}
