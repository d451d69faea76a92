#include "host.h"

#include "base/fail.h"
#include "base/patience.h"
#include "loopback.h"
#include "mark.h"
#include "process.h"
#include "sandbox.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
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
struct made {
    pid_t first;   // its number, as we see it; 0: it is the one that speaks
    int error;     // 0: all is done
    char what[48]; // could not be done
};

static int to_world = -1; // in those processes

_Noreturn static void give_up(const char *what) {
    struct made made = {.error = errno};

    snprintf(made.what, sizeof made.what, "%s", what);
    send(to_world, &made, sizeof made, MSG_NOSIGNAL);
    _exit(EXIT_FAILURE);
}

static void must(long result, const char *what) {
    if (result < 0)
        give_up(what);
}

// --- the files ---------------------------------------------------------------

static char stage[SANDBOX_PATH_SIZE]; // the folder for the host's files
static bool as_user; // this process is in a user's namespace

static void path_in_stage(char path[PATH_MAX], const char *part,
                          const char *rest) {
    if (snprintf(path, PATH_MAX, "%s/%s%s", stage, part, rest) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        give_up("name a folder");
    }
}

// From Linux 5.12 on; the C library has no name for it before 2.36.
static void make_read_only(const char *path) {
    const struct {
        uint64_t set, cleared, propagation, user_namespace;
    } read_only = {.set = 1}; // MOUNT_ATTR_RDONLY
    enum { SYS_MOUNT_SETATTR = 442, RECURSIVE = 0x8000 };

    syscall(SYS_MOUNT_SETATTR, AT_FDCWD, path, RECURSIVE, &read_only,
            sizeof read_only);
}

// The root of an overlay looks like that of its upper layer.
static void look_like(const char *upper, const char *folder) {
    struct stat status;

    if (stat(folder, &status) < 0)
        return;
    chmod(upper, status.st_mode & 07777);
    if (chown(upper, status.st_uid, status.st_gid) < 0)
        errno = 0; // another user's, whom the namespace does not know
}

static bool put_overlay(const char *folder, const char *to) {
    static int count;
    char upper[PATH_MAX], work[PATH_MAX], options[3 * PATH_MAX + 64];
    char number[16];

    if (folder[strcspn(folder, ":,\\")])
        return false;
    snprintf(number, sizeof number, "/%d", ++count);
    path_in_stage(upper, "upper", number);
    path_in_stage(work, "work", number);
    must(mkdir(upper, 0755), "make a folder");
    must(mkdir(work, 0755), "make a folder");
    look_like(upper, folder);
    snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s%s",
             folder, upper, work, as_user ? ",userxattr" : "");
    return mount("overlay", to, "overlay", 0, options) == 0;
}

// Is this path the folder, or in it?
static bool is_in(const char *path, const char *folder) {
    size_t length = strlen(folder);

    return strncmp(path, folder, length) == 0 &&
           (path[length] == '/' || !path[length]);
}

// It is put there in another way.
static bool is_apart(const char *path) {
    return is_in(path, "/proc") || is_in(path, "/sys") || is_in(path, "/dev");
}

static bool put_file(const char *file, const char *to) {
    int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

    if (fd < 0)
        return false;
    close(fd);
    if (mount(file, to, NULL, MS_BIND, NULL) < 0)
        return false;
    make_read_only(to);
    return true;
}

static bool put_link(const char *link, const char *to) {
    char target[PATH_MAX];
    ssize_t length = readlink(link, target, sizeof target - 1);

    if (length < 0)
        return false;
    target[length] = '\0';
    return symlink(target, to) == 0;
}

static bool put(const char *path);

// One by one. In a user's namespace a folder in which something is mounted
// cannot be a layer: what is hidden under the mount would come to light.
static bool put_entries(const char *folder) {
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *entries = opendir(folder);

    while (entries && (entry = readdir(entries))) {
        const char *between = folder[1] ? "/" : "";
        int length = snprintf(path, sizeof path, "%s%s%s", folder, between,
                              entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 &&
            strcmp(entry->d_name, "..") != 0 && length < (int)sizeof path &&
            !is_apart(path))
            put(path); // it is left out if this user may not read it
    }
    if (entries)
        closedir(entries);
    return entries != NULL;
}

