// An operator: a person with redis-cli on the server's machine.
//
// He has a connection of his own, which stays open during the run, so that
// MULTI and EXEC, SELECT, AUTH belong to one session. On the world's own
// connection they would change what the world sees of the lock.
#ifndef OPERATOR_H
#define OPERATOR_H

#include "instance.h"

// Types a command, given by words, and returns its answer; the loop turns
// meanwhile, because some commands (WAIT) wait for what passes through it.
// Fails the world if no answer comes. The caller frees it.
redisReply *operator_type(struct instance *server, const char *command);

// Does instance_forget() undo all that this command does?
bool operator_is_forgotten(const char *command);

#endif
