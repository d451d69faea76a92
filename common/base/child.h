// Child processes that never outlive their parent.
#ifndef CHILD_H
#define CHILD_H

#include <stdio.h>
#include <sys/types.h>

// Like fork(), but the kernel kills the child when its parent dies, in whatever
// way the parent dies. Ends the program if no child can be started.
pid_t child_start(void);

// Starts a program, in a child that dies with its parent as well. argv[0] is
// found by PATH; if there is no such program, the child ends with status 127.
// Before that, prepare(argument) runs in the child, which uses our memory until
// then. So it changes the process (descriptors, its group, its signals) and
// nothing else. The child is not a copy of this process first, as with fork().
// On some machines the copy costs more than all else that a start costs.
pid_t child_exec(char *const argv[], char *const environment[],
                 void (*prepare)(const void *argument), const void *argument);

// Waits until the child has ended, which has nothing more to do. Returns the
// status that waitpid() gives. It may have servers to end, and waits for them.
// If it does not end then, this program ends with a message: "WHAT has not
// ended within 120 s".
int child_end(pid_t child, const char *what);

// A child runs tell(argument, out). Returns everything that it has written to
// `out`, with a zero at the end, and its length; the caller frees it. NULL if
// the child has failed: it has said why. `what` is as for child_end(). Waits as
// long as the child works, which has limits of its own.
char *child_output(void (*tell)(const void *argument, FILE *out),
                   const void *argument, const char *what, size_t *length);

// Waits, for as long as it takes, for a child that writes to our standard
// output. Returns its exit
// status, or 2 if a signal ended it. If that signal was SIGPIPE, nobody reads
// our standard output either: so this program ends, too.
int child_end_of_output(pid_t child);

#endif
