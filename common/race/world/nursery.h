// Starting the same program again and again, in a tenth of the time.
#ifndef NURSERY_H
#define NURSERY_H

#include "process.h"

struct nursery {
    struct process process; // loaded, and stopped before main()
    int socket;
};

// Loads argv[0] with this environment. What follows from it must be the same
// for all who are started here; it needs the world's library.
void nursery_open(struct nursery *nursery, char *const argv[],
                  const struct variable *environment);
void nursery_close(struct nursery *nursery);

// As process_start(), with the program and the environment of the nursery; what
// is given here comes on top.
void nursery_start(struct nursery *nursery, struct process *process,
                   const struct variable *environment);

#endif
