#include "child.h"

#include "arguments.h"
#include "fail.h"
#include "patience.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMAND_NOT_FOUND = 127 };

static void die_with(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE); // the parent died before the line above
}

pid_t child_start(void) {
    pid_t parent = getpid(), child = fork();

    if (child < 0)
        refuse("cannot start a process: %s", strerror(errno));
    if (child == 0)
        die_with(parent);
    return child;
}

pid_t child_exec(char *const argv[], char *const environment[],
                 void (*prepare)(const void *argument), const void *argument) {
    const pid_t parent = getpid(), child = vfork();

    if (child < 0)
        refuse("cannot start a process: %s", strerror(errno));
    if (child > 0)
        return child; // the child has its program, or has ended
    die_with(parent);
    prepare(argument);
    execvpe(argv[0], argv, environment);
    _exit(COMMAND_NOT_FOUND);
}

int child_end(pid_t child, const char *what) {
    static const struct timespec moment = {.tv_nsec = 100000};
    enum { LIMIT_MS = 2 * PATIENCE_FOR_ENDS_MS }; // it waits for its own first
    struct patience patience = {0};
    int status = 0;

    for (pid_t found; (found = waitpid(child, &status, WNOHANG)) != child;) {
        if (found < 0 && errno != EINTR)
            refuse("cannot wait for %s: %s", what, strerror(errno));
        if (!patience_lasts(&patience, LIMIT_MS))
            refuse("%s has not ended within %d s", what, LIMIT_MS / 1000);
        ppoll(NULL, 0, &moment, NULL);
    }
    return status;
}

char *child_output(void (*tell)(const void *argument, FILE *out),
                   const void *argument, const char *what, size_t *length) {
    char *text = NULL, bytes[4096];
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        refuse("cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    pid_t child = child_start();
    if (child == 0) {
        close(ends[0]);
        FILE *out = must_have(fdopen(ends[1], "w"));
        tell(argument, out);
        exit(fclose(out) != 0);
    }
    close(ends[1]);
    FILE *all = must_have(open_memstream(&text, length));
    for (ssize_t some; (some = read(ends[0], bytes, sizeof bytes)) != 0;)
        if (some > 0)
            fwrite(bytes, 1, (size_t)some, all);
        else if (errno != EINTR)
            break;
    fclose(all);
    close(ends[0]);
    if (child_end(child, what) == 0)
        return must_have(text);
    free(text);
    return NULL;
}

// Without a limit: a search can take hours, and has limits of its own.
int child_end_of_output(pid_t child) {
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;

    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
        end_as_sigpipe();
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_WRONG_USE;
}
