// Redis's rules about requests, for a search.
#ifndef REDIS_REQUESTS_H
#define REDIS_REQUESTS_H

#include "engines/requests.h"

extern const struct request_rules redis_requests;

#endif
