#include "threads.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static struct thread {
    bool made;
    pthread_t id;
    void (*job)(void *argument); // NULL: none
    void *argument;
} threads[MAX_THREAD + 1];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *work(void *argument) {
    struct thread *self = argument;

    pthread_mutex_lock(&mutex);
    for (;;) {
        while (!self->job)
            pthread_cond_wait(&changed, &mutex);
        pthread_mutex_unlock(&mutex);
        self->job(self->argument);
        pthread_mutex_lock(&mutex);
        self->job = NULL;
        pthread_cond_broadcast(&changed);
    }
    return NULL;
}

void run_on_thread(int number, void (*job)(void *argument), void *argument) {
    struct thread *thread = &threads[number];

    if (number == 1) {
        job(argument);
        return;
    }
    pthread_mutex_lock(&mutex);
    thread->job = job;
    thread->argument = argument;
    if (!thread->made && pthread_create(&thread->id, NULL, work, thread) != 0) {
        perror("pthread_create");
        abort();
    }
    thread->made = true;
    pthread_cond_broadcast(&changed);
    while (thread->job)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}
