// Child processes that never outlive their parent.
#ifndef CHILD_H
#define CHILD_H

#include <stdio.h>
#include <sys/types.h>

// Like fork(), but the kernel kills the child when its parent dies, in whatever
// way the parent dies. Ends the program if no child can be started.
pid_t child_start(void);

// Waits until the child has ended, which has nothing more to do. Returns the
// status that waitpid() gives. If it does not end soon, this program ends with
// a message: "WHAT has not ended within 10 s".
int child_end(pid_t child, const char *what);

// A child runs tell(argument, out). Returns everything that it has written to
// `out`, with a zero at the end, and its length; the caller frees it. NULL if
// the child has failed: it has said why. `what` is as for child_end(). Waits as
// long as the child works, which has limits of its own.
char *child_told(void (*tell)(const void *argument, FILE *out),
                 const void *argument, const char *what, size_t *length);

// Waits, for as long as it takes, for a child that writes to our standard
// output. Returns its exit
// status, or 2 if a signal ended it. If that signal was SIGPIPE, nobody reads
// our standard output either: so this program ends, too.
int child_end_of_output(pid_t child);

#endif
