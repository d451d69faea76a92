#include "race_main.h"

#include "cells.h"
#include "print.h"
#include "race_run.h"

#include <stdio.h>

// Traces of several locks follow each other with an empty line between them.
static int print_one(struct race *race, size_t race_number, size_t lock_number,
                     void *argument) {
    (void)race_number;
    (void)argument;
    if (lock_number > 0 && race->options.format != FORMAT_JSON)
        putchar('\n');
    race_print(race);
    return verdict_status(race->judge.verdict);
}

static void say_why(size_t race_number, size_t lock_number, const char *reason,
                    void *argument) {
    const struct options *options = argument;

    (void)race_number;
    if (reason)
        fprintf(stderr, "%s: %s was not run: %s\n",
                program_invocation_short_name,
                options->locks.names[lock_number], reason);
}

static int run_on_one(const struct race_entry *entry,
                      const struct options *options) {
    struct race *race = race_play(options, entry->name, entry->story,
                                  options->locks.names[0], NULL);
    int status = print_one(race, 0, 0, NULL);
    race_free(race);
    return status;
}

int race_main(const struct race_entry *race, int argc, char **argv) {
    static struct options options;

    arguments_hide(argc, argv);
    options_parse(&options, race->name, argc, argv);
    if (options.locks.count == 1)
        return run_on_one(race, &options);
    const struct cells cells = {
        .races = &race,
        .race_count = 1,
        .options = &options,
        .places = 1,
        .conclude = print_one,
        .miss = say_why,
        .argument = &options,
    };
    return cells_run(&cells);
}
