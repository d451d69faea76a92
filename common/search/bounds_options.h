// Bounds on the command line: the same options for all who search.
#ifndef BOUNDS_OPTIONS_H
#define BOUNDS_OPTIONS_H

#include "bounds.h"

#include "catalogue/locks.h"

#include <argp.h>
#include <jansson.h>

struct settings {
    struct bounds bounds;
    char lock[LOCK_NAME_SIZE];
    const char *client; // a guest's command, and then no lock; or NULL
    int jobs;
    bool at_most_given; // and not by --faults alone, which allows all of them
    bool loads_anew; // as in run.h: to compare with
};

// For a tool's argp; the input of the one child is a struct settings. What it
// has now are the defaults in --help. `without` names options that it leaves
// out: "stage,client".
const struct argp_child *settings_options(const struct settings *settings,
                                          const char *without);

// Two clients, one round each, two leases, one crash.
void settings_begin(struct settings *settings);

// After the command line: the lock last made if none was named.
void settings_complete(struct settings *settings);

// Starts the crew.
void settings_open_crew(const struct settings *settings);

// The lock, or "client".
const char *settings_title(const struct settings *settings);

// "2 clients, 1 round each; 2 leases; faults: crash 1". The caller frees it.
char *settings_text(const struct bounds *bounds);

// The same, and a set of assumptions, as docs/json.md has them.
json_t *settings_object(const struct bounds *bounds);
json_t *settings_assumed(unsigned set);

// "" or "s": "1 lease", "2 leases".
const char *plural(int count);

// A whole number from `least` to `most`; refuses what is none. `of`: --rounds.
int settings_number(const char *text, int least, int most, const char *of);

#endif