// Puts a folder or a file of this machine there. A folder is the lower layer of
// an overlay, or it can be read only, if its file system cannot be a layer.
static bool put(const char *path) {
    struct stat status;
    char to[PATH_MAX];

    path_in_stage(to, "root", path);
    if (lstat(path, &status) < 0)
        return false;
    if (S_ISLNK(status.st_mode))
        return put_link(path, to);
    if (!S_ISDIR(status.st_mode))
        return put_file(path, to);
    mkdir(to, 0755);
    if (put_overlay(path, to))
        return true;
    if (mount(path, to, NULL, MS_BIND, NULL) < 0)
        return put_entries(path);
    make_read_only(to);
    return true;
}

static int compare_paths(const void *one, const void *other) {
    return strcmp(*(char *const *)one, *(char *const *)other);
}

// The places where something is mounted, and that are copied one by one.
static size_t list_places(char **places, size_t most) {
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    char *line = NULL, place[PATH_MAX];
    size_t count = 0, size = 0;

    if (!mounts)
        give_up("read the list of mounts");
    while (count < most && getline(&line, &size, mounts) > 0)
        if (sscanf(line, "%*s %*s %*s %*s %4095s", place) == 1 && place[1] &&
            !strchr(place, '\\') && !is_apart(place))
            places[count++] = strdup(place);
    fclose(mounts);
    free(line);
    qsort(places, count, sizeof *places, compare_paths);
    return count;
}

// The root, and what is mounted in it.
static void put_root(void) {
    enum { MOST = 256 };
    static char *places[MOST];
    char to[PATH_MAX];

    path_in_stage(to, "root", "");
    if (!put_overlay("/", to)) {
        must(mount(to, to, NULL, MS_BIND, NULL), "mount a root");
        if (!put_entries("/"))
            give_up("read the root");
        return;
    }
    size_t count = list_places(places, MOST);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(places[i], places[i - 1]) != 0)
            put(places[i]); // may be hidden by another one
}

// A folder with the machine's own files: no host writes there.
static void put_machine(const char *folder) {
    char to[PATH_MAX];

    if (access(folder, F_OK) < 0)
        return;
    path_in_stage(to, "root", folder);
    mkdir(to, 0755);
    must(mount(folder, to, NULL, MS_BIND | MS_REC, NULL), "mount its devices");
    make_read_only(to);
}

static void put_all(void) {
    char queues[PATH_MAX];

    put_root();
    put_machine("/sys");
    put_machine("/dev");
    if (access("/dev/shm", F_OK) == 0 && !put("/dev/shm"))
        give_up("mount /dev/shm");
    path_in_stage(queues, "root", "/dev/mqueue");
    if (access(queues, F_OK) == 0) // they belong to the IPC namespace
        must(mount("mqueue", queues, "mqueue", 0, NULL), "mount /dev/mqueue");
}

// Of the run's folder: this client's part and the library.
static void put_sandbox(const char *folder) {
    char whole[PATH_MAX], part[PATH_MAX], library[SANDBOX_PATH_SIZE];
    char link[PATH_MAX];

    path_in_stage(whole, "root", sandbox_folder());
    path_in_stage(part, "root", folder);
    must(mount("tmpfs", whole, "tmpfs", 0, "mode=0700,size=64k"),
         "mount its folder");
    must(mkdir(part, 0700), "make its folder");
    must(mount(folder, part, NULL, MS_BIND, NULL), "mount its sockets");
    sandbox_path(library, "clock.so");
    path_in_stage(link, "root", library);
    put_link(library, link); // there is none in real time
}

