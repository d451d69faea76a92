#include "options.h"

#include "arguments.h"
#include "races.h"

#include <stdio.h>
#include <string.h>

static const struct argp_option choices[] = {
    {"stage", 's', "LOCK", 0,
     "run on this lock: a number or a name (may be given more than once; "
     "without it: the lock last made)", 0},
    {"all", 'a', NULL, 0, "run on every lock that is built", 0},
    {"format", 'f', "FORMAT", 0, "text (the default) or json", 0},
    {"wire", 'w', NULL, 0, "show the bytes of every command and answer", 0},
    {0},
};

static void add_lock(struct lock_list *list, const char *word) {
    if (list->count == MAX_LOCKS)
        refuse("more than %d locks are named", MAX_LOCKS);
    locks_find(word, list->names[list->count]);
    list->count++;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct options *options = state->input;

    switch (key) {
    case 's':
        add_lock(&options->locks, argument);
        return 0;
    case 'a':
        locks_built(&options->locks);
        return 0;
    case 'f':
        if (strcmp(argument, "text") != 0 && strcmp(argument, "json") != 0)
            refuse("'%s' is not a format: say text or json", argument);
        options->json = strcmp(argument, "json") == 0;
        return 0;
    case 'w':
        options->wire = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void options_parse(struct options *options, const char *race, int argc,
                   char **argv) {
    char doc[512], title[RACE_TITLE_SIZE];
    const struct argp argp = {.options = choices, .parser = parse, .doc = doc};

    races_title(race, title);
    snprintf(doc, sizeof doc,
             "%s: %s\n\n"
             "Replays this race against a lock, on a redis-server of its own, "
             "and says whether the lock holds. The story is at the head of "
             "scenarios/%s.c.\v"
             "Exit status: 0 the lock holds, or the race cannot happen to it; "
             "1 it is broken; 2 wrong use, or the run itself failed.",
             race, title, race);
    memset(options, 0, sizeof *options);
    arguments_parse(&argp, argc, argv, options);
    if (options->locks.count == 0) {
        locks_current(options->locks.names[0]);
        options->locks.count = 1;
    }
}
