#include "sandbox.h"

#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// The longest file name that is put into the folder: "A.waits", "server1.sock".
enum { LONGEST_FILE = 16, MAX_GROUPS = 64 };

static char folder[SANDBOX_PATH_SIZE - LONGEST_FILE - 1];
static int lifeline = -1; // the keeper waits until our end is closed
static pid_t owner, keeper;

static int remove_entry(const char *path, const struct stat *status, int type,
                        struct FTW *position) {
    (void)status;
    (void)type;
    (void)position;
    remove(path);
    return 0;
}

// What the keeper tells the owner: the folder, or why there is none.
struct made {
    int error;
    char folder[sizeof folder];
};

static void note_group(pid_t groups[MAX_GROUPS], pid_t group) {
    pid_t sought = group > 0 ? 0 : -group; // a free place, or its own

    for (int i = 0; i < MAX_GROUPS; i++)
        if (groups[i] == sought) {
            groups[i] = group > 0 ? group : 0;
            return;
        }
}

// The folder is the keeper's from the start: an owner that dies at any moment
// leaves nothing.
_Noreturn static void keep(int end_of_owner) {
    struct made made = {0};
    pid_t groups[MAX_GROUPS] = {0}, group;
    ssize_t length;

    setsid(); // Ctrl-C is for the owner
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    // Whoever reads the run's output must not wait for the keeper.
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        dup2(nothing, fd);
    dup2(end_of_owner, STDERR_FILENO + 1);
    closefrom(STDERR_FILENO + 2);
    if (!mkdtemp(folder))
        made.error = errno;
    memcpy(made.folder, folder, sizeof folder);
    send(STDERR_FILENO + 1, &made, sizeof made, MSG_NOSIGNAL);
    if (made.error)
        _exit(EXIT_FAILURE);
    while ((length = recv(STDERR_FILENO + 1, &group, sizeof group, 0)) > 0 ||
           (length < 0 && errno == EINTR))
        if (length > 0)
            note_group(groups, group);
    for (int i = 0; i < MAX_GROUPS; i++)
        if (groups[i])
            kill(-groups[i], SIGKILL);
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

// A folder in memory, where there is one: a socket is made there in a tenth of
// the time.
static const char *default_parent(void) {
    static const char in_memory[] = "/dev/shm";
    return access(in_memory, W_OK | X_OK) == 0 ? in_memory : "/tmp";
}

void sandbox_open(void) {
    const char *named = getenv("TMPDIR");
    char parent[PATH_MAX];
    struct made made;
    int ends[2];

    open_standard_files();
    if (!named || !*named)
        named = default_parent();
    if (!realpath(named, parent)) // absolute: a server changes its folder
        fail("cannot make a temporary folder in %s: %s; set TMPDIR to a "
             "folder with room", named, strerror(errno));
    if (snprintf(folder, sizeof folder, "%s/lockstep.XXXXXX", parent) >=
        (int)sizeof folder)
        fail("the temporary folder's path is too long for a Unix "
             "socket: set TMPDIR to a shorter one (%zu bytes at most)",
             sizeof folder - sizeof "/lockstep.XXXXXX");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        fail("cannot make a socket: %s", strerror(errno));
    fflush(NULL);
    owner = getpid();
    keeper = fork();
    if (keeper < 0)
        fail("cannot start the folder's keeper: %s", strerror(errno));
    if (keeper == 0) {
        close(ends[1]);
        keep(ends[0]);
    }
    close(ends[0]);
    lifeline = ends[1];
    atexit(sandbox_close);
    if (recv(lifeline, &made, sizeof made, 0) != sizeof made)
        fail("the keeper of the temporary folder has ended");
    if (made.error)
        fail("cannot make a temporary folder in %s: %s; set TMPDIR to a "
             "folder with room", parent, strerror(made.error));
    memcpy(folder, made.folder, sizeof folder);
}

void sandbox_path(char path[SANDBOX_PATH_SIZE], const char *file) {
    snprintf(path, SANDBOX_PATH_SIZE, "%s/%s", folder, file);
}

void sandbox_entrust(pid_t group) {
    send(lifeline, &group, sizeof group, MSG_NOSIGNAL);
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
