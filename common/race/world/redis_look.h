// What an outsider can see of a lock in Redis: what stands under its key, and
// whether a request could change that.
#ifndef REDIS_LOOK_H
#define REDIS_LOOK_H

#include "lock_state.h"
#include "message.h"
#include "redis_server.h"

// Looks at the lock. Also makes the server notice that time has passed, which
// it would otherwise do at its next tick.
struct lock_state redis_look(struct redis_server *server, const char *key);

// Could this request change the lock, as things stand? True for every command
// that the server itself lists as writing, scripts included, but for SETNX and
// SET NX of a key that exists. In a transaction (`noting`) only EXEC does.
bool redis_may_change(struct redis_server *server,
                      const struct message *request, bool noting);

#endif
