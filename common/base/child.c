#include "child.h"

#include "arguments.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t child_start(void) {
    pid_t parent = getpid(), child = fork();

    if (child < 0)
        refuse("cannot start a process: %s", strerror(errno));
    if (child > 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE); // the parent died before the line above
    return 0;
}

int child_end(pid_t child) {
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

int child_end_of_output(pid_t child) {
    int status = child_end(child);

    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
        end_as_sigpipe();
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_WRONG_USE;
}
