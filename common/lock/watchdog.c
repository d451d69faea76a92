#include "watchdog.h"

#include "wait.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct watchdog {
    int every_ms;
    bool (*task)(void *argument);
    void *argument;
    struct flag stop;
    pthread_t thread;
    bool runs; // there is a thread to join; its task may have ended already
};

struct watchdog *watchdog_open(int every_ms, bool (*task)(void *argument),
                               void *argument) {
    struct watchdog *watchdog = calloc(1, sizeof *watchdog);

    if (!watchdog)
        return NULL;
    watchdog->every_ms = every_ms;
    watchdog->task = task;
    watchdog->argument = argument;
    if (flag_open(&watchdog->stop))
        return watchdog;
    free(watchdog);
    return NULL;
}

static void *watch(void *argument) {
    struct watchdog *watchdog = argument;

    while (!wait_ms(&watchdog->stop, watchdog->every_ms) &&
           watchdog->task(watchdog->argument))
        continue;
    return NULL;
}

void watchdog_start(struct watchdog *watchdog) {
    sigset_t all, before;

    // A new thread begins with the mask of the thread that makes it.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    watchdog->runs =
        pthread_create(&watchdog->thread, NULL, watch, watchdog) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void watchdog_stop(struct watchdog *watchdog) {
    if (!watchdog->runs)
        return;
    flag_raise(&watchdog->stop);
    pthread_join(watchdog->thread, NULL);
    flag_lower(&watchdog->stop);
    watchdog->runs = false;
}

void watchdog_close(struct watchdog *watchdog) {
    if (!watchdog)
        return;
    watchdog_stop(watchdog);
    flag_close(&watchdog->stop);
    free(watchdog);
}
