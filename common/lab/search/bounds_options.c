#include "bounds_options.h"

#include "clients.h"
#include "snapshot.h"
#include "workers.h"
#include "position.h"

#include "base/arguments.h"
#include "base/units.h"
#include "catalogue/engines.h"
#include "race/options.h"
#include "machine/cores.h"
#include "base/fail.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NO_DEPTH = 100000, MOST_JOBS = 64, MOST_CLIENTS = POSITION_CLIENTS - 1 };

// Each short option means one thing in all programs, so most of these have
// none.
enum { KEY_ROUNDS = OPTIONS_KEY_MACHINES + 1, KEY_NESTED, KEY_LEASES,
       KEY_HALFWAY, KEY_FAULTS, KEY_AT_MOST, KEY_ASSUME, KEY_DEPTH, KEY_WAIT,
       KEY_OWN_LEASE, KEY_WRITES, KEY_TIME, KEY_LOCKS, KEY_ASKS };

static const struct argp_option options[] = {
    {"stage", 's', "LOCK", 0,
     "this lock: a number or a name (without it: the lock last made)", 0},
    {"client", 'c', "COMMAND", 0,
     "a guest instead, which reads the time and waits for it in poll() only", 0},
    {"machines", OPTIONS_KEY_MACHINES, "own|one", 0, OPTIONS_MACHINES_HELP, 0},
    {"clients", 'n', "N", 0, "how many clients, 1 to 3", 0},
    {"masters", 'm', "N", 0,
     "how many masters, for a lock that uses several, or a guest", 0},
    {"locks", KEY_LOCKS, "N", 0,
     "how many locks each uses, 1 or 2; the second only to enter and leave", 0},
    {"rounds", KEY_ROUNDS, "N", 0, "how often each tries to enter", 0},
    {"nested", KEY_NESTED, "N", 0,
     "how often each tries again while it is inside", 0},
    {"wait", KEY_WAIT, "SECONDS", 0,
     "who enters waits for the lock, at most so long; 0: does not wait", 0},
    {"own-lease", KEY_OWN_LEASE, "SECONDS", 0,
     "who enters may ask for a lease of its own that is so long; 0: nobody does",
     0},
    {"writes", KEY_WRITES, "N", 0,
     "how often each, while it is inside, writes to what the lock protects; "
     "then writes alone count", 0},
    {"asks", KEY_ASKS, "N", 0,
     "how often each, while it is inside, asks itself whether it still has the "
     "lock", 0},
    {"leases", KEY_LEASES, "N", 0, "how many leases may pass", 0},
    {"time", KEY_TIME, "SECONDS", 0,
     "how much more time may pass: without a lease, enough for what waits", 0},
    {"halfway", KEY_HALFWAY, "N", 0,
     "how often time stops halfway to the next end of a lease or timer", 0},
    {"faults", KEY_FAULTS, "LIST", 0,
     "what may go wrong, each so often (none; crash,stop:2): crash, stop, cut, "
     "lose-answer, ahead, hang, stranger, again, refuse, give-up, restart; of "
     "several masters: jump", 0},
    {"at-most", KEY_AT_MOST, "N", 0, "how many faults together", 0},
    {"assume", KEY_ASSUME, "LIST", 0,
     "what is taken for granted: work-fits-lease, prompt-wire, no-stops, "
     "no-crash-mid-acquire, no-crashes, no-hangs, equal-clocks, nothing-lost, "
     "server-keeps-memory, own-releases, no-refusals, no-give-ups, "
     "new-holder-writes", 0},
    {"depth", KEY_DEPTH, "N", 0, "schedules of so many moves at most", 0},
    {"jobs", 'j', "N", 0, "how many worlds side by side", 0},
    {0},
};

int settings_number(const char *text, int least, int most, const char *of) {
    char *end;
    long number = strtol(text, &end, 10);

    if (end == text || *end || number < least || number > most)
        refuse("'%s' does not go with %s: say a number from %d to %d", text, of,
               least, most);
    return (int)number;
}

