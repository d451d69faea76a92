// Replays a schedule: what a trace, a search or a game has printed.
#include "tools.h"

#include "base/arguments.h"
#include "race/options.h"
#include "replay/replay.h"
#include "replay/shorten.h"

#include <string.h>

struct replay_options {
    struct options options;
    const char *text;
    bool shorten;
};

static const struct argp_option choices[] = {
    {"stage", 's', "LOCK", 0,
     "on this lock: a number or a name (without it: the lock that the schedule "
     "names)", 0},
    {"client", 'c', "COMMAND", 0,
     "on a guest, in the world's time", 0},
    {"engine", OPTIONS_KEY_ENGINE, "NAME", 0, OPTIONS_ENGINE_HELP, 0},
    {"key", 'k', "KEY", 0,
     "the key of the lock, for a guest whose library has its own way with "
     "names (default lock)", 0},
    {"at", OPTIONS_KEY_AT, "PLACE", 0, OPTIONS_AT_HELP, 0},
    {"machines", OPTIONS_KEY_MACHINES, "own|one", 0, OPTIONS_MACHINES_HELP, 0},
    {"shorten", 'S', NULL, 0,
     "leave out what is not needed to lose what it loses, and replay the rest",
     0},
    {"format", 'f', "FORMAT", 0,
     "text (the default), json, or a picture: svg, mermaid, html", 0},
    {"wire", 'w', NULL, 0, "show the bytes of every command and answer", 0},
    {"drawn", 'D', NULL, 0,
     "with --format json: the trace and the picture in the document, too", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct replay_options *settings = state->input;
    struct options *options = &settings->options;

    switch (key) {
    case 's':
        if (options->locks.count > 0)
            refuse("--stage is there twice: one lock at a time");
        locks_find(argument, options->locks.names[0]);
        options->locks.count = 1;
        return 0;
    case 'S':
        settings->shorten = true;
        return 0;
    case ARGP_KEY_ARG:
        if (settings->text)
            refuse("'%s' is one word too many: put the schedule in quotes",
                   argument);
        settings->text = argument;
        return 0;
    default:
        return options_parse_shared(options, key, argument);
    }
}

static const struct argp argp = {
    .options = choices,
    .parser = parse,
    .args_doc = "SCHEDULE",
    .doc = "Replays a schedule, the line at the end of a trace, step for step: "
           "on the lock that it names, on another, or on a guest.\v"
           "A step that does not exist on that lock ends it with CANNOT HAPPEN "
           "and says which. docs/schedules.md lists the steps. Exit status: 0 "
           "the lock holds, or the schedule does not exist; 1 it is broken; 2 "
           "wrong use, or the run itself failed; 3 the verdict is "
           "INCONCLUSIVE (docs/judge.md).",
};

// LOCK_GUEST is a lock only together with its command.
static void choose_lock(struct options *options,
                        const struct schedule *schedule) {
    if (options->client && options->locks.count > 0)
        refuse("--client takes the place of --stage");
    if (options->locks.count > 0)
        return;
    if (options->client)
        strcpy(options->locks.names[0], LOCK_GUEST);
    else if (strcmp(schedule->lock, LOCK_GUEST) == 0)
        refuse("the schedule is a guest's: name its command, ./scenarios/replay "
               "--client COMMAND '…', or a lock, --stage 4");
    else
        locks_find(schedule->lock, options->locks.names[0]);
    options->locks.count = 1;
}

int replay_main(int argc, char **argv) {
    struct replay_options settings = {.options.key = USUAL_KEY};
    struct schedule schedule;
    struct options *options = &settings.options;

    arguments_hide(argc, argv);
    arguments_parse(&argp, argc, argv, &settings);
    if (!settings.text)
        refuse("which schedule? ./scenarios/replay 'v1 stage4 A:enter A><'");
    options->virtual = options->client != NULL;
    options_check_engine(options->engine, options->client);
    options_check_at(options);
    options_check_picture(options);
    schedule_parse(&schedule, settings.text);
    choose_lock(options, &schedule);
    const char *lock = options->locks.names[0];
    if (settings.shorten && schedule.count > SHORTEN_MOST_STEPS)
        refuse("this schedule has more than %d steps (A>< is two), too many for "
               "--shorten: replay it without", SHORTEN_MOST_STEPS);
    if (settings.shorten && !shorten(options, lock, &schedule))
        refuse("this schedule loses nothing on %s: there is nothing to shorten",
               lock);
    int status = replay(options, "schedule", lock, &schedule);
    schedule_clear(&schedule);
    return status;
}
