#include "driven.h"

#include "base/child.h"
#include "base/fail.h"
#include "catalogue/engines.h"
#include "catalogue/locks.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct address driven_address(const struct door *door,
                              char path[DRIVEN_PATH_SIZE]) {
    snprintf(path, DRIVEN_PATH_SIZE, "/proc/%d/fd/%d", getpid(), door->fd);
    return (struct address){.socket = path};
}

redisContext *connect_to(const char *path) {
    redisContext *context = redisConnectUnix(path);

    if (!context || context->err)
        fail("the bench cannot connect to its server");
    return context;
}

redisReply *must_answer(redisReply *reply) {
    if (!reply)
        fail("the bench has lost its server");
    return reply;
}

void ping(const char *path, int times) {
    redisContext *context = connect_to(path);

    for (int i = 0; i < times; i++)
        freeReplyObject(must_answer(redisCommand(context, "PING")));
    redisFree(context);
}

struct driven driven_child(void (*be)(const void *argument),
                           const void *argument) {
    int in[2], out[2];

    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        fail("cannot make a pipe");
    fflush(stdout);
    struct driven driven = {.pid = child_start(), .in = in[1], .out = out[0]};
    if (driven.pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[1]); // else it never hears the end
        be(argument);
        _exit(0);
    }
    close(in[0]);
    close(out[1]);
    driven.said = must_have(fdopen(out[0], "r"));
    return driven;
}

void driven_say(const char *word) {
    puts(word);
    fflush(stdout);
}

struct driven driven_ready(struct driven driven) {
    char said[64] = "";

    if (!fgets(said, sizeof said, driven.said) ||
        strncmp(said, "ready", 5) != 0)
        fail("a client that is measured has not become ready");
    return driven;
}

bool driven_has_spoken(const struct driven *driven) {
    struct pollfd said = {.fd = driven->out, .events = POLLIN};
    return poll(&said, 1, 0) > 0;
}

struct client_of {
    const char *lock;
    const struct address *servers;
    int count;
};

static void become_client(const void *argument) {
    const struct client_of *client = argument;
    struct variable environment[ENGINE_VARIABLES];
    char program[PATHS_SIZE];
    int variables = engines_of(client->lock)->client_environment(
        environment, client->servers, client->count);

    locks_client(client->lock, program);
    for (int i = 0; i < variables; i++)
        setenv(environment[i].name, environment[i].value, 1);
    execl(program, program, (char *)NULL);
    _exit(127);
}

struct driven driven_client(const char *lock, const struct address *servers,
                            int count) {
    return driven_child(become_client,
                        &(struct client_of){lock, servers, count});
}

void driven_order(const struct driven *driven, const char *lines) {
    size_t length = strlen(lines);

    while (length > 0) {
        ssize_t written = write(driven->in, lines, length);
        if (written <= 0)
            fail("a client that is measured has ended");
        lines += written;
        length -= (size_t)written;
    }
}

void driven_hear(const struct driven *driven, const char *line) {
    char said[256] = "";

    if (!fgets(said, sizeof said, driven->said))
        fail("a client that is measured has ended");
    said[strcspn(said, "\n")] = '\0';
    if (strcmp(said, line) != 0)
        fail("a client that is measured said '%s' and not '%s'", said, line);
}

void driven_end(struct driven *driven) {
    char rest[4096];

    close(driven->in);
    while (fread(rest, 1, sizeof rest, driven->said) > 0)
        continue;
    child_end(driven->pid, "a client that is measured");
    fclose(driven->said);
}
