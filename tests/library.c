// The lock as a library, for what a client cannot be told on its standard
// input:
//
//     library handles | signals | goes
#include "lock.h"
#include "wait.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

static const char *word(enum lock_result result) {
    switch (result) {
    case LOCK_OK:      return "ok";
    case LOCK_BUSY:    return "busy";
    case LOCK_LOST:    return "lost";
    case LOCK_UNKNOWN: return "unknown";
    case LOCK_ERROR:   return "error";
    case LOCK_CANNOT:  return "cannot";
    }
    return NULL;
}

// Two on the same key, in one thread.
static void handles(void) {
    struct lock *one = lock_open("lock", 60000);
    struct lock *other = lock_open("lock", 60000);

    puts(word(lock_acquire(one)));
    puts(word(lock_acquire(other)));
    puts(word(lock_release(other)));
    puts(word(lock_release(one)));
    puts(word(lock_acquire(other)));
    lock_close(one);
    lock_close(other);
}

static struct flag flag;
static volatile sig_atomic_t interruptions;

static void interrupt(int number) {
    (void)number;
    if (++interruptions == 5)
        flag_raise(&flag);
}

// A wait that is interrupted again and again, and by the fifth signal ended.
static void signals(void) {
    const struct itimerval often = {{0, 1000}, {0, 1000}};
    const struct sigaction action = {.sa_handler = interrupt};

    flag_open(&flag);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    puts(wait_ms(&flag, 20000) ? "raised" : "over");
}

// The server goes away, once somebody presses enter: no signal of ours may end
// a program that has not asked for any.
static void goes(void) {
    struct lock *lock = lock_open("lock", 60000);

    puts("open");
    fflush(stdout);
    getchar();
    puts(word(lock_acquire(lock)));
    lock_close(lock);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "handles") == 0)
        handles();
    else if (argc == 2 && strcmp(argv[1], "signals") == 0)
        signals();
    else if (argc == 2 && strcmp(argv[1], "goes") == 0)
        goes();
    else
        return 2;
    return 0;
}
