#include "cells.h"

#include "base/arguments.h"
#include "base/child.h"
#include "base/fail.h"
#include "base/patience.h"
#include "base/stream.h"
#include "machine/cores.h"
#include "report/reasons.h"
#include "race_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// A race has limits of its own; that of a cell is for a race that has none
// somewhere.
enum { MOST_PLACES = 64, CELL_LIMIT_S = 600 };

// A worker writes it to its standard error, behind all that came from a cell.
enum { END_OF_CELL = '\0' };

// In memory that the workers share with their parent process.
struct shared {
    atomic_size_t next; // the first cell that nobody has begun
    atomic_size_t done;
    atomic_int worst; // exit status
    struct {
        atomic_size_t cell; // begun last, counted from 1; 0: none
        atomic_bool ended;  // it has
    } places[MOST_PLACES];
};

struct cell_worker {
    pid_t pid; // 0: this place is free
    int life; // a pipe that its end closes
    bool ended;
    struct stream errors;
    size_t cell; // when we looked last
    struct patience patience;   // with this cell
    bool killed;
};

static struct shared *shared;

static size_t count_of(const struct cells *cells) {
    return cells->race_count * cells->options->locks.count;
}

// --- in the worker -----------------------------------------------------------

static void note_status(int status) {
    int worst = shared->worst;

    while (status > worst &&
           !atomic_compare_exchange_weak(&shared->worst, &worst, status))
        continue;
}

static void run_cell(const struct cells *cells, size_t cell,
                     struct world **spare) {
    size_t race_number = cell % cells->race_count;
    size_t lock_number = cell / cells->race_count;
    const struct race_entry *entry = cells->races[race_number];
    char lock[LOCK_NAME_SIZE];

    // Every message about the cell begins with the race's name.
    program_invocation_short_name = (char *)entry->name;
    strcpy(lock, cells->options->locks.names[lock_number]);
    if (!cells->options->client && !locks_is_built(lock))
        locks_find(lock, lock); // says why not
    struct race *race = race_play(cells->options, entry->name, entry->story,
                                  lock, spare);
    int status = cells->conclude(race, race_number, lock_number,
                                 cells->argument);
    race_free(race);
    note_status(status);
}

_Noreturn static void work(const struct cells *cells, int place) {
    struct world *spare = NULL;
    size_t cell;

    while ((cell = shared->next++) < count_of(cells)) {
        shared->places[place].ended = false;
        shared->places[place].cell = cell + 1;
        if (cells->places > 1 && !cells->options->real)
            core_take(place);
        run_cell(cells, cell, &spare);
        shared->places[place].ended = true;
        shared->done++;
        if (cells->captured) // what guests have said follows its cell
            fputc(END_OF_CELL, stderr);
        if (cells->options->real) // no server is used again
            break;
    }
    if (spare)
        world_close(spare);
    exit(EXIT_SUCCESS);
}

// --- in the process that wants the cells -------------------------------------

static void open_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) < 0)
        fail("cannot make a pipe: %s", strerror(errno));
}

static void start(const struct cells *cells, struct cell_worker *worker,
                  int place) {
    int life[2], errors[2] = {-1, -1};

    *worker = (struct cell_worker){0};
    shared->places[place].cell = 0;
    open_pipe(life);
    if (cells->captured)
        open_pipe(errors);
    fflush(NULL);
    worker->pid = child_start();
    if (worker->pid == 0) {
        close(life[0]);
        if (cells->captured)
            dup2(errors[1], STDERR_FILENO);
        work(cells, place);
    }
    close(life[1]);
    worker->life = life[0];
    worker->errors.fd = errors[0];
    if (!cells->captured)
        return;
    close(errors[1]);
    fcntl(errors[0], F_SETFL, O_NONBLOCK);
}

// Prints what guests have said in cells that have ended.
static void print_said(struct cell_worker *worker) {
    struct stream *errors = &worker->errors;

    while (strlen(errors->text) < errors->length) {
        size_t length = strlen(errors->text);
        fputs(errors->text, stderr);
        stream_forget(errors, length + 1);
    }
}

