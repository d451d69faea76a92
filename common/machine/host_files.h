// The files of a host (host.h): an overlay over all that this machine has. For
// the processes that make a host; what is not possible ends them.
#ifndef HOST_FILES_H
#define HOST_FILES_H

#include <stdbool.h>

// Tells the world what could not be done, and ends this process.
_Noreturn void host_give_up(const char *what);
void host_must(long result, const char *what);

// Before a host is made, in the run's process. `as_user`: in a user's
// namespace.
void host_files_begin(bool as_user);

// Of the run's folder the host with this name sees `folder` alone.
void host_files_make(const char *folder, const char *name);

// In the first process: only there /proc shows the host's own processes.
void host_files_enter(void);

// There, later: is all as it was then?
bool host_files_are_untouched(void);

#endif
