#include "matrix.h"

#include "base/child.h"
#include "base/environment.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/patience.h"
#include "base/stream.h"
#include "catalogue/engines.h"
#include "catalogue/locks.h"
#include "machine/cores.h"
#include "race/chain.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// A race has limits of its own; that of a cell is for a race that has none
// somewhere.
enum { MAX_JOBS = 64, REAL_JOBS = 4, CELL_LIMIT_S = 600 };

// Cells of one row in one job. One after the other they share a server; but a
// few rows alone should also find work for all cores.
enum { MOST_CELLS = 20, MOST_OF_FEW_ROWS = 8 };

struct job {
    pid_t pid; // 0: this place is free
    size_t row, column, count; // the first cell, and how many in this row
    size_t rows;  // so many, one after the other
    size_t told;  // cells whose verdict has been read or is missing
    size_t found; // those whose verdict has been read
    struct stream output, errors;
    size_t searched; // the output up to here has no end of a document
    struct patience patience;
    bool killed; // it did not end
};

// How many jobs run at once.
static int places_of(const struct matrix *matrix) {
    if (matrix_in_real_time(matrix))
        return REAL_JOBS; // they mostly wait
    return core_count() > MAX_JOBS ? MAX_JOBS : core_count();
}

// In the child: its standard output and error.
static void write_to(const void *argument) {
    const int *files = argument;

    dup2(files[0], STDOUT_FILENO);
    dup2(files[1], STDERR_FILENO);
}

// In so many rows can the servers of a job, which are hard to start, serve? The
// rows that are left are enough for two such jobs on each core, so that all
// cores have work to the end.
static size_t rows_of_chain(const struct matrix *matrix,
                            const struct job *job) {
    const struct lock_list *locks = &matrix->table.locks;
    size_t jobs = 2 * (size_t)places_of(matrix), rows;

    if (matrix_in_real_time(matrix) || matrix->client ||
        job->count < locks->count)
        return 1;
    for (size_t i = 0; i < locks->count; i++)
        if (!locks_is_built(locks->names[i]) ||
            engines_of(locks->names[i]) != engines_of(locks->names[0]) ||
            !engines_of(locks->names[i])->hand_on)
            return 1;
    rows = (matrix->table.row_count - job->row) / jobs;
    return rows < 1 ? 1 : rows;
}

// Takes the cells that the job runs. False if there are none any more.
static bool take_cells(struct matrix *matrix, struct job *job) {
    size_t columns = matrix->table.locks.count, cell = matrix->next;
    bool left = cell == matrix->table.row_count * columns;

    if (left && matrix->left.count == 0)
        return false;
    if (left)
        cell = matrix->left.cells[--matrix->left.count];
    *job = (struct job){.row = cell / columns, .column = cell % columns,
                        .count = 1, .rows = 1};
    if (left)
        return true;
    if (!matrix_in_real_time(matrix)) { // there no server is shared
        bool few = matrix->table.row_count < (size_t)places_of(matrix);
        size_t most = few ? MOST_OF_FEW_ROWS : MOST_CELLS;
        size_t jobs = (columns + most - 1) / most;
        size_t even = (columns + jobs - 1) / jobs;
        size_t rest = columns - job->column;
        job->count = rest < even ? rest : even;
    }
    // One that is not built is refused, and whatever else is in its job.
    for (size_t i = 1; i < job->count; i++)
        if (!locks_is_built(matrix->table.locks.names[job->column]) ||
            !locks_is_built(matrix->table.locks.names[job->column + i]))
            job->count = i;
    job->rows = rows_of_chain(matrix, job);
    matrix->next += job->count * job->rows;
    return true;
}