static int all_cores(void) {
    return core_count() > MOST_JOBS ? MOST_JOBS : core_count();
}

// --- lists of words ---------------------------------------------------------

static void add_fault(struct bounds *bounds, char *word) {
    char *colon = strchr(word, ':');
    int count = 1;

    if (colon) {
        *colon = '\0';
        count = settings_number(colon + 1, 0, MOST_FAULTS, word);
    }
    for (int fault = 0; fault < FAULTS; fault++)
        if (strcmp(word, fault_word((enum fault)fault)) == 0) {
            bounds->faults[fault] = count;
            return;
        }
    refuse("'%s' is not a fault: --help lists them", word);
}

static void add_assumption(struct bounds *bounds, char *word) {
    for (int i = 0; i < ASSUMPTIONS; i++)
        if (strcmp(word, assumption_word((enum assumption)i)) == 0) {
            bounds->assumed |= 1u << i;
            return;
        }
    refuse("'%s' is not an assumption: --help lists them", word);
}

static void each_word(struct bounds *bounds, const char *list,
                      void (*add)(struct bounds *bounds, char *word)) {
    char *words = must_have(strdup(list)), *rest = words, *word;

    while ((word = strsep(&rest, ",")))
        add(bounds, word);
    free(words);
}

// --- the command line -------------------------------------------------------

// The bounds that are one number: where each stands, and what goes with it.
static const struct number_option {
    int key;
    size_t offset; // in struct bounds
    int least, most;
    bool helped; // --help says what it is without this option
    const char *name;
} numbers[] = {
    {'n', offsetof(struct bounds, clients), 1, MOST_CLIENTS, true, "--clients"},
    {KEY_LOCKS, offsetof(struct bounds, locks), 1, 2, true, "--locks"},
    {KEY_ROUNDS, offsetof(struct bounds, rounds), 1, 9, true, "--rounds"},
    {KEY_NESTED, offsetof(struct bounds, nested), 0, 9, true, "--nested"},
    {KEY_WAIT, offsetof(struct bounds, wait_s), 0, 3600, false, "--wait"},
    {KEY_OWN_LEASE, offsetof(struct bounds, own_lease_s), 0, LEASE_S, false,
     "--own-lease"},
    {KEY_WRITES, offsetof(struct bounds, writes), 0, 9, true, "--writes"},
    {KEY_ASKS, offsetof(struct bounds, asks), 0, 9, true, "--asks"},
    {KEY_LEASES, offsetof(struct bounds, leases), 0, 9, true, "--leases"},
    {KEY_TIME, offsetof(struct bounds, time_s), 0, 3600, true, "--time"},
    {KEY_HALFWAY, offsetof(struct bounds, halfway), 0, 9, true, "--halfway"},
    {KEY_AT_MOST, offsetof(struct bounds, fault_total), 0, 99, true, "--at-most"},
    {KEY_DEPTH, offsetof(struct bounds, depth), 1, NO_DEPTH, false, "--depth"},
};

static const struct number_option *number_option(int key) {
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].key == key)
            return &numbers[i];
    return NULL;
}

static error_t parse_number(struct settings *settings, int key,
                            const char *argument) {
    const struct number_option *option = number_option(key);

    if (!option)
        return ARGP_ERR_UNKNOWN;
    *(int *)((char *)&settings->bounds + option->offset) =
        settings_number(argument, option->least, option->most, option->name);
    settings->rounds_given |= key == KEY_ROUNDS;
    settings->at_most_given |= key == KEY_AT_MOST;
    return 0;
}

