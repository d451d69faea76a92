#include "tasks.h"

#include "base/fail.h"
#include "loopback.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct look {
    struct {
        long switches, sleeps;
    } task[MAX_TASKS];
};

static void close_files(struct tasks *tasks) {
    for (int i = 0; i < tasks->count; i++) {
        close(tasks->task[i].status);
        if (tasks->task[i].stat > 0)
            close(tasks->task[i].stat);
        if (tasks->task[i].runs > 0)
            close(tasks->task[i].runs);
    }
    tasks->count = tasks->awake = 0;
}

void tasks_forget(struct tasks *tasks) {
    close_files(tasks);
    if (tasks->folder > 0)
        close(tasks->folder);
    tasks->folder = 0;
}

int tasks_count(struct tasks *tasks, pid_t process) {
    char path[64];
    struct stat status;

    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    if (tasks->folder == 0)
        tasks->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (tasks->folder < 0 || fstat(tasks->folder, &status) < 0)
        fail("cannot look at %s: %s", path, strerror(errno));
    // A folder has two links, and one more for each folder in it: each thread
    // is such a folder.
    return (int)status.st_nlink - 2;
}

static void open_files(struct tasks *tasks) {
    DIR *folder = fdopendir(openat(tasks->folder, ".", O_RDONLY | O_CLOEXEC));
    struct dirent *entry;
    char path[NAME_MAX + sizeof "/status"];

    while (folder && (entry = readdir(folder))) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        if (tasks->count == MAX_TASKS)
            fail("a client has more than %d threads", MAX_TASKS);
        snprintf(path, sizeof path, "%s/status", entry->d_name);
        int status = openat(tasks->folder, path, O_RDONLY | O_CLOEXEC);
        if (status < 0)
            continue; // the thread has just ended
        tasks->task[tasks->count].id = (pid_t)atol(entry->d_name);
        tasks->task[tasks->count].status = status;
        tasks->task[tasks->count].stat = tasks->task[tasks->count].runs = 0;
        tasks->count++;
    }
    if (folder)
        closedir(folder);
}

static long field(const char *text, const char *name) {
    const char *found = strstr(text, name);
    return found ? strtol(found + strlen(name), NULL, 10) : 0;
}

// Returns one thread's state letter ('S': it sleeps; 'X': it has ended). Also
// says how often the thread has been switched away so far, and how often of
// these because it went to sleep.
static char examine(int status, long *switches, long *sleeps) {
    char text[4096];
    ssize_t length = pread(status, text, sizeof text - 1, 0);

    text[length > 0 ? length : 0] = '\0';
    *sleeps = field(text, "\nvoluntary_ctxt_switches:");
    *switches = *sleeps + field(text, "\nnonvoluntary_ctxt_switches:");
    const char *state = strstr(text, "\nState:");
    return state ? state[strspn(state + 7, " \t") + 7] : 'X';
}

// Lists the threads anew if one has begun or ended.
static void list(struct tasks *tasks, pid_t process) {
    if (tasks_count(tasks, process) == tasks->count)
        return;
    close_files(tasks);
    open_files(tasks);
}

// Notes the counters of all threads. False if a thread does not sleep. Also
// false if a thread has just ended: the next call lists the threads anew.
static bool look_at(struct tasks *tasks, pid_t process, struct look *look) {
    list(tasks, process);
    for (int i = 0; i < tasks->count; i++) {
        char state = examine(tasks->task[i].status, &look->task[i].switches,
                             &look->task[i].sleeps);
        if (state == 'X')
            close_files(tasks);
        if (state != 'S')
            return false;
    }
    return tasks->count > 0;
}

// True if no thread was scheduled between the two looks.
static bool same(const struct tasks *tasks, const struct look *before,
                 const struct look *after) {
    for (int i = 0; i < tasks->count; i++)
        if (before->task[i].switches != after->task[i].switches)
            return false;
    return true;
}

static uint64_t with(uint64_t hash, pid_t task, long count) {
    return hash * 1000003 + (uint64_t)(task * 65599L + count);
}

