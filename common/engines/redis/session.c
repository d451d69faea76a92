#include "session.h"

#include "base/fail.h"
#include "machine/process.h"

#include <poll.h>

redisContext *session_open(struct door *door) {
    static const struct timeval limit = {.tv_sec = PATIENCE_MS / 1000};
    int fd = door_connect(door, 0);

    if (fd < 0)
        return NULL;
    redisContext *session = must_have(redisConnectFd(fd));
    redisSetTimeout(session, limit);
    return session;
}

void session_close(redisContext **session) {
    if (*session)
        redisFree(*session);
    *session = NULL;
}

bool session_send(redisContext *session) {
    int done = 0;

    while (!done)
        if (redisBufferWrite(session, &done) != REDIS_OK)
            return false;
    return true;
}

redisReply *session_hear(redisContext *session) {
    struct pollfd answer = {.fd = session->fd, .events = POLLIN};
    struct patience patience = {0};
    void *reply = NULL;

    if (redisReaderGetReply(session->reader, &reply) == REDIS_OK && reply)
        return reply; // it came with the one before
    if (!session_send(session))
        return NULL;
    while (poll(&answer, 1, 10) == 0)
        if (!process_patience(&patience))
            return NULL;
    return redisGetReply(session, &reply) == REDIS_OK ? reply : NULL;
}

bool session_is_closed(const redisContext *session) {
    struct pollfd end = {.fd = session->fd, .events = POLLIN};
    return poll(&end, 1, 0) != 0;
}
