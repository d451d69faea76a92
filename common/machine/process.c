#include "process.h"

#include "base/environment.h"
#include "base/child.h"
#include "base/units.h"
#include "cores.h"
#include "base/fail.h"
#include "host.h"
#include "mark.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PROCESSES = 64 };

// All children that run now. They are killed when this process exits.
static struct process *running[MAX_PROCESSES];

static void kill_all(void) {
    for (int i = 0; i < MAX_PROCESSES; i++)
        if (running[i])
            process_kill(running[i]);
}

// For how long all of them have had a core. One that has just ended counts no
// more.
static int64_t used_ns(void) {
    int64_t sum_ns = 0;

    for (int i = 0; i < MAX_PROCESSES; i++) {
        struct timespec used;
        clockid_t clock;
        if (running[i] && clock_getcpuclockid(running[i]->pid, &clock) == 0 &&
            clock_gettime(clock, &used) == 0)
            sum_ns += used.tv_sec * SECOND + used.tv_nsec;
    }
    return sum_ns;
}

// Do they work, and get only a small part of a core? A process that waits in
// vain may wake up now and then to look: it uses less than a fiftieth of one.
static bool work_slowly(const struct patience *patience, int64_t limit_ms) {
    enum { NOTHING = 50, MOST_TIMES = 12 };
    int64_t limit_ns = limit_ms * MILLISECOND;
    int64_t used = used_ns() - patience->used_ns;

    return used > limit_ns / NOTHING && used < limit_ns &&
           patience->times < MOST_TIMES;
}

bool process_patience_of(struct patience *patience, int64_t limit_ms) {
    enum { CROWDED_MS = 50 };
    bool lasts = patience_lasts(patience, limit_ms);
    bool crowded = patience->waited_ns > CROWDED_MS * MILLISECOND;

    if (crowded && patience->used_ns == 0)
        patience->used_ns = used_ns();
    if (crowded && core_leave())
        for (int i = 0; i < MAX_PROCESSES; i++)
            if (running[i])
                core_leave_too(running[i]->pid);
    if (lasts || !work_slowly(patience, limit_ms))
        return lasts;
    *patience = (struct patience){.times = patience->times + 1};
    return true;
}

bool process_patience(struct patience *patience) {
    return process_patience_of(patience, PATIENCE_MS);
}

static void remember(struct process *process) {
    static bool registered;
    int i = 0;

    if (!registered)
        atexit(kill_all);
    registered = true;
    while (running[i])
        if (++i == MAX_PROCESSES)
            fail("more than %d processes in one world", MAX_PROCESSES);
    running[i] = process;
}

// A guest's processes outside its group get the signal, too.
static void send(const struct process *process, int signal) {
    kill(process->leads ? -process->pid : process->pid, signal);
    if (process->leads && process->number > 0)
        mark_signal(process->number, process->pid, signal);
}

// Reads from its standard error. False if there is nothing (more) to read.
static bool pass_on_some(struct process *process) {
    enum { MOST = 65536 };
    static char text[MOST];
    ssize_t length = read(process->errors.fd, text, sizeof text);
    size_t room = MOST - process->passed_on;

    if (length <= 0)
        return false;
    bool fits = (size_t)length <= room;
    if (fits)
        room = (size_t)length;
    if (room > 0)
        room = write(STDERR_FILENO, text, room) < 0 ? 0 : room;
    process->passed_on += room;
    if (!fits && !process->left_out) {
        dprintf(STDERR_FILENO, "\n%s: the rest of what this client writes to "
                "its standard error is left out\n",
                program_invocation_short_name);
        process->left_out = true;
    }
    return true;
}

static void pass_on_errors(void *owner) {
    struct process *process = owner;

    if (!pass_on_some(process))
        loop_close(&process->errors);
}

// The rest of its output before its end. Others may still write to this pipe.
static void pass_on_rest(struct process *process) {
    enum { MOST_READS = 32 };

    for (int i = 0; i < MOST_READS && process->errors.fd >= 0 &&
                    pass_on_some(process); i++)
        continue;
    loop_close(&process->errors);
}

static void forget(struct process *process) {
    for (int i = 0; i < MAX_PROCESSES; i++)
        if (running[i] == process)
            running[i] = NULL;
    pass_on_rest(process);
    close(process->input);
    close(process->output);
    tasks_forget(&process->tasks);
    process->state = PROCESS_NONE;
}

