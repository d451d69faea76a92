// The temporary folder of one run, and the promise that nothing outlives it.
//
// A keeper process waits for this process to end, in whatever way (return,
// Ctrl-C, SIGKILL), and then removes the folder. Children are tied to this
// process by the kernel (PR_SET_PDEATHSIG), stopped ones too. A signal handler
// would be the usual way, and would not survive SIGKILL.
//
// What children have started themselves (a server's wrapper can fail and leave
// a process in a session of its own) becomes ours when its parent ends
// (PR_SET_CHILD_SUBREAPER), and is ended at the end. Where this process could
// not do it, the keeper looks for processes with the folder's name in their
// environment.
#ifndef SANDBOX_H
#define SANDBOX_H

#include <sys/types.h>
#include <sys/un.h>

enum { SANDBOX_PATH_SIZE = sizeof((struct sockaddr_un *)0)->sun_path };

// Makes the folder under $TMPDIR, or in memory, or under /tmp, and starts the
// keeper. Fails the world when there is no room for it.
void sandbox_open(void);

// The keeper ends this group of processes, too, when the owner has ended; a
// negative number: no longer.
void sandbox_entrust(pid_t group);

// Writes the path of a file in the folder. Always fits into a sockaddr_un.
void sandbox_path(char path[SANDBOX_PATH_SIZE], const char *file);

// The folder itself.
const char *sandbox_folder(void);

// Removes the folder and returns when it is gone. Runs at exit by itself.
void sandbox_close(void);

#endif
