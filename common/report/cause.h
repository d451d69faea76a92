// Why a property was lost, found in the record of the run.
//
// The sentence is worked out from the events of this very run. It says who got
// the lock from the server first, what took it away there, and what the client
// was doing at that time. So it is true by construction, and it is there for
// guests, replays and the finds of a search as well. A sentence written by hand
// for each lock or each race was the alternative; too many of those were not
// true of the trace above them.
#ifndef CAUSE_H
#define CAUSE_H

#include "record.h"

// A sentence or two that go on after "Lost because ", without line breaks. The
// caller frees it.
char *cause_find(const struct record *record, const struct lost_property *lost);

// "Lost because ", or of a run that HOLDS "Held because ".
const char *cause_beginning(const struct record *record);

#endif
