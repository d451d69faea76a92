// A process of this one's own, which never outlives it.
#ifndef CHILD_H
#define CHILD_H

#include <sys/types.h>

// fork() whose child the kernel kills when its parent dies, however that
// happens. Ends the program if there can be no child.
pid_t child_start(void);

// Waits for its end; the status as waitpid() has it.
int child_end(pid_t child);

// The same for one that prints: the exit status, 2 if it has none. Where nobody
// reads what it prints, nobody reads this program, which ends, too.
int child_end_of_output(pid_t child);

#endif
