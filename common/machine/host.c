#include "host.h"

#include "base/fail.h"
#include "base/patience.h"
#include "descriptors.h"
#include "host_files.h"
#include "loopback.h"
#include "mark.h"
#include "process.h"
#include "sandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SPACES = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET |
             CLONE_NEWUTS,
};

static enum hosts chosen = HOSTS_FOR_GUESTS;
static bool as_user; // a host is made in a user's namespace

void hosts_choose(enum hosts which) {
    chosen = which;
}

enum hosts hosts_chosen(void) {
    return chosen;
}

bool hosts_are_wanted(bool guest) {
    return chosen == HOSTS_FOR_ALL || (chosen == HOSTS_FOR_GUESTS && guest);
}

// --- messages ----------------------------------------------------------------

// From those who make a host. The last one comes from its first process.
struct made_host {
    pid_t first;   // its number, as we see it; 0: it is the one that speaks
    int error;     // 0: all is done
    char what[48]; // could not be done
};

static int to_world = -1; // in those processes

_Noreturn void host_give_up(const char *what) {
    struct made_host made = {.error = errno};

    snprintf(made.what, sizeof made.what, "%s", what);
    send(to_world, &made, sizeof made, MSG_NOSIGNAL);
    _exit(EXIT_FAILURE);
}

void host_must(long result, const char *what) {
    if (result < 0)
        host_give_up(what);
}

// --- the first process -------------------------------------------------------

static void open_loopback(void) {
    struct ifreq loopback = {.ifr_name = "lo"};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    loopback.ifr_flags = IFF_UP | IFF_RUNNING;
    host_must(fd, "make a socket");
    host_must(ioctl(fd, SIOCSIFFLAGS, &loopback), "open the loopback");
    close(fd);
}

// A wish for a port, and the answer.
struct wish {
    int port; // 0: any; IS_UNTOUCHED: no port, but is the host so?
    int error; // for that: 0 means yes
};

enum { IS_UNTOUCHED = -1 };

static int answer(struct wish *wish) {
    int fd = -1;

    if (wish->port == IS_UNTOUCHED)
        wish->error = !host_files_are_untouched();
    else
        wish->error = (fd = loopback_try(&wish->port)) < 0 ? errno : 0;
    return fd;
}

// Its whole life: it answers wishes. Orphans become its children, and the
// kernel forgets them (SIGCHLD is ignored).
_Noreturn static void be_first(void) {
    struct wish wish;
    struct made_host made = {0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    host_files_enter();
    open_loopback();
    send(to_world, &made, sizeof made, MSG_NOSIGNAL);
    recv(to_world, &wish, 1, 0); // the world has opened its namespaces
    prctl(PR_SET_DUMPABLE, 0); // it has the world's memory
    while (recv(to_world, &wish, sizeof wish, 0) == sizeof wish) {
        int fd = answer(&wish);
        descriptors_send(to_world, &wish, sizeof wish, &fd, fd >= 0);
        if (fd >= 0)
            close(fd);
    }
    _exit(EXIT_SUCCESS);
}

// --- making it ---------------------------------------------------------------

static void write_to(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    host_must(fd, "open a user's map");
    host_must(write(fd, text, strlen(text)), "write a user's map");
    close(fd);
}

// The user stays who it is. Root needs no namespace of users, and keeps the
// files of all of them.
static void part_from_machine(void) {
    unsigned user = geteuid(), group = getegid();
    char text[64];

    host_must(unshare(SPACES | (as_user ? CLONE_NEWUSER : 0)),
              "make namespaces");
    if (!as_user)
        return;
    prctl(PR_SET_DUMPABLE, 1); // else the maps are root's
    write_to("/proc/self/setgroups", "deny");
    snprintf(text, sizeof text, "%u %u 1", user, user);
    write_to("/proc/self/uid_map", text);
    snprintf(text, sizeof text, "%u %u 1", group, group);
    write_to("/proc/self/gid_map", text);
}

// Nothing of ours stays open but the socket.
static void close_all(int socket) {
    enum { PLACE = STDERR_FILENO + 1 };
    int nothing = open("/dev/null", O_RDWR);

    for (int fd = 0; fd < PLACE; fd++)
        dup2(nothing, fd);
    to_world = socket == PLACE ? socket : dup2(socket, PLACE);
    closefrom(PLACE + 1);
}

// In a child, which ends when the first process is there: a process does not
// enter its own namespace of processes, but its children do. (CLONE_PARENT:
// they are children of the world.)
_Noreturn static void make_host(int socket, const char *name,
                                const char *folder) {
    struct made_host made = {0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    mark_self(0);
    close_all(socket);
    part_from_machine();
    host_must(sethostname(name, strlen(name)), "name it");
    host_files_make(folder, name);
    made.first = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL,
                                NULL, NULL);
    host_must(made.first, "start a process");
    if (made.first == 0)
        be_first();
    send(to_world, &made, sizeof made, MSG_NOSIGNAL);
    _exit(EXIT_SUCCESS);
}

// False: it cannot be made; `made` says why.
static bool hear_of(struct host *host, struct made_host *made) {
    bool is_ready = false;

    while (!is_ready || host->first == 0) {
        if (!process_hears(host->socket) ||
            recv(host->socket, made, sizeof *made, 0) != sizeof *made) {
            *made = (struct made_host){.error = ETIMEDOUT, .what = "be made"};
            return false;
        }
        if (made->error)
            return false;
        if (made->first)
            host->first = made->first;
        else
            is_ready = true;
    }
    return true;
}

// That of users comes first: it gives the right to enter the others.
static void open_spaces(struct host *host) {
    static const char *const names[HOST_SPACES] = {"user", "mnt", "pid",
                                                   "ipc", "net", "uts"};
    char path[64];

    for (int i = as_user ? 0 : 1; i < HOST_SPACES; i++) {
        snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)host->first,
                 names[i]);
        host->spaces[i] = open(path, O_RDONLY | O_CLOEXEC);
    }
    send(host->socket, "", 1, MSG_NOSIGNAL);
}

