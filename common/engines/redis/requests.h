// What a search has to know of Redis's requests.
#ifndef REDIS_REQUESTS_H
#define REDIS_REQUESTS_H

#include "engines/requests.h"

extern const struct request_rules redis_requests;

// Does this text, of a script, make it look at the server's clock? It names an
// instant, or asks what time it is.
bool script_looks_at_clock(const char *text);

// The name of such a script ends with this, where names are for a search.
#define SCRIPT_CLOCK "@clock"

#endif
