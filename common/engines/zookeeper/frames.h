// ZooKeeper's wire format: frames, in words.
//
// A request is shown as one would type it into zkCli.sh. An answer is shown by
// its contents: the new path, the names of a node's children, or the name of an
// error. Requests that a client library sends by itself are shown as well:
// "ping", and "watch again …" after a connection was lost. A client that
// watches a node gets a message when it changes: "deleted /lock/…".
#ifndef FRAMES_H
#define FRAMES_H

#include "engines/message.h"

#include <stdint.h>

extern const struct wire_format frames;

// Kinds of requests that the world sends itself.
enum {
    REQUEST_CREATE = 1,
    REQUEST_DELETE = 2,
    REQUEST_SET_ACL = 7,
    REQUEST_GET_CHILDREN = 8,
    REQUEST_PING = 11,
};

// A ping has always this number, and so has its answer.
enum { NUMBER_OF_PINGS = -2 };

// Errors in answers.
enum { ERROR_NO_NODE = -101, ERROR_NO_AUTH = -102, ERROR_NODE_EXISTS = -110 };

// The word for an error: "NoNode". The string is static.
const char *frames_error(int32_t error);

#endif