static void parse_faults(struct settings *settings, const char *list) {
    struct bounds *bounds = &settings->bounds;

    settings->faults_given = true;
    memset(bounds->faults, 0, sizeof bounds->faults);
    if (strcmp(list, "none") != 0)
        each_word(bounds, list, add_fault);
    if (!settings->at_most_given)
        bounds->fault_total = -1;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct settings *settings = state->input;

    switch (key) {
    case 's':
        if (*settings->lock)
            refuse("--stage is there twice: one lock at a time");
        locks_find(argument, settings->lock);
        return 0;
    case 'c':
        settings->client = options_client(argument);
        return 0;
    case OPTIONS_KEY_MACHINES:
        options_machines(argument);
        return 0;
    case 'm':
        settings->bounds.masters = options_masters(argument);
        return 0;
    case KEY_FAULTS:
        parse_faults(settings, argument);
        return 0;
    case KEY_ASSUME:
        each_word(&settings->bounds, argument, add_assumption);
        return 0;
    case 'j':
        settings->jobs = settings_number(argument, 1, MOST_JOBS, "--jobs");
        return 0;
    default:
        return parse_number(settings, key, argument);
    }
}

static void write_default_faults(FILE *out, const struct bounds *bounds) {
    int kinds = 0, sum = 0;

    for (int fault = 0; fault < FAULTS; fault++) {
        kinds += bounds->faults[fault] > 0;
        sum += bounds->faults[fault];
    }
    if (kinds == FAULTS && sum == FAULTS) {
        fputs(" (default: each once)", out);
        return;
    }
    fputs(" (default ", out);
    for (int fault = 0, some = 0; fault < FAULTS; fault++) {
        if (bounds->faults[fault] == 0)
            continue;
        fprintf(out, "%s%s", some++ ? "," : "", fault_word((enum fault)fault));
        if (bounds->faults[fault] > 1)
            fprintf(out, ":%d", bounds->faults[fault]);
    }
    fputs(kinds == 0 ? "none)" : ")", out);
}

static void write_default(FILE *out, const struct settings *settings, int key) {
    const struct bounds *bounds = &settings->bounds;
    const struct number_option *option = number_option(key);
    int number;

    if (key == KEY_FAULTS)
        write_default_faults(out, bounds);
    if (key == 'j')
        number = settings->jobs;
    else if (option && option->helped)
        number = *(const int *)((const char *)bounds + option->offset);
    else
        return;
    if (key == 'j' && number == all_cores())
        fputs(" (default: the cores)", out);
    else if ((key == KEY_ROUNDS || key == KEY_LOCKS) && number < 0)
        fputs(" (default 1, and 2 in a further search)", out);
    else if (number < 0 && key != KEY_AT_MOST)
        fputs(" (default 0, and 1 in a further search)", out);
    else if (number < 0)
        fputs(" (default all)", out);
    else if (key == KEY_AT_MOST)
        fprintf(out, " (default %d; with --faults all)", number);
    else
        fprintf(out, " (default %d)", number);
}

const struct argp_child *settings_options(const struct settings *settings,
                                          const char *without) {
    static struct argp_option kept[sizeof options / sizeof *options];
    static struct argp argp = {.options = kept, .parser = parse};
    static const struct argp_child children[] = {{&argp, 0, "Bounds", 2}, {0}};
    struct argp_option *next = kept;

    for (const struct argp_option *option = options; option->name; option++) {
        char *doc = NULL;
        size_t size = 0;
        if (strstr(without, option->name))
            continue;
        FILE *out = must_have(open_memstream(&doc, &size));
        fputs(option->doc, out);
        write_default(out, settings, option->key);
        fclose(out);
        *next = *option;
        next++->doc = doc;
    }
    return children;
}

void settings_begin(struct settings *settings) {
    memset(settings, 0, sizeof *settings);
    settings->bounds = (struct bounds){.clients = 2, .locks = 1, .rounds = 1,
                                       .leases = 2,
                                       .faults[FAULT_CRASH] = 1,
                                       .fault_total = -1, .depth = NO_DEPTH};
    settings->jobs = all_cores();
}

