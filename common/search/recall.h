// What clients and server do, looked up from a position, as far as the search
// has seen it (memo.h). If it has not, the outcome says what is missing: the
// same number whenever it is the same thing.
#ifndef RECALL_H
#define RECALL_H

#include "memo.h"
#include "position.h"

// How this client reacts to what it is told.
struct outcome recall_client(const struct position *position, int client,
                             text_id stimulus, struct reaction *reaction);

// What a server does that knows these scripts.
struct outcome recall_server(const struct position *position,
                             text_id scripts, text_id command,
                             struct effect *effect);

#endif