// Closes all descriptors at the exec, but for 0 to 2 and those in `keeps`. We
// open ours with CLOEXEC, but we may have inherited others from a shell or a
// test. (One of ours may have the number that another gets: so all are moved
// away first.)
static void close_others(const int keeps[PROCESS_KEEPS]) {
    enum { FIRST = STDERR_FILENO + 1, PAST = FIRST + PROCESS_KEEPS };
    int moved[PROCESS_KEEPS];

    for (int i = 0; i < PROCESS_KEEPS; i++)
        moved[i] = keeps[i] ? fcntl(keeps[i], F_DUPFD, PAST) : -1;
    close_range(FIRST, ~0U, CLOSE_RANGE_CLOEXEC);
    for (int i = 0; i < PROCESS_KEEPS; i++)
        if (moved[i] >= 0)
            dup2(moved[i], FIRST + i);
}

// Shells and test programs say in variables what they run.
static bool tells(const char *variable, const void *hidden) {
    if (strncmp(variable, "PATH=", strlen("PATH=")) == 0)
        return false;
    for (const char *const *word = hidden; *word; word++)
        if (strstr(variable, *word))
            return true;
    return false;
}

struct start {
    const struct process *process;
    const int *files; // become its standard input, output and error
};

// In the child.
static void become(const void *argument) {
    const struct start *start = argument;
    const struct process *process = start->process;

    mark_self(process->number);
    signal(SIGPIPE, SIG_DFL);
    if (process->leads)
        setpgid(0, 0);
    if (process->same_addresses)
        personality(ADDR_NO_RANDOMIZE);
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        dup2(start->files[i], i);
    close_others(process->keeps);
}

static pid_t start_program(const struct start *start, char *const argv[],
                           const struct variable *environment) {
    const char *const *hidden = start->process->hidden;
    char **whole = environment_for(environment, hidden ? tells : NULL, hidden);
    const struct host *host = start->process->host;
    pid_t child = host ? host_exec(host, argv, whole, become, start)
                       : child_exec(argv, whole, become, start);

    environment_free(whole, environment);
    return child;
}

static void open_pipe(int *read_end, int *write_end) {
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        fail("cannot make a pipe for a process: %s", strerror(errno));
    *read_end = ends[0];
    *write_end = ends[1];
}

void process_open_pipes(const struct process *process, struct pipes *pipes) {
    open_pipe(&pipes->theirs[0], &pipes->ours[0]);
    open_pipe(&pipes->ours[1], &pipes->theirs[1]);
    if (!process->joins_stderr)
        open_pipe(&pipes->ours[2], &pipes->theirs[2]);
    else
        pipes->theirs[2] = pipes->theirs[1];
}

static void close_theirs(const struct process *process,
                         const struct pipes *pipes) {
    close(pipes->theirs[0]);
    close(pipes->theirs[1]);
    if (!process->joins_stderr)
        close(pipes->theirs[2]);
}

void process_close_pipes(const struct process *process,
                         const struct pipes *pipes) {
    close_theirs(process, pipes);
    for (int i = 0; i < 2 + !process->joins_stderr; i++)
        close(pipes->ours[i]);
}

void process_adopt(struct process *process, const struct pipes *pipes) {
    close_theirs(process, pipes);
    if (process->leads)
        setpgid(process->pid, process->pid); // the child does the same
    process->input = pipes->ours[0];
    process->output = pipes->ours[1];
    process->errors.fd = -1;
    process->state = PROCESS_RUNS;
    remember(process);
    fcntl(process->output, F_SETFL, O_NONBLOCK);
    if (process->joins_stderr)
        return;
    fcntl(pipes->ours[2], F_SETFL, O_NONBLOCK);
    loop_watch(&process->errors, pipes->ours[2], pass_on_errors, process);
}

void process_start(struct process *process, char *const argv[],
                   const struct variable *environment) {
    struct pipes pipes;

    process_open_pipes(process, &pipes);
    const struct start start = {process, pipes.theirs};
    process->pid = start_program(&start, argv, environment);
    process_adopt(process, &pipes);
}

bool process_has(const struct process *process, pid_t other) {
    return getpgid(other) == process->pid ||
           (process->number > 0 && mark_is(other, process->number));
}

