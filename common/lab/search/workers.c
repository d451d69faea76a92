#include "workers.h"

#include "base/child.h"
#include "machine/cores.h"
#include "base/fail.h"
#include "base/patience.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORKERS = 64, CHUNK = 65536, LIMIT_S = 600 };

static struct worker {
    pid_t pid;
    FILE *orders;
    int reports;
    size_t number; // of its job
    const char *schedule; // that it runs; NULL: none
    char *text; // of its report, so far
    size_t length, room;
} workers[MOST_WORKERS];

static int worker_count;
static size_t runs;

// --- a worker ---------------------------------------------------------------

_Noreturn static void work(const struct run_setup *setup, int number,
                           int orders, int reports) {
    FILE *in = fdopen(orders, "r"), *out = fdopen(reports, "w");
    char *line = NULL;
    size_t size = 0;

    setpgid(0, 0); // Ctrl-C is for the one who asks
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    core_take(number);
    run_open(setup);
    while (getline(&line, &size, in) > 0) {
        if (*line == '+')
            run_further(line + 1, out);
        else
            run_schedule(line, out);
        fflush(out);
    }
    exit(EXIT_SUCCESS);
}

static void start(struct worker *worker, const struct run_setup *setup) {
    int orders[2], reports[2];

    if (pipe2(orders, O_CLOEXEC) < 0 || pipe2(reports, O_CLOEXEC) < 0)
        fail("cannot make pipes: %s", strerror(errno));
    fflush(NULL);
    worker->pid = child_start();
    if (worker->pid == 0) {
        close(orders[1]);
        close(reports[0]);
        for (int i = 0; i < worker_count; i++) { // not ours to keep open
            close(fileno(workers[i].orders));
            close(workers[i].reports);
        }
        work(setup, worker_count, orders[0], reports[1]);
    }
    close(orders[0]);
    close(reports[1]);
    worker->orders = must_have(fdopen(orders[1], "w"));
    worker->reports = reports[0];
}

void workers_open(const struct run_setup *setup, int jobs) {
    signal(SIGPIPE, SIG_IGN);
    fail_as_one();
    while (worker_count < jobs && worker_count < MOST_WORKERS) {
        start(&workers[worker_count], setup);
        worker_count++;
    }
}

void workers_close(void) {
    for (int i = 0; i < worker_count; i++) {
        fclose(workers[i].orders);
        close(workers[i].reports);
        child_end(workers[i].pid, "a worker");
        free(workers[i].text);
        workers[i] = (struct worker){.pid = 0};
    }
    worker_count = 0;
}

// --- giving out and taking in -----------------------------------------------

static void order(struct worker *worker, const char *schedule) {
    bool further = worker->schedule != NULL;

    worker->schedule = schedule;
    worker->length = 0;
    fprintf(worker->orders, "%s%s\n", further ? "+" : "", schedule);
    fflush(worker->orders);
}

// The worker has said itself what went wrong, if it could.
_Noreturn static void worker_is_gone(const struct worker *worker) {
    child_end(worker->pid, "a worker");
    fail("could not run the schedule '%s'", worker->schedule);
}

// True when the report is there in full.
static bool take(struct worker *worker) {
    if (worker->room < worker->length + CHUNK) {
        worker->room = worker->length + CHUNK;
        worker->text = must_have(realloc(worker->text, worker->room + 1));
    }
    ssize_t length = read(worker->reports, worker->text + worker->length,
                          CHUNK);
    if (length <= 0)
        worker_is_gone(worker);
    worker->length += (size_t)length;
    worker->text[worker->length] = '\0';
    return worker->length >= 5 &&
           strcmp(worker->text + worker->length - 5, "\nend\n") == 0;
}

// A world has limits of its own; this one is for a worker that has none
// somewhere.
static void wait_for_reports(struct pollfd ready[MOST_WORKERS]) {
    enum { A_WHILE_MS = 500 };
    struct patience patience = {0};

    for (int i = 0; i < worker_count; i++)
        ready[i] = (struct pollfd){
            .fd = workers[i].schedule ? workers[i].reports : -1,
            .events = POLLIN};
    while (poll(ready, (nfds_t)worker_count, A_WHILE_MS) == 0)
        if (!patience_lasts(&patience, LIMIT_S * 1000))
            fail("no worker has finished a schedule within %d s", LIMIT_S);
}

void workers_run(size_t count, next_order *next, void *argument) {
    struct pollfd ready[MOST_WORKERS];
    size_t given = 0, done = 0;

    while (done < count) {
        for (int i = 0; i < worker_count && given < count; i++) {
            if (workers[i].schedule)
                continue;
            workers[i].number = given++;
            order(&workers[i], next(argument, workers[i].number, NULL));
        }
        wait_for_reports(ready);
        for (int i = 0; i < worker_count; i++) {
            struct worker *worker = &workers[i];
            if (!worker->schedule || !ready[i].revents || !take(worker))
                continue;
            const char *more = next(argument, worker->number, worker->text);
            if (more)
                order(worker, more);
            else
                done++;
            worker->schedule = more;
        }
    }
    runs += count;
}

size_t workers_runs(void) {
    return runs;
}
