// What a server remembers of its clients, beside what lies under its keys: who
// watches and queues (WATCH, MULTI), which scripts it was told, who listens,
// and whose requests it keeps (BLPOP).
#ifndef CLIENTS_H
#define CLIENTS_H

#include "engines/engine.h"
#include "position.h"

// Of which engine the servers are: it has rules for what it remembers.
void clients_of(const struct engine_kind *engine);

// The memory that is in use for that.
size_t clients_bytes(void);

// A command has run and was answered.
void clients_note(struct position *position, const struct move *move,
                  text_id answer);

// A key is not the same any more.
void clients_mark_watchers(struct position *position);

// A message reaches everybody who listens.
void clients_publish(struct position *position, text_id message);

// The server keeps what is on this connection, behind what it has already.
void clients_block(struct position *position, int client, int connection);

// It keeps nothing of this client's any more.
void clients_unblock(struct position *position, int client);

// The server answers what it has kept, in lines of "B1 ANSWER". Returns whose
// requests those are, 1 << client. The dead hear nothing.
unsigned clients_serve(struct position *position, text_id served);

// Could a server keep such a request?
bool clients_may_block(text_id request);

#endif
