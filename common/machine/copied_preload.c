// The needs of a copy that was made after main() had begun
// (fork_server_preload.c).
//
// The C library's fork() calls functions that libraries have registered for
// their copies. Our fork_sibling() goes past it, so we call them. A copy has
// one thread. A runtime has started others for itself, and does not know that
// they are missing. At its end it would wait for theirs, wake them, and destroy
// locks for which they wait: that hangs. In a copy they are joined at once, and
// nobody waits for a condition.
#include "fork_server_preload.h"

#include "clock_preload.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64, NOT_NOTED = -1 };

static int is_copy;
static struct {
    pthread_t thread;
    int runs;
} others[MOST]; // threads that a copy does not have
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER; // of that list
static _Atomic(pthread_cond_t *) waited_for[MOST]; // each by one of them
static void (*in_child[MOST])(void);
static _Atomic int child_count;

static void *next(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

// --- noting, in the fork server ----------------------------------------------

__attribute__((noreturn)) static void give_up(void) {
    preload_exit("lockstep: a loaded program has too many threads or functions "
                 "for its copies\n");
}

// Takes the thread off the list: it has ended, or its name is a new thread's.
// Was it there?
static int forget(pthread_t thread) {
    int was_there = 0;

    pthread_mutex_lock(&guard);
    for (int i = 0; i < MOST; i++)
        if (others[i].runs && pthread_equal(others[i].thread, thread)) {
            others[i].runs = 0;
            was_there = 1;
        }
    pthread_mutex_unlock(&guard);
    return was_there;
}

static void note(pthread_t thread) {
    int place = 0;

    pthread_mutex_lock(&guard);
    while (place < MOST && others[place].runs)
        place++;
    if (place == MOST)
        give_up();
    others[place].thread = thread;
    others[place].runs = 1;
    pthread_mutex_unlock(&guard);
}

// pthread_atfork() calls it.
int __register_atfork(void (*prepare)(void), void (*parent)(void),
                      void (*child)(void), void *library) {
    int (*register_it)(void (*)(void), void (*)(void), void (*)(void), void *);

    if (child && fork_server_loads()) {
        if (child_count == MOST)
            give_up();
        in_child[child_count++] = child;
    }
    *(void **)&register_it = next("__register_atfork");
    return register_it(prepare, parent, child, library);
}

int pthread_create(pthread_t *restrict thread,
                   const pthread_attr_t *restrict attributes,
                   void *(*work)(void *), void *restrict argument) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                  void *);

    *(void **)&create = next("pthread_create");
    int error = create(thread, attributes, work, argument);
    if (error == 0 && (is_copy || fork_server_loads()))
        forget(*thread);
    if (error == 0 && fork_server_loads())
        note(*thread);
    return error;
}

int copied_begin_wait(pthread_cond_t *condition) {
    for (int place = 0; fork_server_loads() && place < MOST; place++) {
        pthread_cond_t *nobody_s = NULL;
        if (atomic_compare_exchange_strong(&waited_for[place], &nobody_s,
                                           condition))
            return place;
    }
    return NOT_NOTED;
}

void copied_end_wait(int place) {
    if (place != NOT_NOTED)
        waited_for[place] = NULL;
}

// V8 keeps its heap out of copies, to make the start of a program cheap.
int madvise(void *memory, size_t length, int advice) {
    if (advice == MADV_DONTFORK && fork_server_loads())
        return 0;
    return (int)syscall(SYS_madvise, memory, length, advice);
}

static char state_of(const char *thread) {
    char path[64], text[512];

    strcpy(path, "/proc/self/task/");
    strncat(path, thread, 16);
    strcat(path, "/stat");
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end ? name_end[2] : 'S'; // it has ended
}

static int count_awake(void) {
    DIR *threads = opendir("/proc/self/task");
    struct dirent *entry;
    int awake = 0;

    while (threads && (entry = readdir(threads)))
        awake += *entry->d_name != '.' && state_of(entry->d_name) != 'S';
    if (threads)
        closedir(threads);
    return awake;
}

// (We are awake.) A thread that never rests ends the fork server.
void copied_wait_for_threads(void) {
    enum { MOST_LOOKS = 10000 };
    static const struct timespec moment = {.tv_nsec = 1000000};

    for (int i = 0; count_awake() > 1; i++) {
        if (i == MOST_LOOKS)
            _exit(EXIT_FAILURE);
        syscall(SYS_nanosleep, &moment, NULL);
    }
}

// --- in a copy ---------------------------------------------------------------

// A copy shares its epoll descriptor with the others. libuv can make a new one.
static void part_from_loop(void) {
    void *(*default_loop)(void);
    int (*fork_loop)(void *);

    *(void **)&default_loop = dlsym(RTLD_DEFAULT, "uv_default_loop");
    *(void **)&fork_loop = dlsym(RTLD_DEFAULT, "uv_loop_fork");
    if (default_loop && fork_loop && fork_loop(default_loop()) != 0)
        preload_exit("lockstep: cannot copy a loaded program's loop\n");
}

// The GNU C library counts a condition's waiters in it, and can wait until some
// of them have gone when others are woken. At first all is zero, but for two
// bits: which clock, and whether processes share it.
static void forget_waiters(pthread_cond_t *condition) {
    unsigned kind = condition->__data.__wrefs & 3;

    memset(condition, 0, sizeof *condition);
    condition->__data.__wrefs = kind;
}

void copied_begin(void) {
    is_copy = 1;
    for (int place = 0; place < MOST; place++)
        if (waited_for[place])
            forget_waiters(waited_for[place]);
    for (int i = 0; i < child_count; i++)
        in_child[i]();
    part_from_loop();
}

int pthread_join(pthread_t thread, void **result) {
    int (*join)(pthread_t, void **);

    if (is_copy && forget(thread))
        return 0;
    *(void **)&join = next("pthread_join");
    int error = join(thread, result);
    if (error == 0 && fork_server_loads())
        forget(thread);
    return error;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) {
    int (*destroy)(pthread_mutex_t *);

    *(void **)&destroy = next("pthread_mutex_destroy");
    return is_copy ? 0 : destroy(mutex);
}
