// A lock in Redis, as an outsider sees it: the value under its key, and whether
// a request could change that.
#ifndef LOOK_H
#define LOOK_H

#include "engines/lock_state.h"
#include "engines/message.h"
#include "engines/resource.h"
#include "instance.h"

// Looks at the lock. Also makes the server notice that time has passed, which
// it would otherwise do at its next tick.
struct lock_state look_at(struct instance *server, const char *key);

// Everything that the server holds, a line "KEY TTL VALUE" for each key,
// sorted; the TTL in milliseconds, or -1. Fails the world if a value does not
// fit into a line. `lock` is the state just seen under `key`. The caller frees
// the text.
char *look_at_all(struct instance *server, const char *key,
                  const struct lock_state *lock);

// Could this request change the lock, in the state in which the lock is now?
// True for every command that the server itself lists as a write, and for
// scripts and functions. The exceptions are SETNX and SET NX of a key that
// exists. In a transaction (`in_transaction`) it is true for EXEC alone.
bool look_may_change(struct instance *server,
                     const struct message *request,
                     bool in_transaction);

// The same, and a script or a function is tried: false if it would only read,
// if it ran now.
bool look_would_change(struct instance *server, const struct message *request,
                       bool in_transaction);

// Does the request only read the value under the key? (A script that the server
// does not know reads nothing.)
bool look_reads(struct instance *server, const struct message *request,
                bool in_transaction, const char *key);

// The outcome of a write to the resource (docs/protocol.md); of any other
// request, none. answer == NULL: no answer has come.
enum write look_at_write(const struct message *request,
                         const struct message *answer);

#endif
