// What a server remembers of its clients, beside what lies under its keys: who
// watches and queues (WATCH, MULTI), which scripts it was told, who listens.
#ifndef CLIENTS_H
#define CLIENTS_H

#include "position.h"

// A command has run and was answered.
void clients_note(struct position *position, const struct move *move,
                  text_id answer);

// A key is not the same any more.
void clients_mark_watchers(struct position *position);

// A message reaches everybody who listens.
void clients_publish(struct position *position, text_id message);

#endif
