// ./scenarios/matrix: many races against many locks, as a table.
//
// A scenario program runs, for a few locks of one row at once, so that a cell
// of the table and what a student sees are the same thing. As many run at once
// as there are cores. No cell that has failed is run again.
#include "base/arguments.h"
#include "base/child.h"
#include "base/environment.h"
#include "base/fail.h"
#include "base/list.h"
#include "base/patience.h"
#include "base/stream.h"
#include "catalogue/engines.h"
#include "catalogue/locks.h"
#include "race/chain.h"
#include "race/options.h"
#include "catalogue/races.h"
#include "report/colour.h"
#include "machine/cores.h"
#include "report/prediction.h"
#include "report/reasons.h"
#include "report/verdict_table.h"
#include "report/verdict_tests.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Options without a letter.
enum { KEY_BLANK = 1000, KEY_CHECK, KEY_ENGINE, KEY_LEASE, KEY_ROADS };

// A race has limits of its own; that of a cell is for a race that has none
// somewhere.
enum { MAX_JOBS = 64, REAL_JOBS = 4, CELL_LIMIT_S = 600 };

// Cells of one row in one job. One after the other they share a server; but
// one row alone should also find work for all cores.
enum { MOST_CELLS = 8, MOST_PASSED = 32 };

struct matrix {
    struct race_list races;
    struct verdict_table table;
    bool blank;                // print a table to fill in, and run nothing
    const char *check;         // a table that was filled in, or NULL
    struct verdict_table said; // what stands in it
    enum format format;
    const char *client; // a guest, or NULL
    const char *engine; // has all locks on it, or the guest's
    int masters;        // of each world; 0: as many as a lock wants
    bool real, virtual;
    int lease_ms; // in real time; 0: the usual one
    const char *passed[MOST_PASSED]; // options that each cell is given, too
    int passed_count;
    int family; // 'l', 'd', 'a', KEY_ROADS; 0: not said
    struct reasons reasons; // why cells could not be run
    size_t next; // the first cell that was not begun, counted row by row
    struct list_of_cells {
        size_t *cells, count;
    } left; // to which a job has not come
};

// --- the command line --------------------------------------------------------

static const struct argp_option choices[] = {
    {"stage", 's', "LOCK", 0,
     "only this lock: a number or a name (may be given more than once)", 0},
    {"client", 'c', "COMMAND", 0, "run on a guest, see ./scenarios/NAME --help",
     0},
    {"key", 'k', "KEY", 0, "its key", 0},
    {"masters", 'm', "N", 0,
     "worlds of N masters, for locks that use several, or a guest", 0},
    {"real", 'r', NULL, 0,
     "real time, with a lease of a second (or --lease)", 0},
    {"lease", KEY_LEASE, "SECONDS", 0, "the lease in real time", 0},
    {"virtual", 'v', NULL, 0, "virtual time for a guest too", 0},
    {"ladder", 'l', NULL, 0, "only the stages (the default for text)", 0},
    {"detours", 'd', NULL, 0, "only the detours", 0},
    {"all", 'a', NULL, 0, "every lock that is built (the default otherwise)",
     0},
    {"roads", KEY_ROADS, NULL, 0,
     "only the roads, on Redis, MariaDB and ZooKeeper, built or not", 0},
    {"engine", KEY_ENGINE, "NAME", 0,
     "every lock that is built and held by this engine: mariadb or zookeeper; "
     "with --client: the guest's", 0},
    {"blank", KEY_BLANK, NULL, 0,
     "run nothing: print the table with a ? in each cell, to fill in", 0},
    {"check", KEY_CHECK, "FILE", 0,
     "compare a table that was filled in with what comes out", 0},
    {"format", 'f', "FORMAT", 0, "text (the default), tsv, json, junit or tap", 0},
    {0},
};

