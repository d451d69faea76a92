#include "descriptors.h"

#include <assert.h>
#include <string.h>
#include <sys/socket.h>

bool descriptors_send(int socket, const void *bytes, size_t length,
                      const int *descriptors, size_t count) {
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(MOST_DESCRIPTORS * sizeof(int))];
    } with = {.head = {CMSG_LEN(count * sizeof *descriptors), SOL_SOCKET,
                       SCM_RIGHTS}};
    struct iovec vector = {(void *)bytes, length};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};

    assert(count <= MOST_DESCRIPTORS);
    if (count > 0) {
        memcpy(CMSG_DATA(&with.head), descriptors, count * sizeof *descriptors);
        message.msg_control = &with;
        message.msg_controllen = CMSG_SPACE(count * sizeof *descriptors);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)length;
}
