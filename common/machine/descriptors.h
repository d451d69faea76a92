// Descriptors that are sent to another process, with some bytes
// (SCM_RIGHTS, unix(7)).
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_DESCRIPTORS = 8 };

// Sends all of the bytes, at least one, on a Unix socket. The descriptors stay
// open here. False, with errno, if that fails.
bool descriptors_send(int socket, const void *bytes, size_t length,
                      const int *descriptors, size_t count);

#endif
