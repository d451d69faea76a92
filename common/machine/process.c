#include "process.h"

#include "base/units.h"
#include "clock.h"
#include "cores.h"
#include "base/fail.h"
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_PROCESSES = 64, COMMAND_NOT_FOUND = 127 };

// All children that run now. They are killed when this process exits.
static struct process *running[MAX_PROCESSES];

static void kill_all(void) {
    for (int i = 0; i < MAX_PROCESSES; i++)
        if (running[i])
            process_kill(running[i]);
}

bool process_patience(struct patience *patience) {
    enum { CROWDED_MS = 50 };
    bool lasts = patience_lasts(patience, PATIENCE_MS);

    if (patience->waited_ns > CROWDED_MS * MILLISECOND && core_leave())
        for (int i = 0; i < MAX_PROCESSES; i++)
            if (running[i])
                core_leave_too(running[i]->pid);
    return lasts;
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

static void send(const struct process *process, int signal) {
    kill(process->leads ? -process->pid : process->pid, signal);
}

static void forget(struct process *process) {
    if (process->leads)
        sandbox_entrust(-process->pid);
    for (int i = 0; i < MAX_PROCESSES; i++)
        if (running[i] == process)
            running[i] = NULL;
    close(process->input);
    close(process->output);
    tasks_forget(&process->tasks);
    process->state = PROCESS_NONE;
}

// Closes all descriptors but `kept` and 0 to 2 at the exec. We open ours with
// CLOEXEC, but we may have inherited others from a shell or a test.
static void close_others(int kept) {
    unsigned first = STDERR_FILENO + 1, keep = (unsigned)kept;

    if (kept && keep > first)
        close_range(first, keep - 1, CLOSE_RANGE_CLOEXEC);
    close_range(kept ? keep + 1 : first, ~0U, CLOSE_RANGE_CLOEXEC);
}

_Noreturn static void become(const struct process *process, char *const argv[],
                             pid_t parent, int input, int output,
                             const struct variable *environment) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE); // the parent died before the line above
    signal(SIGPIPE, SIG_DFL);
    if (process->leads)
        setpgid(0, 0);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    if (process->joins_stderr)
        dup2(output, STDERR_FILENO);
    close_others(process->keeps);
    for (; environment->name; environment++)
        setenv(environment->name, environment->value, 1);
    execvp(argv[0], argv);
    _exit(COMMAND_NOT_FOUND);
}

void process_adopt(struct process *process, int input, int output) {
    process->input = input;
    process->output = output;
    process->state = PROCESS_RUNS;
    remember(process);
    fcntl(process->output, F_SETFL, O_NONBLOCK);
}

void process_start(struct process *process, char *const argv[],
                   const struct variable *environment) {
    int in[2], out[2];
    pid_t parent = getpid();

    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        fail("cannot make pipes for %s: %s", argv[0], strerror(errno));
    process->pid = fork();
    if (process->pid < 0)
        fail("cannot start %s: %s", argv[0], strerror(errno));
    if (process->pid == 0)
        become(process, argv, parent, in[0], out[1], environment);
    if (process->leads) {
        setpgid(process->pid, process->pid); // the child does the same
        sandbox_entrust(process->pid);
    }
    close(in[0]);
    close(out[1]);
    process_adopt(process, in[1], out[0]);
}

int process_output(const struct process *process) {
    return fcntl(process->output, F_DUPFD_CLOEXEC, 0);
}

static int wait_for(const struct process *process, int flags) {
    int status = 0;
    while (waitpid(process->pid, &status, flags) < 0)
        if (errno != EINTR)
            fail("cannot wait for process %d: it is not a child of this one",
                 (int)process->pid);
    return status;
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
    wait_for(process, 0);
    reap_group(process->pid);
    forget(process);
}

// Processes that were killed and that we have not waited for yet.
static pid_t dying[MAX_PROCESSES];
static int dying_count;

void process_reap(void) {
    while (dying_count > 0) {
        waitpid(dying[--dying_count], NULL, 0);
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
            return "closed its standard output";
        }
        poll(NULL, 0, 1);
    }
    if (process->leads)
        send(process, SIGKILL); // the rest of its group
    int status = wait_for(process, 0);
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "was ended by signal %d", WTERMSIG(status));
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
    int status = wait_for(process, flag);
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
