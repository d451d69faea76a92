// A server's memory of its clients, beside the values under its keys: watches
// and transactions, stored scripts, listeners, blocked requests.
#ifndef CLIENTS_H
#define CLIENTS_H

#include "engines/engine.h"
#include "position.h"

// Chooses the engine of the servers: it has the rules.
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

// The server blocks the request on this connection, behind all others.
void clients_block(struct position *position, int client, int connection);

// No request of this client is blocked any more.
void clients_unblock(struct position *position, int client);

// The server answers blocked requests, in lines of "B1 ANSWER". Returns their
// clients, 1 << client. The dead hear nothing.
unsigned clients_serve(struct position *position, text_id served);

// Could a server block such a request?
bool clients_may_block(text_id request);

#endif