// A host's name leads to an address of its own. (The file of this machine stays
// what it is: another one lies over it.)
static void add_name(const char *name) {
    static const char place[] = "/etc/hosts";
    char path[PATH_MAX], to[PATH_MAX];
    int byte;

    path_in_stage(path, "hosts", "");
    path_in_stage(to, "root", place);
    FILE *old = fopen(place, "re"), *new = fopen(path, "we");
    while (old && new && (byte = getc(old)) != EOF)
        putc(byte, new);
    if (old)
        fclose(old);
    if (!new)
        return;
    fprintf(new, "\n127.0.0.1 localhost\n127.0.1.1 %s\n", name);
    fclose(new);
    mount(path, to, NULL, MS_BIND, NULL); // there may be no such file
}

static void make_files(const char *folder, const char *name) {
    static const char *const parts[] = {"root", "upper", "work"};
    char path[PATH_MAX];

    must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "part the mounts");
    must(mount("tmpfs", stage, "tmpfs", 0, "mode=0755,size=64m"),
         "mount a folder");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        path_in_stage(path, parts[i], "");
        must(mkdir(path, 0755), "make a folder");
    }
    put_all();
    put_sandbox(folder);
    add_name(name);
}

// In the first process: only there /proc shows the host's own processes.
static void enter_files(void) {
    char root[PATH_MAX];

    path_in_stage(root, "root", "");
    must(chdir(root), "go there");
    mkdir("proc", 0755);
    must(mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL),
         "mount /proc");
    must(syscall(SYS_pivot_root, ".", "."), "change the root");
    must(umount2(".", MNT_DETACH), "leave the old root");
    must(chdir("/"), "go there");
}

// --- the first process -------------------------------------------------------

static void open_loopback(void) {
    struct ifreq loopback = {.ifr_name = "lo"};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    loopback.ifr_flags = IFF_UP | IFF_RUNNING;
    must(fd, "make a socket");
    must(ioctl(fd, SIOCSIFFLAGS, &loopback), "open the loopback");
    close(fd);
}

// A wish for a port, and the answer.
struct listening {
    int port; // 0: any
    int error;
};

static void send_listener(struct listening listening, int fd) {
    struct iovec bytes = {&listening, sizeof listening};
    union {
        char room[CMSG_SPACE(sizeof fd)];
        struct cmsghdr head;
    } with = {.head = {CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS}};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};

    if (fd >= 0) {
        memcpy(CMSG_DATA(&with.head), &fd, sizeof fd);
        message.msg_control = &with;
        message.msg_controllen = sizeof with;
    }
    sendmsg(to_world, &message, MSG_NOSIGNAL);
}