// The worker has ended in the middle of this cell, or after it, where its
// servers would not end.
static void note_miss(const struct cells *cells, struct cell_worker *worker,
                      size_t cell, int status) {
    size_t race_number = cell % cells->race_count;
    size_t lock_number = cell / cells->race_count;
    char reason[REASON_SIZE] = "";
    bool said = cells->captured
                    ? reasons_take(reason, worker->errors.text,
                                   cells->races[race_number]->name)
                    : WIFEXITED(status);

    if (worker->killed)
        snprintf(reason, sizeof reason, "it has not ended within %d s",
                 CELL_LIMIT_S);
    else if (!said && WIFSIGNALED(status))
        snprintf(reason, sizeof reason, "it was ended by signal %d",
                 WTERMSIG(status));
    else if (!said)
        strcpy(reason, "it did not say why");
    cells->miss(race_number, lock_number, *reason ? reason : NULL,
                cells->argument);
    note_status(EXIT_WRONG_USE);
}

static void clear_place(const struct cells *cells, struct cell_worker *worker,
                        int place) {
    int status = child_end(worker->pid, "a worker");
    size_t cell = shared->places[place].cell;

    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE && !cells->captured)
        end_as_sigpipe();
    while (worker->errors.fd >= 0 && stream_read(&worker->errors))
        continue;
    if (worker->errors.text)
        print_said(worker);
    if (status != EXIT_SUCCESS && cell == 0)
        fail("a worker has ended before it began");
    if (status != EXIT_SUCCESS) {
        if (!shared->places[place].ended)
            shared->done++;
        note_miss(cells, worker, cell - 1, status);
    }
    if (worker->errors.text)
        fputs(worker->errors.text, stderr); // what a guest has said
    close(worker->life);
    stream_close(&worker->errors);
    worker->pid = 0;
}

// One that does not come to the end of its cell is killed.
static void check_patience(struct cell_worker *worker, int place) {
    size_t cell = shared->places[place].cell;

    if (cell != worker->cell)
        worker->patience = (struct patience){0};
    worker->cell = cell;
    if (!patience_lasts(&worker->patience, CELL_LIMIT_S * 1000) &&
        !worker->killed)
        worker->killed = kill(worker->pid, SIGKILL) == 0;
}

// Waits until one of them writes or ends, or for the time of a look.
static void watch(struct cell_worker *workers, int places) {
    enum { LOOK_MS = 100 };
    struct pollfd streams[MOST_PLACES][2];

    for (int i = 0; i < places; i++) {
        bool runs = workers[i].pid != 0;
        streams[i][0] = (struct pollfd){
            .fd = runs ? workers[i].life : -1, .events = POLLIN};
        streams[i][1] = (struct pollfd){
            .fd = runs ? workers[i].errors.fd : -1, .events = POLLIN};
    }
    poll(streams[0], 2 * (nfds_t)places, LOOK_MS);
    for (int i = 0; i < places; i++) {
        struct cell_worker *worker = &workers[i];
        if (streams[i][1].revents && !stream_read(&worker->errors)) {
            close(worker->errors.fd);
            worker->errors.fd = -1;
        }
        worker->ended = streams[i][0].revents != 0;
    }
}

// Looks after all workers, and starts one in each free place as long as there
// are cells that nobody has begun. False if nothing is left to do.
static bool look_after(const struct cells *cells, struct cell_worker *workers,
                       int places) {
    int running = 0;

    for (int i = 0; i < places; i++) {
        struct cell_worker *worker = &workers[i];
        if (worker->errors.text)
            print_said(worker);
        if (worker->ended)
            clear_place(cells, worker, i);
        else if (worker->pid)
            check_patience(worker, i);
        if (!worker->pid && shared->next < count_of(cells))
            start(cells, worker, i);
        running += worker->pid != 0;
    }
    if (cells->progress)
        cells->progress(shared->done, count_of(cells));
    return running > 0;
}

int cells_run(const struct cells *cells) {
    static struct cell_worker workers[MOST_PLACES];
    size_t count = count_of(cells);
    int places = cells->places < MOST_PLACES ? cells->places : MOST_PLACES;

    if (count < (size_t)places)
        places = (int)count;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        fail("no memory");
    memset(workers, 0, sizeof workers);
    while (look_after(cells, workers, places))
        watch(workers, places);
    int worst = shared->worst;
    munmap(shared, sizeof *shared);
    return worst;
}
