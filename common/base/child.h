// Child processes that never outlive their parent.
#ifndef CHILD_H
#define CHILD_H

#include <sys/types.h>

// Like fork(), but the kernel kills the child when its parent dies, in whatever
// way the parent dies. Ends the program if no child can be started.
pid_t child_start(void);

// Waits until the child has ended. Returns the status that waitpid() gives.
int child_end(pid_t child);

// Waits for a child that writes to our standard output. Returns its exit
// status, or 2 if a signal ended it. If that signal was SIGPIPE, nobody reads
// our standard output either: so this program ends, too.
int child_end_of_output(pid_t child);

#endif
