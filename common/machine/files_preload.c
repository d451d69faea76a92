// Files that are others for a client than for the rest of the machine: those of
// randomness, and libuuid's notes of the times used up. A guest reads one file
// to say that it is loaded.
#include "fork_server_page.h"
#include "fork_server_preload.h"
#include "random_preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// libuuid notes there which times a machine has used up: to it, all clients
// here would be one machine.
static int is_of_this_machine(const char *path) {
    return strcmp(path, "/var/lib/libuuid/clock.txt") == 0;
}

enum { NONE_OF_OURS = -2 };

// The descriptor of a file that we have in the place of this one; -1: there is
// no such file.
static int open_ours(const char *path, int flags) {
    if (!preload_is_client() || !path)
        return NONE_OF_OURS;
    if (strcmp(path, LOADED_FILE) == 0)
        return fork_server_open_loaded(flags);
    if (random_is_file(path))
        return random_open(flags);
    if (!is_of_this_machine(path))
        return NONE_OF_OURS;
    errno = ENOENT;
    return -1;
}

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    int ours = open_ours(path, flags);

    return ours != NONE_OF_OURS
               ? ours : (int)syscall(SYS_openat, folder, path, flags, mode);
}

// The mode stands there if a file may be made.
#define MODE(flags) \
    mode_t mode = 0; \
    va_list more; \
    va_start(more, flags); \
    if ((flags) & (O_CREAT | O_TMPFILE)) \
        mode = va_arg(more, mode_t); \
    va_end(more)

int open(const char *path, int flags, ...) {
    MODE(flags);
    return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE(flags);
    return open_at(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    MODE(flags);
    return open_at(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags);
    return open_at(folder, path, flags | O_LARGEFILE, mode);
}

static FILE *open_stream(const char *function, const char *path,
                         const char *mode) {
    FILE *(*next)(const char *, const char *);

    int ours = open_ours(path, O_CLOEXEC);

    if (ours != NONE_OF_OURS)
        return ours < 0 ? NULL : fdopen(ours, "r");
    *(void **)&next = dlsym(RTLD_NEXT, function);
    return next(path, mode);
}

FILE *fopen(const char *path, const char *mode) {
    return open_stream("fopen", path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
    return open_stream("fopen64", path, mode);
}
