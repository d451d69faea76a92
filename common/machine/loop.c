#include "loop.h"

#include "base/fail.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 32 };

static int epoll = -1;
static struct epoll_event batch[BATCH];
static int batch_size;

static void add(struct watch *watch, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = watch};

    if (epoll < 0) {
        epoll = epoll_create1(EPOLL_CLOEXEC);
        prctl(PR_SET_TIMERSLACK, 1); // ns: short waits must not last longer
    }
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, watch->fd, &event) < 0)
        fail("cannot watch a descriptor: %s", strerror(errno));
}

void loop_watch(struct watch *watch, int fd, void (*ready)(void *owner),
                void *owner) {
    *watch = (struct watch){.fd = fd, .ready = ready, .owner = owner};
    add(watch, EPOLLIN);
}

void loop_watch_room(struct watch *watch, int fd, void (*ready)(void *owner),
                     void *owner) {
    *watch = (struct watch){.fd = fd, .ready = ready, .owner = owner};
    add(watch, EPOLLOUT);
}

void loop_pause(struct watch *watch) {
    if (watch->fd < 0)
        return;
    epoll_ctl(epoll, EPOLL_CTL_DEL, watch->fd, NULL);
    // It may stand in the batch that is being worked off: take it out there.
    for (int i = 0; i < batch_size; i++)
        if (batch[i].data.ptr == watch)
            batch[i].data.ptr = NULL;
}

void loop_close(struct watch *watch) {
    loop_pause(watch);
    if (watch->fd >= 0)
        close(watch->fd);
    watch->fd = -1;
}

bool loop_turn(int us) {
    struct pollfd any = {.fd = epoll, .events = POLLIN};
    struct timespec limit = {.tv_nsec = us * 1000L};

    if (us > 0)
        ppoll(&any, 1, &limit, NULL);
    batch_size = epoll_wait(epoll, batch, BATCH, 0);
    for (int i = 0; i < batch_size; i++) {
        struct watch *watch = batch[i].data.ptr;
        if (watch)
            watch->ready(watch->owner);
    }
    bool some = batch_size > 0;
    batch_size = 0;
    return some;
}