static void start(const struct matrix *matrix, struct job *job) {
    char program[PATHS_SIZE];
    int output[2], errors[2];

    races_program(matrix->table.rows[job->row]->name, program);
    char *argv[4 + 2 * MOST_CELLS + MOST_PASSED] = {program, "--format", "json"};
    int count = 3;
    for (size_t i = 0; i < job->count; i++) {
        const char *lock = matrix->table.locks.names[job->column + i];
        argv[count++] = matrix->client ? "--client" : "--stage";
        argv[count++] = (char *)(matrix->client ? matrix->client : lock);
    }
    for (int i = 0; i < matrix->passed_count; i++)
        argv[count++] = (char *)matrix->passed[i];
    if (pipe2(output, O_CLOEXEC) < 0 || pipe2(errors, O_CLOEXEC) < 0)
        refuse("cannot make a pipe: %s", strerror(errno));
    char *chain = job->rows > 1 ? chain_for(&matrix->table.rows[job->row + 1],
                                            job->rows - 1)
                                : NULL;
    const struct variable added[] = {{chain ? CHAIN_VARIABLE : NULL, chain},
                                     {NULL, NULL}};
    char **environment = environment_for(added, NULL, NULL);
    job->pid = child_exec(argv, environment, write_to,
                          (int[]){output[1], errors[1]});
    environment_free(environment, added);
    free(chain);
    close(output[1]);
    close(errors[1]);
    job->output.fd = output[0];
    job->errors.fd = errors[0];
    fcntl(job->errors.fd, F_SETFL, O_NONBLOCK);
}

// Where the n-th cell of a job stands in the table.
struct cell_place {
    size_t row, column;
};

static struct cell_place place_of(const struct job *job, size_t n) {
    return (struct cell_place){job->row + n / job->count,
                          job->column + n % job->count};
}

static enum cell *cell_of(struct matrix *matrix, const struct job *job,
                          size_t n) {
    struct cell_place at = place_of(job, n);

    return &matrix->table.cells[at.row][at.column];
}

static bool is_of_cell(const struct matrix *matrix, const struct job *job,
                       size_t n, const json_t *document) {
    struct cell_place at = place_of(job, n);
    const char *race = json_string_value(json_object_get(document, "race"));
    const char *lock = json_string_value(json_object_get(document, "lock"));

    return matrix->client ||
           (race && strcmp(race, matrix->table.rows[at.row]->name) == 0 &&
            lock && strcmp(lock, matrix->table.locks.names[at.column]) == 0);
}

// Has a document come in full, from there? It ends with a brace at the start of
// a line. To parse a long one anew with each piece of it took longer than its
// race.
static bool has_document(struct job *job, size_t from) {
    static const char end[] = "\n}\n";
    const struct stream *output = &job->output;
    size_t kept = sizeof end - 2; // of it, what has come may be a part

    if (from + kept < job->searched)
        from = job->searched - kept;
    if (memmem(output->text + from, output->length - from, end, strlen(end)))
        return true;
    job->searched = output->length;
    return false;
}

static uint64_t *digest_of(struct matrix *matrix, const struct job *job,
                           size_t n) {
    struct cell_place at = place_of(job, n);

    return &matrix->table.digests[at.row][at.column];
}

static uint64_t digest(const json_t *document) {
    char *text = must_have(json_dumps(document, JSON_SORT_KEYS));
    uint64_t hash = hash_of(text);

    free(text);
    return hash;
}

// Reads the documents that have come in full, one for each cell whose story
// came to its end. How many there were.
static size_t take_verdicts(struct matrix *matrix, struct job *job) {
    struct stream *output = &job->output;
    size_t cells = job->rows * job->count, used = 0, found = 0;
    json_error_t error;
    json_t *document;

    while (job->told < cells && output->length > used &&
           has_document(job, used) &&
           (document = json_loadb(output->text + used, output->length - used,
                                  JSON_DISABLE_EOF_CHECK, &error))) {
        while (job->told < cells &&
               !is_of_cell(matrix, job, job->told, document))
            job->told++;
        enum cell verdict = verdict_table_cell(
            json_string_value(json_object_get(document, "verdict")));
        if (job->told < cells) {
            if (matrix->table.has_digests)
                *digest_of(matrix, job, job->told) = digest(document);
            *cell_of(matrix, job, job->told++) = verdict;
            found += verdict != NOT_RUN;
        }
        used += (size_t)error.position;
        json_decref(document);
    }
    if (used > 0)
        memmove(output->text, output->text + used, output->length - used);
    output->length -= used;
    job->searched -= used < job->searched ? used : job->searched;
    job->found += found;
    return found;
}