int process_output(const struct process *process) {
    return fcntl(process->output, F_DUPFD_CLOEXEC, 0);
}

int process_wait(pid_t child, int flags) {
    static const struct timespec moment = {.tv_nsec = 20000};
    struct patience patience = {0};
    int status = 0;
    pid_t found;

    while ((found = waitpid(child, &status, flags | WNOHANG)) != child) {
        if (found < 0 && errno != EINTR)
            fail("cannot wait for process %d: it is not a child of this one",
                 (int)child);
        if (!process_patience_of(&patience, PATIENCE_FOR_ENDS_MS))
            fail("process %d has not %s within %d s", (int)child,
                 flags & WUNTRACED    ? "stopped"
                 : flags & WCONTINUED ? "continued"
                                      : "ended",
                 PATIENCE_FOR_ENDS_MS / 1000);
        ppoll(NULL, 0, &moment, NULL);
    }
    return status;
}

bool process_hears_within(int fd, int64_t limit_ms) {
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    struct patience patience = {0};

    while (poll(&ready, 1, 10) <= 0)
        if (!process_patience_of(&patience, limit_ms))
            return false;
    return true;
}

bool process_hears(int fd) {
    return process_hears_within(fd, PATIENCE_MS);
}

// Waits for the processes of a group whose leader has died. They are children
// of ours since then, because sandbox_open() made us their subreaper.
static void reap_group(pid_t leader) {
    while (waitpid(-leader, NULL, WNOHANG) > 0)
        continue;
}

void process_kill(struct process *process) {
    if (process->state == PROCESS_NONE)
        return;
    send(process, SIGKILL);
    process_wait(process->pid, 0);
    reap_group(process->pid);
    forget(process);
}

// Killed processes that we have not waited for yet.
static pid_t dying[MAX_PROCESSES];
static int dying_count;

void process_reap(void) {
    while (dying_count > 0) {
        process_wait(dying[--dying_count], 0);
        reap_group(dying[dying_count]);
    }
}

void process_discard(struct process *process) {
    if (process->state == PROCESS_NONE)
        return;
    if (dying_count == MAX_PROCESSES)
        process_reap();
    send(process, SIGKILL);
    dying[dying_count++] = process->pid;
    forget(process);
}

bool process_ended(const struct process *process) {
    siginfo_t end = {0};

    waitid(P_PID, (id_t)process->pid, &end, WEXITED | WNOHANG | WNOWAIT);
    return end.si_pid != 0;
}

const char *process_end(struct process *process) {
    static char how[64];
    struct patience patience = {0};

    while (!process_ended(process)) {
        if (!process_patience(&patience)) {
            process_kill(process);
            process->ended_by = SIGKILL;
            return "closed its standard output";
        }
        poll(NULL, 0, 1);
    }
    if (process->leads)
        send(process, SIGKILL); // the rest of its group
    int status = process_wait(process->pid, 0);
    process->ended_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (process->ended_by > 0)
        snprintf(how, sizeof how, "was ended by signal %d", process->ended_by);
    else
        snprintf(how, sizeof how, "exited with %d", WEXITSTATUS(status));
    forget(process);
    return how;
}

static void confirm(struct process *process, int signal, int flag,
                    enum process_state before, enum process_state state) {
    if (process->state != before)
        fail("only a process that runs can be stopped, and only a process "
             "that is stopped can continue");
    send(process, signal);
    int status = process_wait(process->pid, flag);
    if (WIFEXITED(status) || WIFSIGNALED(status))
        fail("a client ended while it was being stopped or continued");
    process->state = state;
}

void process_stop(struct process *process) {
    confirm(process, SIGSTOP, WUNTRACED, PROCESS_RUNS, PROCESS_STOPPED);
}

void process_continue(struct process *process) {
    confirm(process, SIGCONT, WCONTINUED, PROCESS_STOPPED, PROCESS_RUNS);
}

int64_t process_computed_ns(const struct process *process) {
    struct timespec used;
    clockid_t clock;

    if (process->pid <= 0 || clock_getcpuclockid(process->pid, &clock) != 0 ||
        clock_gettime(clock, &used) != 0)
        return 0;
    return used.tv_sec * SECOND + used.tv_nsec;
}
