// The temporary folder of one run. Nothing of a run stays behind when it ends.
//
// A keeper process waits until this process has ended, in whatever way (return,
// Ctrl-C, SIGKILL), and then removes the folder. The kernel kills our children
// when we die (PR_SET_PDEATHSIG), also those that are stopped. A signal handler
// would be the usual way, but none runs after SIGKILL.
//
// A child can leave a process of its own behind: a server's wrapper script, for
// instance, fails after it has started something in a new session. When its
// parent ends, such a process becomes our child (PR_SET_CHILD_SUBREAPER), and
// we kill it when the run ends. If we were killed before that, the keeper
// searches for processes with the mark of this run (mark.h).
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdio.h>
#include <sys/un.h>

enum { SANDBOX_PATH_SIZE = sizeof((struct sockaddr_un *)0)->sun_path };

// Starts the keeper, which makes the folder: under $TMPDIR, or else in memory
// (/dev/shm), or else under /tmp. Fails the world if that is not possible.
void sandbox_open(void);

// Writes the path of a file in the folder. Always fits into a sockaddr_un.
void sandbox_path(char path[SANDBOX_PATH_SIZE], const char *file);

// The folder itself.
const char *sandbox_folder(void);

// Removes all that is in this folder of it, if there is such a folder.
void sandbox_empty(const char *file);

// Removes the folder and returns when it is gone. exit() calls it.
void sandbox_close(void);

#endif