// One of a thread's files, which stays open. False: the thread has just ended.
static bool read_file(const struct tasks *tasks, int number, int *file,
                      const char *name, char *text, size_t size) {
    char path[64];

    if (*file <= 0) {
        snprintf(path, sizeof path, "%d/%s", (int)tasks->task[number].id, name);
        *file = openat(tasks->folder, path, O_RDONLY | O_CLOEXEC);
    }
    ssize_t length = *file > 0 ? pread(*file, text, size - 1, 0) : 0;
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

// On which core the thread has run last, as `stat` has it; -1: it has ended.
static int last_core(struct tasks *tasks, int number) {
    enum { FIELD = 39, AFTER_NAME = 3 };
    char text[512];

    if (!read_file(tasks, number, &tasks->task[number].stat, "stat", text,
                   sizeof text))
        return -1;
    const char *at = strrchr(text, ')');
    for (int i = AFTER_NAME; at && i <= FIELD; i++)
        at = strchr(at + 1, ' ');
    return at ? atoi(at) : -1;
}

// Waits until everything that the threads have sent over the loopback has
// arrived. False: they can have sent nothing there.
static bool deliver(struct tasks *tasks) {
    cpu_set_t cores;

    if (!loopback_is_used())
        return false;
    CPU_ZERO(&cores);
    for (int i = 0; i < tasks->count; i++) {
        int core = last_core(tasks, i);
        if (core >= 0 && core < CPU_SETSIZE)
            CPU_SET(core, &cores);
    }
    loopback_flush(&cores);
    return true;
}

bool tasks_sleep(struct tasks *tasks, pid_t process,
                 bool (*drained)(void), uint64_t *mark) {
    struct look before, after;
    int count;

    if (!look_at(tasks, process, &before))
        return false;
    bool by_loopback = deliver(tasks);
    if (!drained())
        return false;
    count = tasks->count;
    if ((count > 1 || by_loopback) &&
        (!look_at(tasks, process, &after) || tasks->count != count ||
         !same(tasks, &before, &after)))
        return false;
    *mark = tasks->turns = 0;
    for (int i = 0; i < count; i++) {
        *mark = with(*mark, tasks->task[i].id, before.task[i].sleeps);
        tasks->turns = with(tasks->turns, tasks->task[i].id,
                            before.task[i].switches);
    }
    return true;
}

// --- many threads ------------------------------------------------------------
//
// A Java server has thirty threads, and is asked after each step. `status` has
// all that there is to know, and the kernel needs long to write it. `stat` is
// written in half of that time, and `schedstat` in a tenth.

// "4711 (java) S …", where the name may have any characters. If a thread has
// ended and another one has begun, there are as many as before: then the next
// call lists them anew.
static bool task_sleeps(struct tasks *tasks, int number) {
    char text[512];

    if (!read_file(tasks, number, &tasks->task[number].stat, "stat", text,
                   sizeof text)) {
        close_files(tasks);
        return false;
    }
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' && end[2] == 'S';
}

// The number of times that a thread was given a core: the last of three
// numbers. 0: the kernel does not count them; -1: the thread has ended.
static long count_runs(struct tasks *tasks, int number) {
    char text[128];

    if (!read_file(tasks, number, &tasks->task[number].runs, "schedstat", text,
                   sizeof text))
        return -1;
    const char *last = strrchr(text, ' ');
    return last ? atol(last) : 0;
}

static bool nothing_to_drain(void) {
    return true;
}

// First how often each thread has run, then whether it sleeps, then again how
// often it has run. Only two kinds of threads can have woken another one since
// we looked at it. The one kind has run since then, the other did not sleep
// when we came to it. The one that was awake last time is asked first: mostly
// it still is.
bool tasks_rest(struct tasks *tasks, pid_t process, uint64_t *mark) {
    long runs[MAX_TASKS];

    list(tasks, process);
    if (tasks->count == 0 || !task_sleeps(tasks, tasks->awake))
        return false;
    for (int i = 0; i < tasks->count; i++)
        if ((runs[i] = count_runs(tasks, i)) == 0)
            return tasks_sleep(tasks, process, nothing_to_drain, mark);
    for (int i = 0; i < tasks->count; i++)
        if (!task_sleeps(tasks, i)) {
            tasks->awake = tasks->count > 0 ? i : 0;
            return false;
        }
    *mark = 0;
    for (int i = 0; i < tasks->count; i++) {
        if (count_runs(tasks, i) != runs[i])
            return false;
        *mark = with(*mark, tasks->task[i].id, runs[i]);
    }
    return tasks_count(tasks, process) == tasks->count;
}

// --- limits of the kernel's --------------------------------------------------

// A system call, and which of its arguments is the limit, from 1: a pointer, or
// a number of milliseconds. 0: it always has one.
static const struct limited_call {
    long number;
    const char *name;
    int argument;
    bool is_number;
} limited_calls[] = {
#ifdef SYS_poll
    {SYS_poll, "poll", 3, true},
    {SYS_select, "select", 5, false},
    {SYS_epoll_wait, "epoll_wait", 4, true},
#endif
    {SYS_ppoll, "ppoll", 3, false},
    {SYS_pselect6, "pselect", 5, false},
    {SYS_epoll_pwait, "epoll_pwait", 4, true},
    {SYS_nanosleep, "nanosleep", 0, false},
    {SYS_clock_nanosleep, "clock_nanosleep", 0, false},
    {SYS_futex, "futex", 4, false},
};

// "202 0x7f… 0x80 …": a number and six arguments; "running" has no number.
static const char *limited_call(const char *text) {
    enum { ARGUMENTS = 6 };
    long long words[1 + ARGUMENTS] = {-1};

    for (int i = 0; i <= ARGUMENTS; i++) {
        char *end;
        words[i] = (long long)strtoull(text, &end, 0);
        if (end == text)
            return NULL;
        text = end;
    }
    for (size_t i = 0; i < sizeof limited_calls / sizeof *limited_calls; i++) {
        const struct limited_call *call = &limited_calls[i];
        long long limit = words[call->argument];
        if (call->number == words[0] &&
            (call->argument == 0 ||
             (call->is_number ? (int)limit > 0 : limit != 0)))
            return call->name;
    }
    return NULL;
}

const char *tasks_limited_wait(struct tasks *tasks) {
    char text[256];

    for (int i = 0; i < tasks->count; i++) {
        int file = 0;
        bool read = read_file(tasks, i, &file, "syscall", text, sizeof text);
        const char *name = read ? limited_call(text) : NULL;
        if (file > 0)
            close(file);
        if (name)
            return name;
    }
    return NULL;
}

// --- who is at work ----------------------------------------------------------

static const char *state_words(char state) {
    switch (state) {
    case 'R': return "runs";
    case 'D': return "waits for a device";
    case 'T': return "is stopped";
    case 'S': return "wakes again and again";
    default:  return "is about to end";
    }
}

// Does the thread sleep, and has it not run since the look before, if there was
// one?
static bool stays_asleep(const struct tasks *tasks, int number,
                         long *switches) {
    long sleeps, before = *switches;
    char state = examine(tasks->task[number].status, switches, &sleeps);

    return state == 'S' && (before < 0 || before == *switches);
}

static void describe(const struct tasks *tasks, int number,
                     char text[TASKS_TEXT_SIZE]) {
    char name[64];
    int file = 0;
    long switches, sleeps;
    char state = examine(tasks->task[number].status, &switches, &sleeps);

    read_file(tasks, number, &file, "comm", name, sizeof name);
    if (file > 0)
        close(file);
    name[strcspn(name, "\n")] = '\0';
    snprintf(text, TASKS_TEXT_SIZE, "its thread \"%.20s\" %s", name,
             state_words(state));
}

void tasks_describe(struct tasks *tasks, pid_t process,
                    char text[TASKS_TEXT_SIZE]) {
    enum { LOOKS = 2, MOMENT_MS = 100 };
    long switches[MAX_TASKS];

    text[0] = '\0';
    list(tasks, process);
    for (int i = 0; i < tasks->count; i++)
        switches[i] = -1;
    for (int look = 0; look < LOOKS; look++) {
        for (int i = 0; i < tasks->count; i++)
            if (!stays_asleep(tasks, i, &switches[i])) {
                describe(tasks, i, text);
                return;
            }
        poll(NULL, 0, look + 1 < LOOKS ? MOMENT_MS : 0);
    }
}
