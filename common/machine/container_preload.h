// A client's process id and the name of its machine (container_preload.c).
#ifndef CONTAINER_PRELOAD_H
#define CONTAINER_PRELOAD_H

#include <sys/types.h>

// The process id of every client's first process, as the client sees it. The
// kernel gives none as high as this one: a call that takes a process id, and is
// not translated, reaches nobody.
enum { CONTAINER_PROCESS = 1 << 22 };

// From now on this process is in container `number`. *first is 0, or the
// process that was there first: that one has the number CONTAINER_PROCESS.
void container_enter(_Atomic pid_t *first, unsigned number);

#endif
