#include "sandbox.h"

#include "base/fail.h"
#include "mark.h"
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// The longest file name that is put into the folder: "A/waits", "server1.sock".
enum { LONGEST_FILE = 16 };

static char folder[SANDBOX_PATH_SIZE - LONGEST_FILE - 1];
static int lifeline = -1; // when our end is closed, the keeper cleans up
static pid_t owner, keeper;

void sandbox_path(char path[SANDBOX_PATH_SIZE], const char *file) {
    snprintf(path, SANDBOX_PATH_SIZE, "%s/%s", folder, file);
}

static int remove_entry(const char *path, const struct stat *status, int type,
                        struct FTW *position) {
    (void)status;
    (void)type;
    (void)position;
    remove(path);
    return 0;
}

static int remove_inside(const char *path, const struct stat *status, int type,
                         struct FTW *position) {
    return position->level > 0 ? remove_entry(path, status, type, position) : 0;
}

void sandbox_empty(const char *file) {
    char path[SANDBOX_PATH_SIZE];

    sandbox_path(path, file);
    nftw(path, remove_inside, 8, FTW_DEPTH | FTW_PHYS);
}

static void remove_folder(void) {
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

// The keeper's message to the owner: the folder, or why there is none.
struct made {
    int error;
    char folder[sizeof folder];
};

// The keeper's whole life. The keeper itself makes the folder, so that nothing
// is left even if the owner dies at the very start.
_Noreturn static void keep(int end_of_owner) {
    struct made made = {0};
    ssize_t length;
    char word;

    setsid(); // Ctrl-C is for the owner
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    // The keeper must not hold the run's output open: a program that reads it
    // would wait for the keeper's end.
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        dup2(nothing, fd);
    dup2(end_of_owner, STDERR_FILENO + 1);
    closefrom(STDERR_FILENO + 2);
    if (!mkdtemp(folder))
        made.error = errno;
    memcpy(made.folder, folder, sizeof folder);
    mark_choose(folder);
    send(STDERR_FILENO + 1, &made, sizeof made, MSG_NOSIGNAL);
    if (made.error)
        _exit(EXIT_FAILURE);
    bool in_order = false;
    while ((length = recv(STDERR_FILENO + 1, &word, sizeof word, 0)) > 0 ||
           (length < 0 && errno == EINTR))
        in_order = in_order || length > 0;
    if (!in_order) // the owner was killed and could not end what there was
        mark_kill_all();
    remove_folder();
    _exit(EXIT_SUCCESS);
}

// Makes sure that descriptors 0 to 2 are open. If we were started with one of
// them closed, our first socket or pipe would get its number.
static void open_standard_files(void) {
    int fd;

    while ((fd = open("/dev/null", O_RDWR)) >= 0 && fd <= STDERR_FILENO)
        continue;
    if (fd >= 0)
        close(fd);
}

// A folder in memory, if the machine has one: a socket is made there in a tenth
// of the time.
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
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    atexit(sandbox_close);
    if (!process_hears(lifeline))
        fail("the keeper has not made a temporary folder in %s within %d s",
             parent, PATIENCE_MS / 1000);
    if (recv(lifeline, &made, sizeof made, 0) != sizeof made)
        fail("the keeper of the temporary folder has ended");
    if (made.error)
        fail("cannot make a temporary folder in %s: %s; set TMPDIR to a "
             "folder with room", parent, strerror(made.error));
    memcpy(folder, made.folder, sizeof folder);
    mark_choose(folder);
}

const char *sandbox_folder(void) {
    return folder;
}

// The children that we have now, but for the keeper; how many.
static int list_children(pid_t *children, int most) {
    char path[64], text[4096], *rest;
    int count = 0;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)owner);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    for (char *word = strtok_r(text, " ", &rest); word && count < most;
         word = strtok_r(NULL, " ", &rest))
        if ((pid_t)atol(word) != keeper)
            children[count++] = (pid_t)atol(word);
    return count;
}

// Waits for the end of all of them, in whatever order: the first process of a
// host ends after the others there.
static void wait_for_all(const pid_t *children, int count) {
    static const struct timespec moment = {.tv_nsec = 20000};
    struct patience patience = {0};
    int left = count;

    while (left > 0) {
        left = 0;
        for (int i = 0; i < count; i++)
            left += waitpid(children[i], NULL, WNOHANG) == 0;
        if (left > 0 && !process_patience_of(&patience, PATIENCE_FOR_ENDS_MS))
            fail("%d processes have not ended within %d s", left,
                 PATIENCE_FOR_ENDS_MS / 1000);
        if (left > 0)
            ppoll(NULL, 0, &moment, NULL);
    }
}

// Ends processes that our children have started and left behind, for instance
// when a server's wrapper script has failed. The kernel makes us their parent
// (sandbox_open() has asked for that). When we end one, its children become
// ours in turn: so we look again until there are none. False if there are
// always more.
static bool end_orphans(void) {
    enum { MOST = 64, ROUNDS = 1000 };
    pid_t children[MOST];

    for (int round = 0; round < ROUNDS; round++) {
        int count = list_children(children, MOST);
        for (int i = 0; i < count; i++)
            kill(children[i], SIGKILL);
        wait_for_all(children, count);
        if (count == 0)
            return true;
    }
    return false;
}

void sandbox_close(void) {
    if (lifeline < 0 || getpid() != owner)
        return;
    if (end_orphans())
        send(lifeline, "", 1, MSG_NOSIGNAL); // in good order
    close(lifeline);
    lifeline = -1;
    if (WIFSIGNALED(process_wait(keeper, 0))) // somebody has killed the keeper
        remove_folder();
}