static void complete_masters(struct settings *settings) {
    struct bounds *bounds = &settings->bounds;
    int wanted = settings->lock[0] ? locks_masters(settings->lock) : 1;

    if (bounds->masters > 1 && wanted == 1 && settings->lock[0])
        refuse("%s speaks with one server: --masters is for a lock that uses "
               "several", settings->lock);
    if (bounds->masters == 0)
        bounds->masters = wanted < USUAL_MASTERS ? wanted : USUAL_MASTERS;
    if (bounds->masters == 1)
        bounds->faults[FAULT_JUMP] = 0;
    snapshot_masters(bounds->masters);
}

static void check_waiting(const struct bounds *bounds) {
    if (bounds->wait_s > 0 && bounds->faults[FAULT_RESTART] > 0)
        refuse("--wait does not go with the fault restart: a search does not "
               "follow what a restart does to those who listen");
    if (bounds->wait_s > 0 && bounds->own_lease_s > 0)
        refuse("--wait does not go with --own-lease: who asks for a lease of "
               "its own does not wait");
    if (bounds->wait_s > 0 && bounds->writes > 0)
        refuse("--wait does not go with --writes: where writes count, nothing "
               "else does");
}

static void check_second_lock(const struct bounds *bounds) {
    if (bounds->locks > 1 &&
        (bounds->wait_s > 0 || bounds->masters > 1 || bounds->writes > 0))
        refuse("--locks 2 does not go with %s: a search follows a second lock "
               "only on one server, and where nobody waits or writes",
               bounds->wait_s > 0    ? "--wait"
               : bounds->masters > 1 ? "several masters"
                                     : "--writes");
}

// Sets all that was not given and has no default of the program.
static void complete_numbers(struct bounds *bounds) {
    int *zero[] = {&bounds->writes, &bounds->asks, &bounds->own_lease_s,
                   &bounds->nested, &bounds->halfway};

    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        if (*zero[i] < 0)
            *zero[i] = 0;
    if (bounds->rounds < 0)
        bounds->rounds = 1;
    if (bounds->locks < 0)
        bounds->locks = 1;
    if (bounds->fault_total >= 0)
        return;
    bounds->fault_total = 0;
    for (int fault = 0; fault < FAULTS; fault++)
        bounds->fault_total += bounds->faults[fault];
}

void settings_complete(struct settings *settings) {
    struct bounds *bounds = &settings->bounds;

    if (settings->client && settings->lock[0])
        refuse("--client takes the place of --stage");
    if (!settings->client && !settings->lock[0])
        locks_current(settings->lock);
    complete_masters(settings);
    bounds->local = settings->lock[0] && locks_is_local(settings->lock);
    check_waiting(bounds);
    check_second_lock(bounds);
    complete_numbers(bounds);
    snapshot_locks(bounds->locks);
}

void settings_open_workers(const struct settings *settings) {
    char program[PATHS_SIZE];

    if (!settings->client)
        locks_client(settings->lock, program);
    const struct run_setup setup = {
        .engine = settings->client ? engines_usual()
                                   : engines_of(settings->lock),
        .program = settings->client ? settings->client : program,
        .guest = settings->client != NULL,
        .masters = settings->bounds.masters,
        .says_what_is_possible = settings->says_what_is_possible,
        .loads_anew = settings->loads_anew,
    };
    if (!setup.engine->serves_search)
        refuse("%s is on %s: a search cannot follow what such a server holds",
               settings->lock, setup.engine->name);
    clients_of(setup.engine);
    workers_open(&setup, settings->jobs);
}

const char *settings_title(const struct settings *settings) {
    return settings->client ? LOCK_GUEST : settings->lock;
}

const char *plural(int count) {
    return count == 1 ? "" : "s";
}

