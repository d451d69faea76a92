// The command line of a scenario.
#ifndef OPTIONS_H
#define OPTIONS_H

#include "catalogue/locks.h"

#include <stdbool.h>

struct options {
    struct lock_list locks; // to run on, at least one
    const char *client;     // a guest's command, and then no lock; or NULL
    const char *key;        // the first lock's; "lock" unless said otherwise
    bool real;              // real time
    bool virtual;           // --virtual was given
    bool json;
    bool wire;
};

// Check the words after --client and --key. End the program if they are not
// usable.
const char *options_client(const char *argument);
const char *options_key(const char *argument);

// Refuses --real with --virtual, and --virtual without a guest.
void options_check_time(bool real, bool virtual, const char *client);

// Parses, or ends the program: with 0 after --help, with 2 on wrong use. `race`
// is the scenario's name.
void options_parse(struct options *options, const char *race, int argc,
                   char **argv);

#endif
