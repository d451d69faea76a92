// The fork server: the second half of the preloaded library.
//
// A search starts clients by the thousand, and most of that time is the
// loader's. So the program is loaded once, with FORK_SERVER_VARIABLE in its
// environment, and waits for orders on its socket. For each of them it forks.
// The new process is a child of the world, as if the world had started it. It
// goes on to main(), or from where a guest has said that it is loaded.
#include "fork_server_preload.h"

#include "clock_preload.h"
#include "fork_server_page.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    char environment[FORK_SERVER_ORDER]; // "NAME=value", each ends with a zero
    size_t length;
    int files[FORK_SERVER_FILES];
} order;

static int receive(int socket) {
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof order.files)];
    } control;
    struct iovec bytes = {order.environment, sizeof order.environment};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t length = recvmsg(socket, &message, 0);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    if (length <= 0 || !head || head->cmsg_len != CMSG_LEN(sizeof order.files))
        return 0;
    order.length = (size_t)length;
    memcpy(order.files, CMSG_DATA(head), sizeof order.files);
    return 1;
}

// Like fork(), but the new process is a child of our parent (CLONE_PARENT), so
// that the world can wait for it. We call the kernel directly, so we must also
// update the thread number that the C library keeps; the kernel knows its
// address. In the system call the address is the fourth argument on x86-64 and
// the fifth on arm64, so it is passed in both places. The kernel ignores the
// other one without CLONE_SETTLS.
static pid_t fork_sibling(void) {
    pid_t *thread_number = NULL;
    unsigned long flags = CLONE_PARENT | SIGCHLD;

    if (prctl(PR_GET_TID_ADDRESS, &thread_number) == 0 && thread_number)
        flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, thread_number,
                          thread_number);
}

// (Each of the order's files has a higher number than all these places.)
static void take_files(void) {
    static const int places[FORK_SERVER_FILES] = {
        STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, CLOCK_PAGE_FD,
        PROCESS_PAGE_FD,
    };

    for (int i = 0; i < FORK_SERVER_FILES; i++) {
        dup2(order.files[i], places[i]);
        close(order.files[i]);
    }
}

static void take_environment(void) {
    unsetenv(FORK_SERVER_VARIABLE); // a guest gets it again, empty
    unsetenv("LD_BIND_NOW");
    for (char *variable = order.environment;
         variable < order.environment + order.length;
         variable += strlen(variable) + 1) {
        char *kept = strdup(variable);
        if (!kept || putenv(kept) != 0)
            _exit(EXIT_FAILURE);
    }
}

static void take_mark(void) {
    rlim_t mark = strtoull(getenv(FORK_SERVER_MARK_VARIABLE), NULL, 10);

    setrlimit(RLIMIT_RTTIME, &(struct rlimit){mark, mark});
    unsetenv(FORK_SERVER_MARK_VARIABLE);
}

static void become_client(int socket, pid_t world) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != world)
        _exit(EXIT_FAILURE); // the world died before the line above
    setpgid(0, 0); // what it starts is in its group and is ended with it
    close(socket);
    take_files();
    take_environment();
    take_mark();
}

// Returns in each new client.
static void serve(void) {
    const int socket = FORK_SERVER_SOCKET;
    pid_t world = getppid();

    while (receive(socket)) {
        pid_t child = fork_sibling();
        if (child == 0) {
            send(socket, "", 1, MSG_NOSIGNAL);
            become_client(socket, world);
            return;
        }
        for (int i = 0; i < FORK_SERVER_FILES; i++)
            close(order.files[i]);
        if (child < 0)
            break;
    }
    _exit(EXIT_SUCCESS);
}

// Is it to be one in this place?
static int is_to_serve(const char *place) {
    const char *named = getenv(FORK_SERVER_VARIABLE);
    return named && strcmp(named, place) == 0;
}

void fork_server_wait(void) {
    if (is_to_serve(FORK_SERVER_BEFORE_MAIN))
        serve();
}

int fork_server_loads(void) {
    return is_to_serve(FORK_SERVER_WHEN_LOADED);
}

// Has it started others? Only this process is copied: a copy would have neither
// them nor what they have drawn.
static int has_started_others(void) {
    struct rusage used;

    return getrusage(RUSAGE_CHILDREN, &used) == 0 &&
           (used.ru_maxrss > 0 || waitid(P_ALL, 0, NULL, WEXITED | WNOHANG |
                                                         WNOWAIT) == 0);
}

int fork_server_open_loaded(int flags) {
    int fd = memfd_create("loaded", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);

    if (!fork_server_loads()) {
        preload_own->is_loaded = 1;
        return fd;
    }
    if (has_started_others())
        _exit(EXIT_FAILURE);
    copied_wait_for_threads();
    const uint64_t drawn = preload_own->drawn;
    serve();
    preload_join_as_copy(drawn);
    copied_begin();
    const size_t mark = strlen(order.environment) + 1; // comes first
    const size_t rest = order.length - mark;
    if (write(fd, order.environment + mark, rest) != (ssize_t)rest)
        preload_exit("lockstep: no room for a copy's variables\n");
    lseek(fd, 0, SEEK_SET);
    return fd;
}
