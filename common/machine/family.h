// The processes that a process has started, and those that they have started.
#ifndef FAMILY_H
#define FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Do all of them sleep, or have they stopped or ended? *mark becomes a hash of
// how often each of their threads has run; 0: there are none. If two looks find
// the same mark, then none of them has run in between. (A process whose parent
// has ended is not found. Nor is any on a kernel without CONFIG_PROC_CHILDREN.)
bool family_sleeps(pid_t process, uint64_t *mark);

#endif
