// The command line of a scenario.
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base/arguments.h"
#include "catalogue/engines.h"
#include "catalogue/locks.h"

#include <stdbool.h>

#define OPTIONS_AT_HELP \
    "where a guest's lock lies, if not under its key, with %s for the key: " \
    "'mutex:%s'"

#define OPTIONS_MACHINES_HELP \
    "own: each client on a machine of its own, with files and a network of " \
    "its own (the default for a guest); one: all on this machine (the " \
    "default for a lock)"

#define OPTIONS_ENGINE_HELP \
    "the server that holds a guest's lock: redis (the default), mariadb or " \
    "zookeeper"

enum { MOST_REAL_LEASE_S = 30 };

struct options {
    struct lock_list locks; // to run on, at least one
    const char *client;     // a guest's command, and then no lock; or NULL
    const char *engine;     // a guest's; NULL: the usual one
    const char *key;        // the first lock's; USUAL_KEY unless said otherwise
    bool key_given;         // by --key
    const char *at;         // where a guest's lock lies, with %s for its key;
                            // NULL: under its key
    int masters;            // servers of the lock; 0: as many as it wants
    bool real;              // real time
    int real_lease_ms;      // a lease in it, and all else in proportion
    bool virtual;           // --virtual was given
    bool fresh;             // no copies of a guest that is loaded
    const char *const *races; // the names of all that will be run, NULL ends
                              // them; NULL: one race
    enum format format;
    bool wire;
    bool drawn; // JSON has the trace and the picture, too
    bool judged_only; // only the verdict of a run is wanted: no record
    bool ask; // stop before the verdict, and ask for it
};

// Check the words after --client and --at. End the program if they are not
// usable.
const char *options_client(const char *argument);
const char *options_at(const char *argument);

// The word after --machines.
void options_machines(const char *argument);

// --engine, --at and --machines have no letter.
enum { OPTIONS_KEY_ENGINE = 1000, OPTIONS_KEY_AT, OPTIONS_KEY_MACHINES };

// Parses an option of a scenario and of replay: about the guest (--client,
// --key and --engine) or about the output (--format, --wire and --drawn), by
// its letter. ARGP_ERR_UNKNOWN for any other.
error_t options_parse_shared(struct options *options, int key, char *argument);

// Takes the key after --key. Ends the program if it is not usable.
void options_give_key(struct options *options, const char *argument);

// The story's own key, which counts if none is given. NULL or "": it has none.
// The key belongs to the caller.
void options_own_key(struct options *options, const char *key);

// Check the words after --masters, and after --lease: in milliseconds.
int options_masters(const char *argument);
int options_real_lease(const char *argument);

// The engine of this lock, or of the guest.
const struct engine_kind *options_engine(const struct options *options,
                                         const char *lock);

// The masters of a world for this lock. Refuses --masters for a lock that
// speaks with one, and for a guest on an engine that has no more.
int options_world_masters(const struct options *options, const char *lock);

// Refuses --real with --virtual, and --virtual without a guest.
void options_check_time(bool real, bool virtual, const char *client);

// Refuses --engine and --at without a guest.
void options_check_engine(const char *engine, const char *client);
void options_check_at(const struct options *options);

// After all words: a guest takes the place of the locks, and is run in real
// time unless --virtual says otherwise. Refuses --lease where time is the
// world's.
void options_settle(struct options *options);

// Refuses a picture of several locks, and one of bytes; and --drawn without
// JSON.
void options_check_picture(const struct options *options);

// Parses, or ends the program: with 0 after --help, with 2 on wrong use. `race`
// is the scenario's name.
void options_parse(struct options *options, const char *race, int argc,
                   char **argv);

#endif
