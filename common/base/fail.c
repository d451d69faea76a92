#include "fail.h"

#include "text.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// A process holds `turn` while it prints its message. When a process ends, its
// children end, too, also one in the middle of a message.
struct message_turn {
    pthread_mutex_t turn;
    bool said; // it is printed
};

static struct message_turn own = {.turn = PTHREAD_MUTEX_INITIALIZER};

// fail_as_one() makes it point to memory that this process shares with its
// children.
static struct message_turn *message = &own;

void fail_as_one(void) {
    pthread_mutexattr_t kind;
    struct message_turn *shared;

    if (message != &own)
        return;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        fail("cannot share a page: %s", strerror(errno));
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&shared->turn, &kind);
    pthread_mutexattr_destroy(&kind);
    message = shared;
}

// Without malloc(): the message may say that no memory is left.
void complain(const char *format, va_list args) {
    char line[4096];

    vsnprintf(line, sizeof line, format, args);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    text_print(stderr, line);
    fputc('\n', stderr);
}

void fail(const char *format, ...) {
    static int failing; // exit() runs functions that can call fail() again
    va_list args;

    if (failing++)
        _Exit(2);
    fflush(stdout);
    if (pthread_mutex_lock(&message->turn) == EOWNERDEAD)
        pthread_mutex_consistent(&message->turn); // it was killed
    if (!message->said) {
        va_start(args, format);
        complain(format, args);
        va_end(args);
        message->said = true;
    }
    pthread_mutex_unlock(&message->turn);
    exit(2);
}

static atomic_bool *said; // shared by all processes of a run

__attribute__((constructor)) static void share_said(void) {
    said = mmap(NULL, SAID_COUNT * sizeof *said, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

void say_once(enum said which, const char *format, ...) {
    va_list args;

    if (said != MAP_FAILED && atomic_exchange(&said[which], true))
        return;
    va_start(args, format);
    fputs("lockstep: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void *must_have(void *memory) {
    if (!memory)
        fail("no memory is left");
    return memory;
}