// This cell of the job was not run: keeps the reason. Several that failed have
// said theirs one after the other.
static void note_failure(struct matrix *matrix, const struct job *job, size_t n,
                         int status) {
    struct cell_place at = place_of(job, n);
    char reason[REASON_SIZE];
    bool said = reasons_take(reason, job->errors.text,
                            matrix->table.rows[at.row]->name);

    if (job->killed)
        snprintf(reason, sizeof reason, "it has not ended within %d s",
                 CELL_LIMIT_S);
    else if (!said && WIFSIGNALED(status))
        snprintf(reason, sizeof reason, "it was ended by signal %d",
                 WTERMSIG(status));
    else if (!said)
        strcpy(reason, "it did not say why");
    *cell_of(matrix, job, n) = NOT_RUN;
    reasons_add(&matrix->reasons,
                at.row * matrix->table.locks.count + at.column, reason);
}

// The job has ended before it came to this cell.
static void begin_later(struct matrix *matrix, const struct job *job,
                        size_t n) {
    struct list_of_cells *left = &matrix->left;
    struct cell_place at = place_of(job, n);

    left->cells = list_grow(left->cells, left->count, sizeof *left->cells);
    left->cells[left->count++] =
        at.row * matrix->table.locks.count + at.column;
}

// A cell that fails ends alone: the others are run all the same. It ends a
// chain, and what was killed: then those to which the job had not come are
// begun later. If all have a verdict and the job failed, nobody knows in which
// cell; in a chain it was the last. How many cells are done now.
static size_t finish(struct matrix *matrix, struct job *job) {
    int status = child_end(job->pid, matrix->table.rows[job->row]->name);
    size_t cells = job->rows * job->count, done = 0;
    bool failed = !WIFEXITED(status) || WEXITSTATUS(status) == EXIT_WRONG_USE;
    bool ends = job->rows > 1 || !WIFEXITED(status), noted = false;

    while (job->errors.fd >= 0 && stream_read(&job->errors))
        continue;
    bool spoilt = job->found == cells && failed;
    size_t first = spoilt && job->rows > 1 ? cells - 1 : 0;
    for (size_t n = first; n < cells; n++) {
        if (*cell_of(matrix, job, n) != NOT_RUN && !spoilt)
            continue;
        if (noted && ends) {
            begin_later(matrix, job, n);
            done -= spoilt;
            continue;
        }
        note_failure(matrix, job, n, status);
        done += !spoilt;
        noted = true;
    }
    fputs(job->errors.text, stderr); // what a guest has said
    stream_close(&job->output);
    stream_close(&job->errors);
    job->pid = 0;
    return done;
}

static void show_progress(size_t done, size_t all) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%zu of %zu", done, all);
}

static void wipe_progress(void) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%*s\r", 24, "");
}

// Reads what the job has written, if there is something. True when it has
// ended. One that does not end is killed.
static bool look_at(struct job *job, const struct pollfd *streams) {
    if (!patience_lasts(&job->patience, CELL_LIMIT_S * 1000) && !job->killed)
        job->killed = kill(job->pid, SIGKILL) == 0;
    if (streams[1].revents && !stream_read(&job->errors)) {
        close(job->errors.fd);
        job->errors.fd = -1;
    }
    return streams[0].revents && !stream_read(&job->output);
}

// A job that has told its last verdict can still fail: each is waited for.
void matrix_run(struct matrix *matrix) {
    static struct job jobs[MAX_JOBS];
    struct pollfd streams[MAX_JOBS][2];
    size_t done = 0, all = matrix->table.row_count * matrix->table.locks.count;
    int places = places_of(matrix), running;

    do {
        running = 0;
        for (int i = 0; i < places; i++) {
            if (jobs[i].pid == 0 && take_cells(matrix, &jobs[i]))
                start(matrix, &jobs[i]);
            bool runs = jobs[i].pid != 0;
            running += runs;
            streams[i][0] = (struct pollfd){
                .fd = runs ? jobs[i].output.fd : -1, .events = POLLIN};
            streams[i][1] = (struct pollfd){
                .fd = runs ? jobs[i].errors.fd : -1, .events = POLLIN};
        }
        poll(streams[0], 2 * (nfds_t)places, running > 0 ? 1000 : 0);
        for (int i = 0; i < places; i++) {
            if (jobs[i].pid == 0)
                continue;
            bool ended = look_at(&jobs[i], streams[i]);
            size_t more = take_verdicts(matrix, &jobs[i]), before = done;
            if (more > 0)
                jobs[i].patience = (struct patience){0};
            done += more;
            if (ended)
                done += finish(matrix, &jobs[i]);
            if (done != before)
                show_progress(done, all);
        }
    } while (running > 0);
    wipe_progress();
}
