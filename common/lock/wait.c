#include "wait.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/timerfd.h>
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

bool alarm_open(struct alarm *alarm) {
    alarm->fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    return alarm->fd >= 0;
}

void alarm_close(struct alarm *alarm) {
    close(alarm->fd);
}

// 0 switches it off.
static void ring_at(struct alarm *alarm, int flags, struct timespec time) {
    timerfd_settime(alarm->fd, flags, &(struct itimerspec){.it_value = time},
                    NULL);
}

void alarm_set(struct alarm *alarm, int ms) {
    if (ms <= 0)
        alarm_ring(alarm);
    else
        ring_at(alarm, 0,
                (struct timespec){ms / 1000, ms % 1000 * 1000000L});
}

void alarm_ring(struct alarm *alarm) {
    // The first nanosecond since the machine was started is over.
    ring_at(alarm, TFD_TIMER_ABSTIME, (struct timespec){0, 1});
}

void alarm_off(struct alarm *alarm) {
    ring_at(alarm, 0, (struct timespec){0, 0});
}

void alarm_wait(struct alarm *alarm) {
    struct pollfd rung = {.fd = alarm->fd, .events = POLLIN};

    while (poll(&rung, 1, -1) < 0 && errno == EINTR)
        continue;
}

bool alarm_has_rung(struct alarm *alarm) {
    uint64_t times;
    return read(alarm->fd, &times, sizeof times) == sizeof times;
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
