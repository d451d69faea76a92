// Who a client is: as if each ran in a container of its own.
//
// In a container a program's process id is nearly always the same small number,
// and what differs from one container to the next is the host's name. A token
// that is made of the process id alone is unique on the machine on which it was
// tried, and nowhere else. What a client starts has the number that the kernel
// gave it.
#include "container_preload.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

static const pid_t inside = CONTAINER_PROCESS;
static pid_t outside; // the same process, for the kernel; 0: no container
static unsigned machine;

void container_enter(_Atomic pid_t *first, unsigned number) {
    pid_t nobody = 0, self = (pid_t)syscall(SYS_getpid);

    // Only the first that asks gets it.
    atomic_compare_exchange_strong(first, &nobody, self);
    outside = *first;
    machine = number;
}

static pid_t seen(pid_t process) {
    return outside && process == outside ? inside : process;
}

pid_t getpid(void) {
    return seen((pid_t)syscall(SYS_getpid));
}

pid_t getppid(void) {
    return seen((pid_t)syscall(SYS_getppid));
}

// That of a process's first thread is the process's.
pid_t gettid(void) {
    return seen((pid_t)syscall(SYS_gettid));
}

int kill(pid_t process, int signal) {
    if (outside && process == inside)
        process = outside;
    else if (outside && process == -inside)
        process = -outside;
    return (int)syscall(SYS_kill, process, signal);
}

static void write_name(char *name, size_t size) {
    snprintf(name, size, "machine-%u", machine);
}

int uname(struct utsname *about) {
    int error = (int)syscall(SYS_uname, about);

    if (error == 0 && outside)
        write_name(about->nodename, sizeof about->nodename);
    return error;
}

int gethostname(char *name, size_t size) {
    struct utsname about;

    if (uname(&about) < 0)
        return -1;
    if (strlen(about.nodename) >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(name, about.nodename, strlen(about.nodename) + 1);
    return 0;
}
