// The fork server: the second half of the preloaded library.
//
// A search starts clients by the thousand, and most of that time is the
// loader's. So the program is loaded once, with FORK_SERVER_VARIABLE in its
// environment, and waits here, before main(). For each order on its socket it
// forks. The new process is a child of the world, as if the world had started
// it, and goes on to main().
#include "clock_page.h"
#include "fork_server_page.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

struct fork_order {
    char environment[FORK_SERVER_ORDER]; // "NAME=value", each ends with a zero
    size_t length;
    int files[FORK_SERVER_FILES];
    int file_count;
};

static int receive(int socket, struct fork_order *order) {
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof order->files)];
    } control;
    struct iovec bytes = {order->environment, sizeof order->environment};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t length = recvmsg(socket, &message, 0);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    if (length <= 0 || !head)
        return 0;
    order->length = (size_t)length;
    order->file_count = (int)((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(order->files, CMSG_DATA(head),
           sizeof(int) * (size_t)order->file_count);
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

// (Each of the order's files has a higher number than those before it. So none
// of them is where an earlier one has to go.)
static void take_files(const struct fork_order *order) {
    static const int places[FORK_SERVER_FILES] = {
        STDIN_FILENO, STDOUT_FILENO, CLOCK_PAGE_FD, PROCESS_PAGE_FD,
        STDERR_FILENO,
    };

    for (int i = 0; i < order->file_count; i++) {
        dup2(order->files[i], places[i]);
        close(order->files[i]);
    }
}

static void become_client(int socket, pid_t world, struct fork_order *order) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != world)
        _exit(EXIT_FAILURE); // the world died before the line above
    setpgid(0, 0); // what it starts is in its group and is ended with it
    close(socket);
    take_files(order);
    unsetenv(FORK_SERVER_VARIABLE);
    unsetenv("LD_BIND_NOW");
    for (char *variable = order->environment;
         variable < order->environment + order->length;
         variable += strlen(variable) + 1) {
        char *kept = strdup(variable);
        if (!kept || putenv(kept) != 0)
            _exit(EXIT_FAILURE);
    }
}

void fork_server_wait(void) {
    const int socket = FORK_SERVER_SOCKET;
    pid_t world = getppid();
    struct fork_order order;

    if (!getenv(FORK_SERVER_VARIABLE))
        return;
    while (receive(socket, &order)) {
        pid_t child = fork_sibling();
        if (child == 0) {
            send(socket, "", 1, MSG_NOSIGNAL);
            become_client(socket, world, &order);
            return;
        }
        for (int i = 0; i < order.file_count; i++)
            close(order.files[i]);
        if (child < 0)
            break;
    }
    _exit(EXIT_SUCCESS);
}
