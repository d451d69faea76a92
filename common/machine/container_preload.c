// Who a client is: as if each ran in a container of its own.
//
// In a container a program's process id is nearly always the same small number,
// and what differs from one container to the next is the host's name. A token
// that is made of the process id alone is unique on the machine on which it was
// tried, and nowhere else. What a client starts has the number that the kernel
// gave it.
//
// Whatever takes a process id has to take that number, too. Otherwise it would
// reach another process of this machine, which really has it. (Who asks the
// kernel directly, with syscall(), is told the true numbers and can use them.)
#include "container_preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
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

// --- what takes a process id -------------------------------------------------

static pid_t meant(pid_t process) {
    return outside && process == inside    ? outside
           : outside && process == -inside ? -outside // its group
                                           : process;
}

int kill(pid_t process, int signal) {
    return (int)syscall(SYS_kill, meant(process), signal);
}

int tgkill(pid_t process, pid_t thread, int signal) {
    return (int)syscall(SYS_tgkill, meant(process), meant(thread), signal);
}

int sigqueue(pid_t process, int signal, const union sigval value) {
    siginfo_t about = {.si_signo = signal, .si_code = SI_QUEUE};

    about.si_pid = getpid();
    about.si_uid = getuid();
    about.si_value = value;
    return (int)syscall(SYS_rt_sigqueueinfo, meant(process), signal, &about);
}

pid_t getpgid(pid_t process) {
    return (pid_t)syscall(SYS_getpgid, meant(process));
}

int setpgid(pid_t process, pid_t group) {
    return (int)syscall(SYS_setpgid, meant(process), meant(group));
}

pid_t getsid(pid_t process) {
    return (pid_t)syscall(SYS_getsid, meant(process));
}

int getpriority(__priority_which_t which, id_t who) {
    long priority = syscall(SYS_getpriority, which, meant((pid_t)who));

    return priority < 0 ? -1 : 20 - (int)priority; // the kernel says 1 to 40
}

int setpriority(__priority_which_t which, id_t who, int priority) {
    return (int)syscall(SYS_setpriority, which, meant((pid_t)who), priority);
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
    long length = syscall(SYS_sched_getaffinity, meant(process), size, set);

    if (length < 0)
        return -1;
    memset((char *)set + length, 0, size - (size_t)length);
    return 0;
}

int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set) {
    return (int)syscall(SYS_sched_setaffinity, meant(process), size, set);
}

int prlimit(pid_t process, __rlimit_resource_t resource,
            const struct rlimit *new, struct rlimit *old) {
    return (int)syscall(SYS_prlimit64, meant(process), resource, new, old);
}

int prlimit64(pid_t process, __rlimit_resource_t resource,
              const struct rlimit64 *new, struct rlimit64 *old) {
    return (int)syscall(SYS_prlimit64, meant(process), resource, new, old);
}

// --- the machine's name ------------------------------------------------------

int uname(struct utsname *about) {
    int error = (int)syscall(SYS_uname, about);

    if (error == 0 && outside)
        snprintf(about->nodename, sizeof about->nodename, "machine-%u",
                 machine);
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

// A machine knows its own name.
int getaddrinfo(const char *name, const char *service,
                const struct addrinfo *hints, struct addrinfo **found) {
    int (*next)(const char *, const char *, const struct addrinfo *,
                struct addrinfo **);
    struct utsname about;

    *(void **)&next = dlsym(RTLD_NEXT, "getaddrinfo");
    if (outside && name && uname(&about) == 0 &&
        strcmp(name, about.nodename) == 0)
        name = "127.0.0.1";
    return next(name, service, hints, found);
}
