#include "wait.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

long long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

bool flag_open(struct flag *flag) {
    flag->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return flag->fd >= 0;
}

void flag_close(struct flag *flag) {
    close(flag->fd);
}

void flag_raise(struct flag *flag) {
    eventfd_write(flag->fd, 1);
}

void flag_lower(struct flag *flag) {
    eventfd_t raised;
    eventfd_read(flag->fd, &raised);
}

int random_ms(int limit) {
    unsigned number = 0; // stays where the kernel has no randomness to give

    if (getrandom(&number, sizeof number, GRND_NONBLOCK) < 0)
        return 0;
    return (int)(number % (unsigned)limit);
}

bool wait_for_input(int fd, int ms) {
    struct pollfd input = {.fd = fd, .events = POLLIN};
    long long deadline_ms = now_ms() + ms;
    int ready;

    // A signal (SIGCONT after a stop, say) ends poll early: wait for the rest.
    while ((ready = poll(&input, 1, ms)) < 0 && errno == EINTR) {
        long long left_ms = deadline_ms - now_ms();
        ms = left_ms > 0 ? (int)left_ms : 0;
    }
    return ready > 0;
}

bool wait_ms(struct flag *flag, int ms) {
    return wait_for_input(flag ? flag->fd : -1, ms);
}
