// Reactions and effects from a position, looked up in the memo (memo.h). If the
// search has not seen one yet, the outcome has its number: the same number for
// the same question.
#ifndef RECALL_H
#define RECALL_H

#include "memo.h"
#include "position.h"

// This client's reaction to a stimulus.
struct outcome recall_client(const struct position *position, int client,
                             text_id stimulus, struct reaction *reaction);

// The effect on a server that stores these scripts.
struct outcome recall_server(const struct position *position,
                             text_id scripts, text_id command,
                             struct effect *effect);

#endif
