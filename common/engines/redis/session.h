// A connection to a server on which commands are asked and answered: the
// world's own, and an operator's. Nothing here waits without a limit.
#ifndef SESSION_H
#define SESSION_H

#include "machine/door.h"

#include <hiredis/hiredis.h>
#include <stdbool.h>

// Connects to the server behind this door. NULL: it does not listen.
redisContext *session_open(struct door *door);

// Closes it, if it is open; *session is NULL afterwards.
void session_close(redisContext **session);

// Sends what was appended. False: the connection is gone, or the server has
// not read for too long.
bool session_send(redisContext *session);

// The answer to what was appended, which it sends first. NULL: none came in
// time, or the connection is gone. The caller frees it.
redisReply *session_hear(redisContext *session);

// Has the server closed the connection? May only be asked while no answer is
// awaited.
bool session_is_closed(const redisContext *session);

#endif