// Each cell is given this option, with this argument if it has one.
static void pass_on(struct matrix *matrix, const char *option,
                    const char *argument) {
    if (matrix->passed_count + 2 > MOST_PASSED)
        refuse("%s is there too often", option);
    matrix->passed[matrix->passed_count++] = option;
    if (argument)
        matrix->passed[matrix->passed_count++] = argument;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct matrix *matrix = state->input;

    switch (key) {
    case 's':
        locks_add(&matrix->table.locks, argument);
        return 0;
    case 'c':
        matrix->client = options_client(argument);
        return 0;
    case 'k':
        options_key(argument);
        pass_on(matrix, "--key", argument);
        return 0;
    case 'm':
        matrix->masters = options_masters(argument);
        pass_on(matrix, "--masters", argument);
        return 0;
    case KEY_ENGINE:
        matrix->engine = engines_named(argument)->name;
        return 0;
    case KEY_LEASE:
        matrix->lease_ms = options_real_lease(argument);
        pass_on(matrix, "--lease", argument);
        return 0;
    case KEY_BLANK:
        matrix->blank = true;
        return 0;
    case KEY_CHECK:
        matrix->check = argument;
        return 0;
    case 'r':
        matrix->real = true;
        pass_on(matrix, "--real", NULL);
        return 0;
    case 'v':
        matrix->virtual = true;
        pass_on(matrix, "--virtual", NULL);
        return 0;
    case 'l':
    case 'd':
    case 'a':
    case KEY_ROADS:
        if (matrix->family && matrix->family != key)
            refuse("--ladder, --detours, --roads or --all: one of them");
        matrix->family = key;
        return 0;
    case 'f':
        matrix->format = arguments_format(argument, FORMATS_OF_MATRIX);
        return 0;
    case ARGP_KEY_ARG:
        if (matrix->table.row_count == MAX_RACES)
            refuse("more than %d races are named", MAX_RACES);
        matrix->table.rows[matrix->table.row_count++] =
            races_find(&matrix->races, argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// All that are built, but for the families that nobody asked for.
static void choose_locks(struct matrix *matrix) {
    static struct lock_list all;
    struct lock_list *locks = &matrix->table.locks;
    int family = matrix->family;

    if (!family)
        family = matrix->format == FORMAT_TEXT ? 'l' : 'a';
    if (family == KEY_ROADS)
        locks_roads(&all);
    else
        locks_built(&all);
    for (size_t i = 0; i < all.count; i++)
        if (family == 'a' || family == KEY_ROADS ||
            (family == 'l' && locks_is_stage(all.names[i])) ||
            (family == 'd' && locks_is_detour(all.names[i])))
            strcpy(locks->names[locks->count++], all.names[i]);
    if (matrix->table.locks.count == 0)
        refuse("no such lock is built yet: run make");
}

static void choose_engine(struct matrix *matrix) {
    if (strcmp(matrix->engine, engines_usual()->name) == 0)
        refuse("--engine %s is where the others are: --all names them",
               matrix->engine);
    locks_elsewhere(&matrix->table.locks, matrix->engine);
    if (matrix->table.locks.count == 0)
        refuse("no lock on the engine '%s' is built: make roads builds those "
               "on mariadb and zookeeper", matrix->engine);
}

// A lock that speaks with one server would fail in every cell of its column.
static void check_masters(const struct matrix *matrix) {
    struct options options = {.client = matrix->client,
                              .engine = matrix->client ? matrix->engine : NULL};

    if (!matrix->masters)
        return;
    options.masters = matrix->masters;
    for (size_t i = 0; i < matrix->table.locks.count; i++)
        options_world_masters(&options, matrix->table.locks.names[i]);
}

// The table that was filled in says which races and locks there are.
static void take_prediction(struct matrix *matrix) {
    struct verdict_table *table = &matrix->table;

    if (matrix->blank || matrix->family || matrix->client ||
        matrix->engine || table->row_count > 0 || table->locks.count > 0 ||
        matrix->format != FORMAT_TEXT)
        refuse("--check FILE stands alone: races and locks are in the file");
    prediction_read(matrix->check, &matrix->races, &matrix->said);
    memcpy(table->rows, matrix->said.rows, sizeof table->rows);
    table->row_count = matrix->said.row_count;
    table->locks = matrix->said.locks;
}

static bool in_real_time(const struct matrix *matrix) {
    return matrix->real || (matrix->client && !matrix->virtual);
}

static void check_arguments(const struct matrix *matrix) {
    size_t named = matrix->table.locks.count;

    options_check_time(matrix->real, matrix->virtual, matrix->client);
    options_check_lease(matrix->lease_ms, in_real_time(matrix));
    if (matrix->client && named > 0)
        refuse("--client takes the place of --stage");
    if (matrix->engine && named > 0)
        refuse("--engine names all locks of an engine: leave out --stage, or "
               "--engine");
    if (matrix->family && matrix->client)
        refuse("--client is the lock: no --ladder, --detours, --roads or "
               "--all with it");
    if (matrix->family && matrix->engine)
        refuse("--engine names the locks: no --ladder, --detours, --roads or "
               "--all with it");
    if (matrix->family && named > 0)
        refuse("--stage names the locks: no --ladder, --detours, --roads or "
               "--all with it");
    if (matrix->blank && (matrix->client || matrix->format != FORMAT_TEXT))
        refuse("--blank prints a table to fill in: no --client or --format "
               "with it");
}

static void parse_arguments(struct matrix *matrix, int argc, char **argv) {
    static const struct argp argp = {
        .options = choices,
        .parser = parse,
        .args_doc = "[RACE...]",
        .doc = "Replays races against locks, on servers that it starts and "
               "ends, and prints the table.\v"
               "Exit status: 0 every cell was run, whatever came out; 2 wrong "
               "use, or a run failed.",
    };
    struct verdict_table *table = &matrix->table;

    arguments_parse(&argp, argc, argv, matrix);
    check_arguments(matrix);
    if (matrix->check)
        take_prediction(matrix);
    if (matrix->client)
        strcpy(table->locks.names[table->locks.count++], "client");
    if (matrix->client && matrix->engine)
        pass_on(matrix, "--engine", matrix->engine);
    else if (matrix->engine)
        choose_engine(matrix);
    if (table->locks.count == 0)
        choose_locks(matrix);
    check_masters(matrix);
    table->race_count = matrix->races.count;
    if (table->row_count == 0)
        for (size_t i = 0; i < matrix->races.count; i++)
            table->rows[table->row_count++] =
                races_find(&matrix->races, matrix->races.entries[i].name);
}

// --- running -----------------------------------------------------------------

struct job {
    pid_t pid; // 0: this place is free
    size_t row, column, count; // the first cell, and how many in this row
    size_t rows;  // so many, one after the other
    size_t told;  // cells whose verdict has been read or is missing
    size_t found; // those whose verdict has been read
    struct stream output, errors;
    struct patience patience;
    bool killed; // it did not end
};

// How many jobs run at once.
static int places_of(const struct matrix *matrix) {
    if (in_real_time(matrix))
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

    if (in_real_time(matrix) || matrix->client || job->count < locks->count)
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
    if (!in_real_time(matrix)) { // there no server is shared
        size_t jobs = (columns + MOST_CELLS - 1) / MOST_CELLS;
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

// The n-th cell of a job.
static enum cell *cell_of(struct matrix *matrix, const struct job *job,
                          size_t n) {
    return &matrix->table.cells[job->row + n / job->count]
                               [job->column + n % job->count];
}

static bool is_of_cell(const struct matrix *matrix, const struct job *job,
                       size_t n, const json_t *document) {
    size_t row = job->row + n / job->count;
    size_t column = job->column + n % job->count;
    const char *race = json_string_value(json_object_get(document, "race"));
    const char *lock = json_string_value(json_object_get(document, "lock"));

    return matrix->client ||
           (race && strcmp(race, matrix->table.rows[row]->name) == 0 && lock &&
            strcmp(lock, matrix->table.locks.names[column]) == 0);
}

// Reads the documents that have come in full, one for each cell whose story
// came to its end. How many there were.
static size_t take_verdicts(struct matrix *matrix, struct job *job) {
    struct stream *output = &job->output;
    size_t cells = job->rows * job->count, used = 0, found = 0;
    json_error_t error;
    json_t *document;

    while (job->told < cells && output->length > used &&
           (document = json_loadb(output->text + used, output->length - used,
                                  JSON_DISABLE_EOF_CHECK, &error))) {
        while (job->told < cells &&
               !is_of_cell(matrix, job, job->told, document))
            job->told++;
        enum cell verdict = verdict_table_cell(
            json_string_value(json_object_get(document, "verdict")));
        if (job->told < cells) {
            *cell_of(matrix, job, job->told++) = verdict;
            found += verdict != NOT_RUN;
        }
        used += (size_t)error.position;
        json_decref(document);
    }
    if (used > 0)
        memmove(output->text, output->text + used, output->length - used);
    output->length -= used;
    job->found += found;
    return found;
}

// This cell of the job was not run: keeps the reason. Several that failed have
// said theirs one after the other.
static void note_failure(struct matrix *matrix, const struct job *job, size_t n,
                         int status) {
    size_t row = job->row + n / job->count;
    size_t column = job->column + n % job->count;
    char reason[REASON_SIZE];
    bool said = reasons_take(reason, job->errors.text,
                            matrix->table.rows[row]->name);

    if (job->killed)
        snprintf(reason, sizeof reason, "it has not ended within %d s",
                 CELL_LIMIT_S);
    else if (!said && WIFSIGNALED(status))
        snprintf(reason, sizeof reason, "it was ended by signal %d",
                 WTERMSIG(status));
    else if (!said)
        strcpy(reason, "it did not say why");
    *cell_of(matrix, job, n) = NOT_RUN;
    reasons_add(&matrix->reasons, row * matrix->table.locks.count + column,
                reason);
}

// The job has ended before it came to this cell.
static void begin_later(struct matrix *matrix, const struct job *job,
                        size_t n) {
    struct list_of_cells *left = &matrix->left;

    left->cells = list_grow(left->cells, left->count, sizeof *left->cells);
    left->cells[left->count++] =
        (job->row + n / job->count) * matrix->table.locks.count + job->column +
        n % job->count;
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
static void run(struct matrix *matrix) {
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

int main(int argc, char **argv) {
    static struct matrix matrix;

    arguments_hide(argc, argv);
    races_list(&matrix.races);
    parse_arguments(&matrix, argc, argv);
    if (matrix.blank) {
        prediction_print_blank(&matrix.table);
        finish_output();
        return EXIT_SUCCESS;
    }
    run(&matrix);
    if (matrix.check)
        prediction_print_score(&matrix.said, &matrix.table);
    else if (matrix.format == FORMAT_TSV)
        verdict_table_print_tsv(&matrix.table);
    else if (matrix.format == FORMAT_JSON)
        verdict_table_print_json(&matrix.table);
    else if (matrix.format == FORMAT_JUNIT)
        verdict_tests_print_junit(&matrix.table);
    else if (matrix.format == FORMAT_TAP)
        verdict_tests_print_tap(&matrix.table);
    else
        verdict_table_print_text(&matrix.table);
    finish_output();
    reasons_print(&matrix.reasons, &matrix.table);
    return matrix.reasons.count > 0 ? EXIT_WRONG_USE : EXIT_SUCCESS;
}