// Its whole life: it opens ports. Orphans become its children, and the kernel
// forgets them (SIGCHLD is ignored).
_Noreturn static void be_first(void) {
    struct listening listening;
    struct made made = {0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    enter_files();
    open_loopback();
    send(to_world, &made, sizeof made, MSG_NOSIGNAL);
    recv(to_world, &listening, 1, 0); // the world has opened its namespaces
    prctl(PR_SET_DUMPABLE, 0); // it has the world's memory
    while (recv(to_world, &listening, sizeof listening, 0) ==
           sizeof listening) {
        int fd = loopback_try(&listening.port);
        listening.error = fd < 0 ? errno : 0;
        send_listener(listening, fd);
        if (fd >= 0)
            close(fd);
    }
    _exit(EXIT_SUCCESS);
}

// --- making it ---------------------------------------------------------------

static void write_to(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    must(fd, "open a user's map");
    must(write(fd, text, strlen(text)), "write a user's map");
    close(fd);
}

// The user stays who it is. Root needs no namespace of users, and keeps the
// files of all of them.
static void part_from_machine(void) {
    unsigned user = geteuid(), group = getegid();
    char text[64];

    must(unshare(SPACES | (as_user ? CLONE_NEWUSER : 0)), "make namespaces");
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
    struct made made = {0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    mark_self(0);
    close_all(socket);
    part_from_machine();
    must(sethostname(name, strlen(name)), "name it");
    make_files(folder, name);
    made.first = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL,
                                NULL, NULL);
    must(made.first, "start a process");
    if (made.first == 0)
        be_first();
    send(to_world, &made, sizeof made, MSG_NOSIGNAL);
    _exit(EXIT_SUCCESS);
}

// False: it cannot be made; `made` says why.
static bool hear_of(struct host *host, struct made *made) {
    bool is_ready = false;

    while (!is_ready || host->first == 0) {
        if (!process_hears(host->socket) ||
            recv(host->socket, made, sizeof *made, 0) != sizeof *made) {
            *made = (struct made){.error = ETIMEDOUT, .what = "be made"};
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
                     struct made *made) {
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

static atomic_bool *said; // shared by all processes of a run

__attribute__((constructor)) static void share(void) {
    said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void say_why(const struct made *made) {
    if (said == MAP_FAILED || !atomic_exchange(said, true))
        fprintf(stderr, "%s: the clients share this machine, because the "
                "kernel gives them none of their own (cannot %s: %s): "
                "docs/guests.md\n", program_invocation_short_name, made->what,
                strerror(made->error));
}

bool host_open(struct host *host, const char *name, const char *folder) {
    struct made made = {0};

    sandbox_path(stage, "stage");
    mkdir(stage, 0700);
    as_user = geteuid() != 0;
    if (try_host(host, name, folder, &made))
        return true;
    if (!as_user) { // root, in a container that is not trusted
        as_user = true;
        if (try_host(host, name, folder, &made))
            return true;
    }
    say_why(&made);
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

struct entry {
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
    const struct entry *entry = argument;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    entry->prepare(entry->argument);
    execvpe(entry->argv[0], entry->argv, entry->environment);
    _exit(COMMAND_NOT_FOUND);
}

// In a child, for the same reason as in make_host().
_Noreturn static void enter(struct entry *entry) {
    static char stack[1 << 16] __attribute__((aligned(16)));
    bool is_there = true;

    for (int i = 0; i < HOST_SPACES && is_there; i++)
        is_there = entry->host->spaces[i] < 0 ||
                   setns(entry->host->spaces[i], 0) == 0;
    if (is_there) {
        if (chdir(entry->folder) < 0)
            errno = 0; // the host does not have it: it is started in its root
        entry->child = clone(start_there, stack + sizeof stack,
                             CLONE_PARENT | CLONE_VM | CLONE_VFORK | SIGCHLD,
                             entry);
    }
    entry->error = errno;
    _exit(EXIT_SUCCESS);
}

pid_t host_exec(const struct host *host, char *const argv[],
                char *const environment[],
                void (*prepare)(const void *argument), const void *argument) {
    struct entry entry = {.host = host, .argv = argv,
                          .environment = environment, .prepare = prepare,
                          .argument = argument, .child = -1};

    if (!getcwd(entry.folder, sizeof entry.folder))
        strcpy(entry.folder, "/");
    const pid_t child = vfork();
    if (child < 0)
        fail("cannot start a process: %s", strerror(errno));
    if (child == 0)
        enter(&entry);
    process_wait(child, 0);
    if (entry.child < 0)
        fail("cannot start a process on a host of its own: %s",
             strerror(entry.error));
    return entry.child;
}

int host_listen(const struct host *host, int *port) {
    struct listening listening = {.port = *port};
    int fd = -1;
    struct iovec bytes = {&listening, sizeof listening};
    union {
        char room[CMSG_SPACE(sizeof fd)];
        struct cmsghdr head;
    } with;
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1,
                             .msg_control = &with,
                             .msg_controllen = sizeof with};

    if (send(host->socket, &listening, sizeof listening, MSG_NOSIGNAL) < 0 ||
        !process_hears(host->socket) ||
        recvmsg(host->socket, &message, MSG_CMSG_CLOEXEC) != sizeof listening)
        fail("a client's host has ended");
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (!head)
        fail("cannot open a port on a host's loopback: %s",
             strerror(listening.error));
    memcpy(&fd, CMSG_DATA(head), sizeof fd);
    *port = listening.port;
    loopback_note_use();
    return fd;
}
