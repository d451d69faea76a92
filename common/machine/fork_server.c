#include "fork_server.h"

#include "base/fail.h"
#include "descriptors.h"
#include "fork_server_page.h"
#include "mark.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_VARIABLES = 16 };

static const char *const places[] = {
    [FORK_BEFORE_MAIN] = FORK_SERVER_BEFORE_MAIN,
    [FORK_WHEN_LOADED] = FORK_SERVER_WHEN_LOADED,
};

void fork_server_open(struct fork_server *fork_server, enum fork_place place,
                      char *const argv[], const struct variable *environment) {
    struct variable whole[MOST_VARIABLES];
    int ends[2], count = 0, yes = 1;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        fail("cannot make a fork server: %s", strerror(errno));
    setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
    fork_server->process.number = MARK_OF_FORK_SERVER;
    fork_server->process.keeps[PROCESS_KEEPS - 1] = ends[1];
    for (; environment[count].name; count++) {
        if (count == MOST_VARIABLES - 3)
            fail("more than %d variables for a fork server", count);
        whole[count] = environment[count];
    }
    whole[count++] = (struct variable){FORK_SERVER_VARIABLE, places[place]};
    // The loader looks up all symbols now, once, and not in every client again.
    // (A runtime could remember the variable.)
    if (place == FORK_BEFORE_MAIN)
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

static size_t write_variable(char order[FORK_SERVER_ORDER], size_t length,
                             const char *name, const char *value) {
    length += (size_t)snprintf(order + length, FORK_SERVER_ORDER - length,
                               "%s=%s", name, value) + 1;
    if (length > FORK_SERVER_ORDER)
        fail("a client's variables have more than %d bytes", FORK_SERVER_ORDER);
    return length;
}

static size_t write_order(char order[FORK_SERVER_ORDER],
                          const struct process *process,
                          const struct variable *environment) {
    char mark[24];

    snprintf(mark, sizeof mark, "%llu", mark_of(process->number));
    size_t length = write_variable(order, 0, FORK_SERVER_MARK_VARIABLE, mark);
    for (; environment->name; environment++)
        length = write_variable(order, length, environment->name,
                                environment->value);
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

bool fork_server_start(struct fork_server *fork_server, struct process *process,
                       const struct variable *environment) {
    char order[FORK_SERVER_ORDER];
    struct pipes pipes;

    process_open_pipes(process, &pipes);
    const int files[FORK_SERVER_FILES] = {
        pipes.theirs[0], pipes.theirs[1], pipes.theirs[2], process->keeps[0],
        process->keeps[1]};
    bool sent = descriptors_send(fork_server->socket, order,
                                 write_order(order, process, environment),
                                 files, FORK_SERVER_FILES);
    if (sent && !process_hears_within(fork_server->socket,
                                      PATIENCE_FOR_STARTS_MS))
        fail("the fork server has not started another client within %d s",
             PATIENCE_FOR_STARTS_MS / 1000);
    process->pid = sent ? hear_number(fork_server->socket) : -1;
    if (process->pid < 0) {
        process_close_pipes(process, &pipes);
        fork_server->ended = true;
        return false;
    }
    process_adopt(process, &pipes);
    return true;
}
