// A process of this one's own, which never outlives it.
#ifndef CHILD_H
#define CHILD_H

#include <sys/types.h>

// fork() whose child the kernel kills when its parent dies, however that
// happens. Ends the program if there can be no child.
pid_t child_start(void);

// Waits for its end; the status as waitpid() has it.
int child_end(pid_t child);

#endif
