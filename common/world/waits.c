#include "waits.h"

#include "base/fail.h"
#include "machine/clock.h"
#include "machine/clock_page.h"
#include "machine/descriptors.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void end_wait(struct wait *wait) {
    loop_close(&wait->watch);
    if (wait->timer >= 0)
        close(wait->timer);
    wait->timer = -1;
    wait->announced = false;
}

// False: the client has closed the connection.
static bool receive_wait(struct wait *wait, struct announced_wait *said) {
    struct iovec bytes = {said, sizeof *said};
    union {
        char room[CMSG_SPACE(sizeof wait->timer)];
        struct cmsghdr head;
    } with;
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1,
                             .msg_control = &with,
                             .msg_controllen = sizeof with};

    if (recvmsg(wait->watch.fd, &message, MSG_CMSG_CLOEXEC) != sizeof *said)
        return false;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (!head)
        return true;
    if (wait->timer >= 0) // a client that announces twice
        close(wait->timer);
    memcpy(&wait->timer, CMSG_DATA(head), sizeof wait->timer);
    return true;
}

// No other client gets them.
static bool is_of_client(const struct wait *wait) {
    struct ucred peer;
    socklen_t size = sizeof peer;

    return getsockopt(wait->watch.fd, SOL_SOCKET, SO_PEERCRED, &peer,
                      &size) == 0 &&
           process_has(wait->waits->process, peer.pid);
}

static void send_pages(const struct wait *wait) {
    struct clock_pages pages = clock_pages(wait->waits->clock_slot);

    if (is_of_client(wait))
        descriptors_send(wait->watch.fd, "", 1,
                         (int[]){pages.clock, pages.own}, 2);
}

static void read_wait(void *owner) {
    struct wait *wait = owner;
    struct announced_wait said = {0};
    bool received = receive_wait(wait, &said);

    if (received && said.thread == PAGES_WANTED) {
        send_pages(wait);
        end_wait(wait);
    } else if (received) {
        wait->deadline_ns = said.deadline_ns;
        wait->thread = said.thread;
        wait->goes_on = said.goes_on;
        wait->announced = true;
        wait->number = ++wait->waits->announced;
    } else {
        end_wait(wait);
    }
}

static void accept_wait(void *owner) {
    struct waits *waits = owner;
    int fd = accept4(waits->listener.fd, NULL, NULL, SOCK_CLOEXEC);
    int i = 0;

    while (i < MAX_WAITS && waits->each[i].watch.fd >= 0)
        i++;
    if (i == MAX_WAITS)
        fail("client %s waits in more than %d threads", waits->client,
             MAX_WAITS);
    loop_watch(&waits->each[i].watch, fd, read_wait, &waits->each[i]);
}

void waits_open(struct waits *waits, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    memcpy(address.sun_path, path, strlen(path) + 1);
    unlink(path); // left from before the world was rewound
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(fd, MAX_WAITS) < 0)
        fail("cannot open a socket for waits: %s", strerror(errno));
    for (int i = 0; i < MAX_WAITS; i++)
        waits->each[i] =
            (struct wait){.waits = waits, .watch.fd = -1, .timer = -1};
    loop_watch(&waits->listener, fd, accept_wait, waits);
}

void waits_close(struct waits *waits) {
    loop_close(&waits->listener);
    for (int i = 0; i < MAX_WAITS; i++)
        end_wait(&waits->each[i]);
}

static bool is_before(const struct wait *one, const struct wait *other) {
    return one->deadline_ns == other->deadline_ns
               ? one->thread < other->thread
               : one->deadline_ns < other->deadline_ns;
}

const struct wait *waits_next(const struct waits *waits) {
    const struct wait *next = NULL;

    for (int i = 0; i < MAX_WAITS; i++) {
        const struct wait *wait = &waits->each[i];
        if (wait->announced && (!next || is_before(wait, next)))
            next = wait;
    }
    return next;
}

bool waits_by_itself(const struct waits *waits) {
    bool waits_itself = false;

    for (int i = 0; i < MAX_WAITS; i++) {
        const struct wait *wait = &waits->each[i];
        waits_itself = waits_itself ||
                       (wait->announced && (wait->thread < WAIT_OF_CHILD ||
                                            wait->thread >= WAIT_OF_TIMER));
    }
    return waits_itself;
}

void waits_put_off(struct waits *waits, int64_t ns) {
    for (int i = 0; i < MAX_WAITS; i++)
        if (waits->each[i].announced && !waits->each[i].goes_on)
            waits->each[i].deadline_ns += ns;
}

void waits_end_next(struct waits *waits) {
    struct wait *wait = &waits->each[waits_next(waits) - waits->each];

    if (wait->timer >= 0 ? eventfd_write(wait->timer, 1) < 0
                         : write(wait->watch.fd, "", 1) != 1)
        fail("client %s no longer waits", waits->client);
    end_wait(wait);
}