static bool try_host(struct host *host, const char *name, const char *folder,
                     struct made_host *made) {
    int ends[2];

    *host = (struct host){.spaces = {-1, -1, -1, -1, -1, -1}};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        fail("cannot make a socket: %s", strerror(errno));
    fflush(NULL);
    pid_t maker = fork();
    if (maker < 0)
        fail("cannot start a process: %s", strerror(errno));
    if (maker == 0)
        make_host(ends[1], name, folder);
    close(ends[1]);
    host->socket = ends[0];
    bool is_made = hear_of(host, made);
    process_wait(maker, 0);
    if (is_made)
        open_spaces(host);
    else
        host_close(host);
    return is_made;
}

bool host_open(struct host *host, const char *name, const char *folder) {
    struct made_host made = {0};

    as_user = geteuid() != 0;
    host_files_begin(as_user);
    if (try_host(host, name, folder, &made))
        return true;
    if (!as_user) { // root, in a container that is not trusted
        as_user = true;
        host_files_begin(as_user);
        if (try_host(host, name, folder, &made))
            return true;
    }
    say_once(SAID_NO_HOSTS, "the clients share this machine, because the kernel "
             "gives them none of their own (cannot %s: %s): docs/guests.md",
             made.what, strerror(made.error));
    return false;
}

// (The first process ends when the last of the others has, and we have waited
// for it.)
void host_close(struct host *host) {
    process_reap();
    close(host->socket);
    for (int i = 0; i < HOST_SPACES; i++)
        if (host->spaces[i] >= 0)
            close(host->spaces[i]);
    if (host->first) {
        kill(host->first, SIGKILL);
        process_wait(host->first, 0);
    }
    *host = (struct host){.socket = -1};
}

// --- what runs there ---------------------------------------------------------

struct host_start {
    const struct host *host;
    char *const *argv, *const *environment;
    void (*prepare)(const void *argument);
    const void *argument;
    char folder[PATH_MAX]; // in which it is started
    volatile pid_t child;
    volatile int error;
};

enum { COMMAND_NOT_FOUND = 127 };

static int start_there(void *argument) {
    const struct host_start *start = argument;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    start->prepare(start->argument);
    execvpe(start->argv[0], start->argv, start->environment);
    _exit(COMMAND_NOT_FOUND);
}

// In a child, for the same reason as in make_host().
_Noreturn static void enter(struct host_start *start) {
    static char stack[1 << 16] __attribute__((aligned(16)));
    bool is_there = true;

    for (int i = 0; i < HOST_SPACES && is_there; i++)
        is_there = start->host->spaces[i] < 0 ||
                   setns(start->host->spaces[i], 0) == 0;
    if (is_there) {
        if (chdir(start->folder) < 0)
            errno = 0; // the host does not have it: it is started in its root
        start->child = clone(start_there, stack + sizeof stack,
                             CLONE_PARENT | CLONE_VM | CLONE_VFORK | SIGCHLD,
                             start);
    }
    start->error = errno;
    _exit(EXIT_SUCCESS);
}

pid_t host_exec(const struct host *host, char *const argv[],
                char *const environment[],
                void (*prepare)(const void *argument), const void *argument) {
    struct host_start start = {.host = host, .argv = argv,
                               .environment = environment, .prepare = prepare,
                               .argument = argument, .child = -1};

    if (!getcwd(start.folder, sizeof start.folder))
        strcpy(start.folder, "/");
    const pid_t child = vfork();
    if (child < 0)
        fail("cannot start a process: %s", strerror(errno));
    if (child == 0)
        enter(&start);
    process_wait(child, 0);
    if (start.child < 0)
        fail("cannot start a process on a host of its own: %s",
             strerror(start.error));
    return start.child;
}

// The first process answers: with a descriptor, or -1.
static int ask_first(const struct host *host, struct wish *wish) {
    int fd = -1;
    struct iovec bytes = {wish, sizeof *wish};
    union {
        char room[CMSG_SPACE(sizeof fd)];
        struct cmsghdr head;
    } with;
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1,
                             .msg_control = &with,
                             .msg_controllen = sizeof with};

    if (send(host->socket, wish, sizeof *wish, MSG_NOSIGNAL) < 0 ||
        !process_hears(host->socket) ||
        recvmsg(host->socket, &message, MSG_CMSG_CLOEXEC) != sizeof *wish)
        fail("a client's host has ended");
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head)
        memcpy(&fd, CMSG_DATA(head), sizeof fd);
    return fd;
}

int host_listen(const struct host *host, int *port) {
    struct wish wish = {.port = *port};
    int fd = ask_first(host, &wish);

    if (fd < 0)
        fail("cannot open a port on a host's loopback: %s",
             strerror(wish.error));
    *port = wish.port;
    loopback_note_use();
    return fd;
}

bool host_is_untouched(const struct host *host) {
    struct wish wish = {.port = IS_UNTOUCHED};

    ask_first(host, &wish);
    return wish.error == 0;
}
