#include "options.h"

#include "base/arguments.h"
#include "catalogue/races.h"
#include "machine/host.h"
#include "world/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_LEASE = OPTIONS_KEY_MACHINES + 1 };

enum { REAL_LEASE_S = 1 };

static const struct argp_option choices[] = {
    {"stage", 's', "LOCK", 0,
     "run on this lock: a number or a name (may be given more than once; "
     "without it: the lock last made)", 0},
    {"all", 'a', NULL, 0, "run on every lock on Redis that is built", 0},
    {"client", 'c', "COMMAND", 0,
     "run on a guest: any program that speaks the client protocol (in real "
     "time)", 0},
    {"engine", OPTIONS_KEY_ENGINE, "NAME", 0, OPTIONS_ENGINE_HELP, 0},
    {"key", 'k', "KEY", 0,
     "the key of the lock, for a guest whose library has its own way with "
     "names (default lock)", 0},
    {"at", OPTIONS_KEY_AT, "PLACE", 0, OPTIONS_AT_HELP, 0},
    {"machines", OPTIONS_KEY_MACHINES, "own|one", 0, OPTIONS_MACHINES_HELP, 0},
    {"masters", 'm', "N", 0,
     "a world of N masters, for a lock that uses several, or a guest (default: "
     "as many as the lock's head says)", 0},
    {"real", 'r', NULL, 0, "real time, with a lease of a second (or --lease)", 0},
    {"lease", KEY_LEASE, "SECONDS", 0,
     "the lease in real time, for a guest that needs more than a second", 0},
    {"virtual", 'v', NULL, 0,
     "virtual time for a guest, too: it waits through the C library", 0},
    {"format", 'f', "FORMAT", 0,
     "text (the default), json, or a picture: svg, mermaid, html", 0},
    {"ask", 'p', NULL, 0,
     "predict: the trace stops before the step that decides, and asks what "
     "comes", 0},
    {"wire", 'w', NULL, 0, "show the bytes of every command and answer", 0},
    {"drawn", 'D', NULL, 0,
     "with --format json: the trace and the picture in the document, too", 0},
    {0},
};

const char *options_client(const char *argument) {
    if (!*argument)
        refuse("the guest's command is empty");
    return argument;
}

static const char *check_key(const char *argument) {
    if (!*argument || argument[strcspn(argument, " \t\n")])
        refuse("the key '%s' is empty or has a space in it", argument);
    return argument;
}

const char *options_at(const char *argument) {
    const char *percent = strchr(argument, '%');

    if (!percent || percent[1] != 's' || strchr(percent + 1, '%') ||
        argument[strcspn(argument, " \t\n")])
        refuse("--at '%s' is not a place: one %%s in it stands for the key, as "
               "in mutex:%%s, and it has no space", argument);
    return argument;
}

void options_machines(const char *argument) {
    bool own = strcmp(argument, "own") == 0;

    if (!own && strcmp(argument, "one") != 0)
        refuse("--machines is own or one, not '%s'", argument);
    hosts_choose(own ? HOSTS_FOR_ALL : HOSTS_NONE);
}

int options_masters(const char *argument) {
    int masters = atoi(argument);

    if (strlen(argument) != 1 || masters < 1 || masters > MAX_MASTERS)
        refuse("--masters is a number from 1 to %d", MAX_MASTERS);
    return masters;
}

int options_real_lease(const char *argument) {
    size_t digits = strspn(argument, "0123456789");
    int seconds = atoi(argument);

    if (digits == 0 || digits > 2 || argument[digits] || seconds < 1 ||
        seconds > MOST_REAL_LEASE_S)
        refuse("--lease is a number of seconds from 1 to %d",
               MOST_REAL_LEASE_S);
    return seconds * 1000;
}

const struct engine_kind *options_engine(const struct options *options,
                                         const char *lock) {
    if (options->engine)
        return engines_named(options->engine);
    return options->client ? engines_usual() : engines_of(lock);
}

int options_world_masters(const struct options *options, const char *lock) {
    const struct engine_kind *engine = options_engine(options, lock);
    int usual = options->client ? 1 : locks_masters(lock);

    if (options->masters > 1 && options->client && !engine->add_master)
        refuse("--masters is not for %s: a world has one server of it",
               engine->name);
    if (options->masters > 1 && usual == 1 && !options->client)
        refuse("%s speaks with one server: --masters is for a lock that uses "
               "several", lock);
    return options->masters ? options->masters : usual;
}

void options_own_key(struct options *options, const char *key) {
    if (key && *key && !options->key_given)
        options->key = key;
}

