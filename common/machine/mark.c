#include "mark.h"

#include "base/hash.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NUMBERS = 256 };

#define LOWEST ((rlim_t)1 << 50)

static rlim_t first = LOWEST; // this run's mark with the number 0

void mark_choose(const char *folder) {
    first = LOWEST + hash_of(folder) % ((rlim_t)1 << 32) * NUMBERS;
}

unsigned long long mark_of(unsigned number) {
    return first + number % NUMBERS;
}

void mark_self(unsigned number) {
    rlim_t mark = mark_of(number);
    setrlimit(RLIMIT_RTTIME, &(struct rlimit){mark, mark});
}

// Reads a small file of /proc; it is empty if it cannot be read.
static void read_about(const char *process, const char *file, char *text,
                       size_t size) {
    char path[64];

    snprintf(path, sizeof path, "/proc/%.16s/%s", process, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
}

// The number that a process of this run was started with; -1: it is not of this
// run.
static int number_of(const char *process) {
    static const char name[] = "Max realtime timeout";
    char text[4096];

    read_about(process, "limits", text, sizeof text);
    const char *line = strstr(text, name);
    unsigned long long mark = line ? strtoull(line + strlen(name), NULL, 10)
                                   : 0;
    return mark >= first && mark < first + NUMBERS ? (int)(mark - first) : -1;
}

bool mark_is(pid_t process, unsigned number) {
    char name[16];

    snprintf(name, sizeof name, "%d", (int)process);
    return number_of(name) == (int)number;
}

// 'S': it sleeps; 'T': it is stopped; 'Z': it has ended.
static char state_of(const char *process) {
    char text[512];

    read_about(process, "stat", text, sizeof text);
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] ? name_end[2] : 'Z';
}

// Has the signal had its effect?
static bool obeys(const char *process, int signal) {
    char state = state_of(process);
    return state == 'Z' || state == 'X' ||
           (signal == SIGSTOP && (state == 'T' || state == 't')) ||
           (signal == SIGCONT && state != 'T');
}

// Sends the signal to every process of this run with this number (-1: with
// any), but for those in a group. False if it has had its effect on all.
static bool signal_marked(int number, pid_t but_for, int signal) {
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    bool some = false;

    while (processes && (entry = readdir(processes))) {
        pid_t process = (pid_t)atol(entry->d_name);
        int marked = process > 1 && process != getpid()
                         ? number_of(entry->d_name) : -1;
        if (marked >= 0 && (number < 0 || marked == number) &&
            getpgid(process) != but_for && !obeys(entry->d_name, signal))
            some = kill(process, signal) == 0 || some;
    }
    if (processes)
        closedir(processes);
    return some;
}

// A process can start another one while we search. So we search again until we
// find none.
static void signal_until_obeyed(int number, pid_t but_for, int signal) {
    enum { ROUNDS = 200, MS = 5 };

    for (int i = 0; i < ROUNDS && signal_marked(number, but_for, signal); i++)
        poll(NULL, 0, MS);
}

void mark_signal(unsigned number, pid_t but_for, int signal) {
    signal_until_obeyed((int)number, but_for, signal);
}

void mark_kill_all(void) {
    signal_until_obeyed(-1, -1, SIGKILL);
}
