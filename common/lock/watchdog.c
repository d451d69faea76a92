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
    bool runs; // started and not stopped; its task may have ended already
    bool made; // there is a thread to join
    pthread_t thread;
    pthread_mutex_t mutex; // of `order`
    pthread_cond_t changed;
    enum { REST, WATCH, END } order; // to the thread
};

struct watchdog *watchdog_open(int every_ms, bool (*task)(void *argument),
                               void *argument) {
    struct watchdog *watchdog = calloc(1, sizeof *watchdog);

    if (!watchdog)
        return NULL;
    watchdog->every_ms = every_ms;
    watchdog->task = task;
    watchdog->argument = argument;
    pthread_mutex_init(&watchdog->mutex, NULL);
    pthread_cond_init(&watchdog->changed, NULL);
    if (flag_open(&watchdog->stop))
        return watchdog;
    free(watchdog);
    return NULL;
}

static void watch_once(struct watchdog *watchdog) {
    while (!wait_ms(&watchdog->stop, watchdog->every_ms) &&
           watchdog->task(watchdog->argument))
        continue;
}

static void *watch(void *argument) {
    struct watchdog *watchdog = argument;

    pthread_mutex_lock(&watchdog->mutex);
    while (watchdog->order != END) {
        if (watchdog->order == WATCH) {
            pthread_mutex_unlock(&watchdog->mutex);
            watch_once(watchdog);
            pthread_mutex_lock(&watchdog->mutex);
            watchdog->order = REST;
            pthread_cond_broadcast(&watchdog->changed);
        }
        while (watchdog->order == REST)
            pthread_cond_wait(&watchdog->changed, &watchdog->mutex);
    }
    pthread_mutex_unlock(&watchdog->mutex);
    return NULL;
}

static bool make_thread(struct watchdog *watchdog) {
    sigset_t all, before;

    // A new thread begins with the mask of the thread that makes it.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    watchdog->made =
        pthread_create(&watchdog->thread, NULL, watch, watchdog) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return watchdog->made;
}

static void tell(struct watchdog *watchdog, int order) {
    pthread_mutex_lock(&watchdog->mutex);
    watchdog->order = order;
    pthread_cond_broadcast(&watchdog->changed);
    pthread_mutex_unlock(&watchdog->mutex);
}

void watchdog_start(struct watchdog *watchdog) {
    watchdog->runs = watchdog->made || make_thread(watchdog);
    if (watchdog->runs)
        tell(watchdog, WATCH);
}

void watchdog_stop(struct watchdog *watchdog) {
    if (!watchdog->runs)
        return;
    flag_raise(&watchdog->stop);
    pthread_mutex_lock(&watchdog->mutex);
    while (watchdog->order == WATCH)
        pthread_cond_wait(&watchdog->changed, &watchdog->mutex);
    pthread_mutex_unlock(&watchdog->mutex);
    flag_lower(&watchdog->stop);
    watchdog->runs = false;
}

void watchdog_close(struct watchdog *watchdog) {
    if (!watchdog)
        return;
    watchdog_stop(watchdog);
    if (watchdog->made) {
        tell(watchdog, END);
        pthread_join(watchdog->thread, NULL);
    }
    pthread_cond_destroy(&watchdog->changed);
    pthread_mutex_destroy(&watchdog->mutex);
    flag_close(&watchdog->stop);
    free(watchdog);
}