// Writes the operations of each client.
static void write_operations(FILE *out, const struct bounds *bounds) {
    fprintf(out, "%d client%s, %d round%s each", bounds->clients,
            plural(bounds->clients), bounds->rounds, plural(bounds->rounds));
    if (bounds->locks > 1)
        fprintf(out, " in each of %d locks%s", bounds->locks,
                bounds->turned ? ", the second opened first" : "");
    if (bounds->masters > 1)
        fprintf(out, "; %d masters", bounds->masters);
    if (bounds->nested > 0)
        fprintf(out, ", %d nested call%s", bounds->nested,
                plural(bounds->nested));
    if (bounds->wait_s > 0)
        fprintf(out, ", waiting up to %d s", bounds->wait_s);
    if (bounds->writes > 0)
        fprintf(out, ", %d write%s", bounds->writes, plural(bounds->writes));
    if (bounds->asks > 0)
        fprintf(out, ", asking itself %d time%s", bounds->asks,
                plural(bounds->asks));
    if (bounds->own_lease_s > 0)
        fprintf(out, ", with a lease of their own of %d s if they want",
                bounds->own_lease_s);
}

char *settings_text(const struct bounds *bounds) {
    char *words = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&words, &size));
    int kinds = 0, sum = 0;

    write_operations(out, bounds);
    fprintf(out, "; %d lease%s", bounds->leases, plural(bounds->leases));
    if (bounds->time_s > 0)
        fprintf(out, " and %d s", bounds->time_s);
    if (bounds->halfway > 0)
        fprintf(out, ", halfway %d time%s", bounds->halfway,
                plural(bounds->halfway));
    fputs("; ", out);
    for (int fault = 0; fault < FAULTS; fault++) {
        if (bounds->faults[fault] == 0)
            continue;
        sum += bounds->faults[fault];
        fprintf(out, "%s%s", kinds++ ? ", " : "",
                fault_word((enum fault)fault));
        if (bounds->faults[fault] > 1)
            fprintf(out, " (%d times)", bounds->faults[fault]);
    }
    if (kinds == 0)
        fputs("no faults", out);
    else if (bounds->fault_total < sum)
        fprintf(out, ", at most %d in all", bounds->fault_total);
    fclose(out);
    return words;
}

json_t *settings_assumed(unsigned set) {
    json_t *names = json_array();

    for (int i = 0; i < ASSUMPTIONS; i++)
        if (set & 1u << i)
            json_array_append_new(
                names, json_string(assumption_word((enum assumption)i)));
    return names;
}

json_t *settings_object(const struct bounds *bounds) {
    json_t *object = json_object(), *faults = json_object();

    for (int i = 0; i < FAULTS; i++)
        if (bounds->faults[i] > 0)
            json_object_set_new(faults, fault_word((enum fault)i),
                                json_integer(bounds->faults[i]));
    json_object_set_new(object, "clients", json_integer(bounds->clients));
    if (bounds->masters > 1)
        json_object_set_new(object, "masters", json_integer(bounds->masters));
    if (bounds->locks > 1)
        json_object_set_new(object, "locks", json_integer(bounds->locks));
    if (bounds->turned)
        json_object_set_new(object, "turned", json_true());
    json_object_set_new(object, "rounds", json_integer(bounds->rounds));
    json_object_set_new(object, "nested", json_integer(bounds->nested));
    json_object_set_new(object, "wait_s", json_integer(bounds->wait_s));
    json_object_set_new(object, "writes", json_integer(bounds->writes));
    if (bounds->asks > 0)
        json_object_set_new(object, "asks", json_integer(bounds->asks));
    if (bounds->own_lease_s > 0)
        json_object_set_new(object, "own_lease_s",
                            json_integer(bounds->own_lease_s));
    json_object_set_new(object, "leases", json_integer(bounds->leases));
    json_object_set_new(object, "time_s", json_integer(bounds->time_s));
    json_object_set_new(object, "halfway", json_integer(bounds->halfway));
    json_object_set_new(object, "faults", faults);
    json_object_set_new(object, "at_most", json_integer(bounds->fault_total));
    json_object_set_new(object, "assumed", settings_assumed(bounds->assumed));
    return object;
}
