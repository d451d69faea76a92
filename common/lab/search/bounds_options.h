// Bounds on the command line: the same options for all programs that search.
#ifndef BOUNDS_OPTIONS_H
#define BOUNDS_OPTIONS_H

#include "bounds.h"

#include "catalogue/locks.h"

#include <argp.h>
#include <jansson.h>

// Three masters are enough to see what five would show, and much less to try.
enum { USUAL_MASTERS = 3 };

struct settings {
    struct bounds bounds;
    char lock[LOCK_NAME_SIZE];
    const char *client; // a guest's command, in place of a lock; or NULL
    int jobs;
    bool faults_given, rounds_given;
    bool at_most_given; // --at-most was given; else --faults allows all faults
    bool says_what_is_possible, loads_anew; // as in run.h: to compare with
};

// The options of a tool's argp, whose input is a struct settings. Its present
// values are the defaults in --help. `without` names options to leave out:
// "stage,client".
const struct argp_child *settings_options(const struct settings *settings,
                                          const char *without);

// Two clients, one round each, two leases, one crash.
void settings_begin(struct settings *settings);

// After the command line: the lock last made if none was named.
void settings_complete(struct settings *settings);

// Starts the workers (workers.h).
void settings_open_workers(const struct settings *settings);

// The lock, or "client".
const char *settings_title(const struct settings *settings);

// "2 clients, 1 round each; 2 leases; faults: crash 1". The caller frees it.
char *settings_text(const struct bounds *bounds);

// The same, and a set of assumptions, as docs/json.md has them.
json_t *settings_object(const struct bounds *bounds);
json_t *settings_assumed(unsigned set);

// "" or "s": "1 lease", "2 leases".
const char *plural(int count);

// Reads a whole number from `least` to `most`; refuses anything else. `of` is
// the option, for the message: "--rounds".
int settings_number(const char *text, int least, int most, const char *of);

#endif