void options_give_key(struct options *options, const char *argument) {
    options->key = check_key(argument);
    options->key_given = true;
}

error_t options_parse_shared(struct options *options, int key, char *argument) {
    switch (key) {
    case 'c':
        options->client = options_client(argument);
        return 0;
    case OPTIONS_KEY_ENGINE:
        options->engine = engines_named(argument)->name;
        return 0;
    case 'k':
        options_give_key(options, argument);
        return 0;
    case OPTIONS_KEY_MACHINES:
        options_machines(argument);
        return 0;
    case OPTIONS_KEY_AT:
        options->at = options_at(argument);
        return 0;
    case 'f':
        options->format = arguments_format(argument, FORMATS_OF_RUN);
        return 0;
    case 'w':
        options->wire = true;
        return 0;
    case 'D':
        options->drawn = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct options *options = state->input;

    switch (key) {
    case 's':
        locks_add(&options->locks, argument);
        return 0;
    case 'a':
        locks_add_all(&options->locks);
        return 0;
    case 'p':
        options->ask = true;
        return 0;
    case 'm':
        options->masters = options_masters(argument);
        return 0;
    case 'r':
        options->real = true;
        return 0;
    case KEY_LEASE:
        options->real_lease_ms = options_real_lease(argument);
        return 0;
    case 'v':
        options->virtual = true;
        return 0;
    default:
        return options_parse_shared(options, key, argument);
    }
}

void options_check_time(bool real, bool virtual, const char *client) {
    if (real && virtual)
        refuse("--real or --virtual, not both");
    if (virtual && !client)
        refuse("--virtual is for a guest: --client names one");
}

void options_check_engine(const char *engine, const char *client) {
    if (engine && !client)
        refuse("--engine is for a guest: --client names one");
}

void options_check_at(const struct options *options) {
    if (options->at && !options->client)
        refuse("--at is for a guest: --client names one");
}

void options_settle(struct options *options) {
    if (options->client) {
        options->real = !options->virtual;
        strcpy(options->locks.names[0], LOCK_GUEST);
        options->locks.count = 1;
    }
    if (options->real_lease_ms && !options->real)
        refuse("--lease is for real time: --real, or a guest without "
               "--virtual");
    if (!options->real_lease_ms)
        options->real_lease_ms = REAL_LEASE_S * 1000;
}

// Refuses --ask where it has no sense: with several locks, or no text.
static void check_ask(const struct options *options) {
    if (options->ask && options->locks.count > 1)
        refuse("--ask is about one lock: --stage names it");
    if (options->ask && options->format != FORMAT_TEXT)
        refuse("--ask is for text: no --format with it");
}

void options_check_picture(const struct options *options) {
    bool svg = options->format == FORMAT_SVG;
    bool mermaid = options->format == FORMAT_MERMAID;
    bool picture = svg || mermaid || options->format == FORMAT_HTML;

    if (picture && options->locks.count > 1)
        refuse("a picture is of one lock: --stage names it");
    if ((svg || mermaid) && options->wire)
        refuse("no picture shows bytes: --wire is for text, json and html");
    if (options->drawn && options->format != FORMAT_JSON)
        refuse("--drawn is for JSON: --format json with it");
}

void options_parse(struct options *options, const char *race, int argc,
                   char **argv) {
    char doc[1024];
    const struct argp argp = {.options = choices, .parser = parse, .doc = doc};
    struct race_entry entry = {.title = "a race", .source = "its file"};

    races_look_up(race, &entry);
    snprintf(doc, sizeof doc,
             "%s: %s\n\n"
             "Replays this race against a lock, on a redis-server of its own, "
             "and says whether the lock holds. The story is at the head of "
             "%s.\v"
             "Exit status: 0 the lock holds, or the race cannot happen to it; "
             "1 it is broken; 2 wrong use, or the run itself failed; 3 the "
             "verdict is INCONCLUSIVE (docs/judge.md).",
             race, entry.title, entry.source);
    memset(options, 0, sizeof *options);
    options->key = USUAL_KEY;
    arguments_parse(&argp, argc, argv, options);
    options_check_time(options->real, options->virtual, options->client);
    options_check_engine(options->engine, options->client);
    options_check_at(options);
    options_check_picture(options);
    check_ask(options);
    if (options->client && options->locks.count > 0)
        refuse("--client takes the place of --stage and --all");
    options_settle(options);
    if (options->locks.count == 0) {
        locks_current(options->locks.names[0]);
        options->locks.count = 1;
    }
}
