// The identity of a client: as if each ran in a container of its own.
//
// In a container a program's process id is nearly always the same small number;
// only the host's name differs from container to container. So a token made of
// the process id alone is unique on the machine on which it was tried, and
// nowhere else. The client's own children have the numbers that the kernel gave
// them.
//
// The usual calls that take a process id take that number, too, and those that
// return one return it. Other calls are left, such as waitpid() for a whole
// group, F_SETOWN and SO_PEERCRED. A program that asks the kernel directly,
// with syscall(), or reads /proc, finds the true numbers, or no process.
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

// A process's first thread has the process's number.
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

int killpg(pid_t group, int signal) {
    if (group >= 0)
        return kill(-group, signal); // of 0: its own
    errno = EINVAL;
    return -1;
}

pid_t getpgid(pid_t process) {
    return seen((pid_t)syscall(SYS_getpgid, meant(process)));
}

pid_t getpgrp(void) {
    return getpgid(0);
}

int setpgid(pid_t process, pid_t group) {
    return (int)syscall(SYS_setpgid, meant(process), meant(group));
}

pid_t getsid(pid_t process) {
    return seen((pid_t)syscall(SYS_getsid, meant(process)));
}

pid_t setsid(void) {
    return seen((pid_t)syscall(SYS_setsid));
}

// PRIO_USER takes a user's id; the others take a process id.
static id_t translated(__priority_which_t which, id_t who) {
    return which == PRIO_USER ? who : (id_t)meant((pid_t)who);
}

int getpriority(__priority_which_t which, id_t who) {
    long priority = syscall(SYS_getpriority, which, translated(which, who));

    return priority < 0 ? -1 : 20 - (int)priority; // the kernel says 1 to 40
}

int setpriority(__priority_which_t which, id_t who, int priority) {
    return (int)syscall(SYS_setpriority, which, translated(which, who),
                        priority);
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

int sched_getscheduler(pid_t process) {
    return (int)syscall(SYS_sched_getscheduler, meant(process));
}

int sched_setscheduler(pid_t process, int policy,
                       const struct sched_param *how) {
    return (int)syscall(SYS_sched_setscheduler, meant(process), policy, how);
}

int sched_getparam(pid_t process, struct sched_param *how) {
    return (int)syscall(SYS_sched_getparam, meant(process), how);
}

int sched_setparam(pid_t process, const struct sched_param *how) {
    return (int)syscall(SYS_sched_setparam, meant(process), how);
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

// A machine's name leads to an address that is its own, and has no other name.
// (127.0.1.1 has one on many machines.)
int getaddrinfo(const char *name, const char *service,
                const struct addrinfo *hints, struct addrinfo **found) {
    int (*next)(const char *, const char *, const struct addrinfo *,
                struct addrinfo **);
    struct utsname about;
    char address[sizeof "127.0.1.255"];

    *(void **)&next = dlsym(RTLD_NEXT, "getaddrinfo");
    if (outside && name && uname(&about) == 0 &&
        strcmp(name, about.nodename) == 0) {
        snprintf(address, sizeof address, "127.0.1.%u", machine % 253 + 2);
        name = address;
    }
    return next(name, service, hints, found);
}
