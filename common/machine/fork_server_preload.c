// In the preloaded library, too: the fork server.
//
// A search starts clients by the thousand, and most of a start is the loader's
// work. A program in whose environment a fork server is named is loaded once
// and stops here, before its own first line. For each message on the fork
// server's socket it forks, and the new process, a child of the world like any
// other, goes on to main().
#include "fork_server_page.h"

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

struct order {
    char environment[FORK_SERVER_ORDER]; // "NAME=value", each with its zero byte
    size_t length;
    int files[FORK_SERVER_FILES];
};

static int receive(int socket, struct order *order) {
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
    memcpy(order->files, CMSG_DATA(head), sizeof order->files);
    return 1;
}

// fork(2) as the library has it makes a child of ours; it shall be our
// parent's. The library's note of the thread's number is where the kernel was
// told to clear it. Where that goes among clone's arguments depends on the
// machine: fourth on x86-64, fifth on arm64. The other of the two is the new
// thread's storage, which is not looked at without CLONE_SETTLS.
static pid_t bear(void) {
    pid_t *note = NULL;
    unsigned long flags = CLONE_PARENT | SIGCHLD;

    if (prctl(PR_GET_TID_ADDRESS, &note) == 0 && note)
        flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, note, note);
}

static void begin_life(int socket, pid_t world, struct order *order) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != world)
        _exit(EXIT_FAILURE); // it died before the line above
    setpgid(0, 0); // what it starts is in its group, and ends with it
    close(socket);
    for (int i = 0; i < FORK_SERVER_FILES; i++) {
        dup2(order->files[i], i);
        close(order->files[i]);
    }
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
    const char *number = getenv(FORK_SERVER_VARIABLE);
    pid_t world = getppid();
    struct order order;

    if (!number)
        return;
    int socket = atoi(number);
    while (receive(socket, &order)) {
        pid_t child = bear();
        if (child == 0) {
            begin_life(socket, world, &order);
            return;
        }
        for (int i = 0; i < FORK_SERVER_FILES; i++)
            close(order.files[i]);
        if (send(socket, &child, sizeof child, MSG_NOSIGNAL) != sizeof child)
            break;
    }
    _exit(EXIT_SUCCESS);
}
