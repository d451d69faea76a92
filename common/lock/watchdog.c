#include "watchdog.h"

#include "wait.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct watchdog {
    int every_ms;
    bool (*task)(void *argument);
    void *argument;
    bool made; // there is a thread to join
    pthread_t thread;
    struct alarm alarm; // rings when the next call is due
    pthread_mutex_t mutex; // of what follows
    pthread_cond_t called;
    bool runs; // started and not stopped; its task may have ended already
    bool calls; // a call is under way
    bool ends;
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
    pthread_cond_init(&watchdog->called, NULL);
    if (alarm_open(&watchdog->alarm))
        return watchdog;
    free(watchdog);
    return NULL;
}

// The mutex is held before and after it, and not during the call.
static void call(struct watchdog *watchdog) {
    watchdog->calls = true;
    pthread_mutex_unlock(&watchdog->mutex);
    bool again = watchdog->task(watchdog->argument);
    pthread_mutex_lock(&watchdog->mutex);
    watchdog->calls = false;
    pthread_cond_broadcast(&watchdog->called);
    if (again && watchdog->runs)
        alarm_set(&watchdog->alarm, watchdog->every_ms);
}

static void *watch(void *argument) {
    struct watchdog *watchdog = argument;

    pthread_mutex_lock(&watchdog->mutex);
    while (!watchdog->ends) {
        pthread_mutex_unlock(&watchdog->mutex);
        alarm_wait(&watchdog->alarm);
        pthread_mutex_lock(&watchdog->mutex);
        // Between the two it may have been stopped, and even started again.
        if (alarm_has_rung(&watchdog->alarm) && watchdog->runs)
            call(watchdog);
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

void watchdog_start(struct watchdog *watchdog) {
    if (!watchdog->made && !make_thread(watchdog))
        return;
    pthread_mutex_lock(&watchdog->mutex);
    watchdog->runs = true;
    alarm_set(&watchdog->alarm, watchdog->every_ms);
    pthread_mutex_unlock(&watchdog->mutex);
}

void watchdog_stop(struct watchdog *watchdog) {
    pthread_mutex_lock(&watchdog->mutex);
    if (watchdog->runs)
        alarm_off(&watchdog->alarm);
    watchdog->runs = false;
    while (watchdog->calls)
        pthread_cond_wait(&watchdog->called, &watchdog->mutex);
    pthread_mutex_unlock(&watchdog->mutex);
}

void watchdog_close(struct watchdog *watchdog) {
    if (!watchdog)
        return;
    watchdog_stop(watchdog);
    if (watchdog->made) {
        pthread_mutex_lock(&watchdog->mutex);
        watchdog->ends = true;
        alarm_ring(&watchdog->alarm);
        pthread_mutex_unlock(&watchdog->mutex);
        pthread_join(watchdog->thread, NULL);
    }
    pthread_cond_destroy(&watchdog->called);
    pthread_mutex_destroy(&watchdog->mutex);
    alarm_close(&watchdog->alarm);
    free(watchdog);
}
