#include "sandbox.h"

#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// The longest file name that is put into the folder: "A.waits", "redis.sock".
enum { LONGEST_FILE = 16 };

static char folder[SANDBOX_PATH_SIZE - LONGEST_FILE - 1];
static int lifeline = -1; // the keeper reads its end until ours is closed
static pid_t owner, keeper;

static int remove_entry(const char *path, const struct stat *status, int type,
                        struct FTW *position) {
    (void)status;
    (void)type;
    (void)position;
    remove(path);
    return 0;
}

_Noreturn static void keep(int end_of_owner) {
    char byte;

    setsid(); // Ctrl-C is for the owner
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    // Whoever reads the run's output must not wait for the keeper.
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        dup2(nothing, fd);
    dup2(end_of_owner, STDERR_FILENO + 1);
    closefrom(STDERR_FILENO + 2);
    while (read(STDERR_FILENO + 1, &byte, 1) < 0 && errno == EINTR)
        continue;
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    _exit(EXIT_SUCCESS);
}

// Sockets and pipes must not take the places of standard input, output and
// error where somebody has closed those.
static void open_standard_files(void) {
    int fd;

    while ((fd = open("/dev/null", O_RDWR)) >= 0 && fd <= STDERR_FILENO)
        continue;
    if (fd >= 0)
        close(fd);
}

void sandbox_open(void) {
    const char *named = getenv("TMPDIR");
    char parent[PATH_MAX];
    int ends[2];

    open_standard_files();
    if (!named || !*named)
        named = "/tmp";
    if (!realpath(named, parent)) // absolute: a server changes its folder
        world_fail("cannot make a temporary folder in %s: %s; set TMPDIR to a "
                   "folder with room", named, strerror(errno));
    if (snprintf(folder, sizeof folder, "%s/lockstep.XXXXXX", parent) >=
        (int)sizeof folder)
        world_fail("the temporary folder's path is too long for a Unix "
                   "socket: set TMPDIR to a shorter one (%zu bytes at most)",
                   sizeof folder - sizeof "/lockstep.XXXXXX");
    if (!mkdtemp(folder))
        world_fail("cannot make a temporary folder in %s: %s; set TMPDIR to a "
                   "folder with room", parent, strerror(errno));
    if (pipe2(ends, O_CLOEXEC) < 0) {
        rmdir(folder);
        world_fail("cannot make a pipe: %s", strerror(errno));
    }
    fflush(NULL);
    owner = getpid();
    keeper = fork();
    if (keeper < 0) {
        rmdir(folder);
        world_fail("cannot start the folder's keeper: %s", strerror(errno));
    }
    if (keeper == 0) {
        close(ends[1]);
        keep(ends[0]);
    }
    close(ends[0]);
    lifeline = ends[1];
    atexit(sandbox_close);
}

void sandbox_path(char path[SANDBOX_PATH_SIZE], const char *file) {
    snprintf(path, SANDBOX_PATH_SIZE, "%s/%s", folder, file);
}

const char *sandbox_folder(void) {
    return folder;
}

void sandbox_close(void) {
    if (lifeline < 0 || getpid() != owner)
        return;
    close(lifeline);
    lifeline = -1;
    waitpid(keeper, NULL, 0);
}
