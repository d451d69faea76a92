#include "fork_server.h"

#include "base/fail.h"
#include "descriptors.h"
#include "fork_server_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_VARIABLES = 16 };

void fork_server_open(struct fork_server *fork_server, char *const argv[],
                      const struct variable *environment) {
    struct variable whole[MOST_VARIABLES];
    int ends[2], count = 0, yes = 1;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        fail("cannot make a fork server: %s", strerror(errno));
    setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
    fork_server->process.keeps[PROCESS_KEEPS - 1] = ends[1];
    for (; environment[count].name; count++) {
        if (count == MOST_VARIABLES - 3)
            fail("more than %d variables for a fork server", count);
        whole[count] = environment[count];
    }
    whole[count++] = (struct variable){FORK_SERVER_VARIABLE, "yes"};
    // The loader looks up all symbols now, once, and not in every client again.
    whole[count++] = (struct variable){"LD_BIND_NOW", "1"};
    whole[count] = (struct variable){NULL, NULL};
    process_start(&fork_server->process, argv, whole);
    close(ends[1]);
    fork_server->socket = ends[0];
}

void fork_server_close(struct fork_server *fork_server) {
    close(fork_server->socket);
    process_kill(&fork_server->process);
}

static size_t write_order(char order[FORK_SERVER_ORDER],
                          const struct variable *environment) {
    size_t length = 0;

    for (; environment->name; environment++) {
        length += (size_t)snprintf(order + length, FORK_SERVER_ORDER - length,
                                   "%s=%s", environment->name,
                                   environment->value) + 1;
        if (length > FORK_SERVER_ORDER)
            fail("a client's variables have more than %d bytes",
                 FORK_SERVER_ORDER);
    }
    return length;
}

// -1: it has started none.
static pid_t hear_number(int socket) {
    char byte;
    struct iovec bytes = {&byte, sizeof byte};
    union {
        char room[CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr head;
    } with;
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1,
                             .msg_control = &with,
                             .msg_controllen = sizeof with};
    struct ucred sender;

    if (recvmsg(socket, &message, 0) != sizeof byte || !CMSG_FIRSTHDR(&message))
        return -1;
    memcpy(&sender, CMSG_DATA(&with.head), sizeof sender);
    return sender.pid;
}

void fork_server_start(struct fork_server *fork_server, struct process *process,
                       const struct variable *environment) {
    char order[FORK_SERVER_ORDER];
    int in[2], out[2];

    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        fail("cannot make pipes for a client: %s", strerror(errno));
    const int files[FORK_SERVER_FILES] = {in[0], out[1], process->keeps[0],
                                          process->keeps[1], out[1]};
    if (!descriptors_send(fork_server->socket, order,
                          write_order(order, environment), files,
                          FORK_SERVER_FILES - !process->joins_stderr))
        fail("the fork server no longer reads its socket");
    close(in[0]);
    close(out[1]);
    if (!process_hears_within(fork_server->socket, PATIENCE_FOR_STARTS_MS))
        fail("the fork server has not started another client within %d s",
             PATIENCE_FOR_STARTS_MS / 1000);
    process->pid = hear_number(fork_server->socket);
    if (process->pid < 0)
        fail("the fork server could not start another client");
    if (process->leads)
        setpgid(process->pid, process->pid); // the child does the same
    process->number = 0; // it has inherited the fork server's
    process_adopt(process, in[1], out[0]);
}
