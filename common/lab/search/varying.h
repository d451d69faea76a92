// Arguments of a client's commands that differ from run to run.
//
// A search takes a client's reaction to a stimulus for the one that it always
// has. A token that is random, or made from the number of the
// process, is another one in every run. The ladder's tokens look like tokens,
// so they are named in any case (report/token_names.h). A guest may make
// others. So before a search begins, a client enters and leaves alone, twice,
// each time as a new process. An argument that is not the same in both runs is
// a token. What stands at the same place of such a command later is one too.
#ifndef VARYING_H
#define VARYING_H

#include "report/token_names.h"

// Notes the places at which two texts of the same command differ.
void varying_compare(const char *one, const char *other);

// Names what stands at such places in this command of the client.
void varying_name(struct names *names, const char *client, const char *text);

#endif
