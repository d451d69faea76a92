// Arguments of a client's commands that differ from run to run.
//
// A search assumes that a client reacts to a stimulus in the same way in every
// run. But a token that is random, or made from the process id, differs from
// run to run. The ladder's tokens look like tokens, so they are named in any
// case (report/token_names.h). A guest may make others. So before a search
// begins, a client enters and leaves alone, twice, each time as a new process.
// An argument that is not the same in both runs is a token. A later argument at
// the same place of such a command is a token, too.
#ifndef VARYING_H
#define VARYING_H

#include "report/token_names.h"

// Notes the places at which two texts of the same command differ.
void varying_compare(const char *one, const char *other);

// Names what stands at such places in this command of the client.
void varying_name(struct names *names, const char *client, const char *text);

#endif
