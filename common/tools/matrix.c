// ./scenarios/matrix: many races against many locks, as a table.
//
// A cell is one run of one scenario program, so that a cell of the table and
// what a student sees are the same thing. As many run at once as there are
// cores.
#include "arguments.h"
#include "locks.h"
#include "races.h"
#include "report/table.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_JOBS = 64, WIDTH = 100 };

enum cell { NOT_RUN, HOLDS, BROKEN, CANNOT };

struct matrix {
    struct race_list races;
    const struct race_entry *rows[MAX_RACES];
    size_t row_count;
    struct lock_list locks; // columns
    enum { TEXT, TSV, JSON } format;
    enum cell cells[MAX_RACES][MAX_LOCKS];
    bool failed; // a cell could not be run
};

// --- the command line --------------------------------------------------------

static const struct argp_option choices[] = {
    {"stage", 's', "LOCK", 0,
     "only this lock: a number or a name (may be given more than once)", 0},
    {"format", 'f', "FORMAT", 0, "text (the default), tsv or json", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    static const char *const formats[] = {"text", "tsv", "json"};
    struct matrix *matrix = state->input;

    switch (key) {
    case 's':
        if (matrix->locks.count == MAX_LOCKS)
            refuse("more than %d locks are named", MAX_LOCKS);
        locks_find(argument, matrix->locks.names[matrix->locks.count]);
        matrix->locks.count++;
        return 0;
    case 'f':
        for (int i = TEXT; i <= JSON; i++)
            if (strcmp(argument, formats[i]) == 0) {
                matrix->format = i;
                return 0;
            }
        refuse("'%s' is not a format: say text, tsv or json", argument);
    case ARGP_KEY_ARG:
        if (matrix->row_count == MAX_RACES)
            refuse("more than %d races are named", MAX_RACES);
        matrix->rows[matrix->row_count++] =
            races_find(&matrix->races, argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse_arguments(struct matrix *matrix, int argc, char **argv) {
    static const struct argp argp = {
        .options = choices,
        .parser = parse,
        .args_doc = "[RACE...]",
        .doc = "Replays races against locks, each cell on a redis-server of "
               "its own, and prints the table.\v"
               "Exit status: 0 every cell was run, whatever came out; 2 wrong "
               "use, or a run failed.",
    };

    arguments_parse(&argp, argc, argv, matrix);
    if (matrix->locks.count == 0)
        locks_built(&matrix->locks);
    if (matrix->row_count == 0)
        for (size_t i = 0; i < matrix->races.count; i++)
            matrix->rows[matrix->row_count++] =
                races_find(&matrix->races, matrix->races.entries[i].name);
}

// --- running -----------------------------------------------------------------

struct job {
    pid_t pid; // 0: this place is free
    int output;
    size_t row, column;
    char *text;
    size_t length;
};

static void start(const struct matrix *matrix, struct job *job, size_t cell) {
    char program[PATHS_SIZE];
    int ends[2];
    pid_t parent = getpid();

    *job = (struct job){.row = cell / matrix->locks.count,
                        .column = cell % matrix->locks.count};
    races_program(matrix->rows[job->row]->name, program);
    char *argv[] = {program, "--format", "json", "--stage",
                    (char *)matrix->locks.names[job->column], NULL};
    if (pipe2(ends, O_CLOEXEC) < 0)
        refuse("cannot make a pipe: %s", strerror(errno));
    job->pid = fork();
    if (job->pid < 0)
        refuse("cannot start %s: %s", program, strerror(errno));
    if (job->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[1], STDOUT_FILENO);
        if (getppid() == parent)
            execv(program, argv);
        _exit(EXIT_WRONG_USE);
    }
    close(ends[1]);
    job->output = ends[0];
}

static enum cell verdict_of(const struct job *job) {
    json_t *document = json_loadb(job->text, job->length, 0, NULL);
    const char *verdict =
        json_string_value(json_object_get(document, "verdict"));
    enum cell cell = NOT_RUN;

    if (verdict)
        cell = strcmp(verdict, "HOLDS") == 0    ? HOLDS
               : strcmp(verdict, "BROKEN") == 0 ? BROKEN
                                                : CANNOT;
    json_decref(document);
    return cell;
}

static void finish(struct matrix *matrix, struct job *job) {
    int status = 0;
    enum cell *cell = &matrix->cells[job->row][job->column];

    close(job->output);
    while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1)
        *cell = verdict_of(job);
    if (*cell == NOT_RUN) {
        fprintf(stderr, "%s: %s on %s was not run\n",
                program_invocation_short_name, matrix->rows[job->row]->name,
                matrix->locks.names[job->column]);
        matrix->failed = true;
    }
    free(job->text);
    job->pid = 0;
}

// False at the end of the output.
static bool read_some(struct job *job) {
    enum { CHUNK = 65536 };

    job->text = realloc(job->text, job->length + CHUNK);
    ssize_t length = read(job->output, job->text + job->length, CHUNK);
    if (length > 0)
        job->length += (size_t)length;
    return length > 0 || (length < 0 && errno == EINTR);
}

static void show_progress(size_t done, size_t all) {
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r%zu of %zu", done, all);
    if (done == all)
        fprintf(stderr, "\r%*s\r", 24, "");
}

static void run(struct matrix *matrix) {
    static struct job jobs[MAX_JOBS];
    struct pollfd outputs[MAX_JOBS];
    size_t all = matrix->row_count * matrix->locks.count, next = 0, done = 0;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t places = cores < 1 ? 1 : cores > MAX_JOBS ? MAX_JOBS : (size_t)cores;

    while (done < all) {
        for (size_t i = 0; i < places; i++) {
            if (matrix->failed)
                all = next; // what cannot run once will not run again
            if (jobs[i].pid == 0 && next < all)
                start(matrix, &jobs[i], next++);
            outputs[i] = (struct pollfd){
                .fd = jobs[i].pid ? jobs[i].output : -1, .events = POLLIN};
        }
        poll(outputs, places, -1);
        for (size_t i = 0; i < places; i++) {
            if (outputs[i].fd < 0 || !outputs[i].revents || read_some(&jobs[i]))
                continue;
            finish(matrix, &jobs[i]);
            show_progress(++done, all);
        }
    }
}

// --- printing ----------------------------------------------------------------

static const char *const words[] = {
    [NOT_RUN] = "not-run",
    [HOLDS] = "holds",
    [BROKEN] = "broken",
    [CANNOT] = "cannot",
};

static void print_tsv(const struct matrix *matrix) {
    fputs("race", stdout);
    for (size_t c = 0; c < matrix->locks.count; c++)
        printf("\t%s", matrix->locks.names[c]);
    putchar('\n');
    for (size_t r = 0; r < matrix->row_count; r++) {
        fputs(matrix->rows[r]->name, stdout);
        for (size_t c = 0; c < matrix->locks.count; c++)
            printf("\t%s", words[matrix->cells[r][c]]);
        putchar('\n');
    }
}

static void print_json(const struct matrix *matrix) {
    json_t *document = json_object();

    for (size_t r = 0; r < matrix->row_count; r++) {
        json_t *row = json_object();
        for (size_t c = 0; c < matrix->locks.count; c++)
            json_object_set_new(row, matrix->locks.names[c],
                                json_string(words[matrix->cells[r][c]]));
        json_object_set_new(document, matrix->rows[r]->name, row);
    }
    json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(document);
}

// "stage4" for stage4_set_nx_ex; other families keep their names.
static void short_name(const char *lock, char name[LOCK_NAME_SIZE]) {
    size_t length = strncmp(lock, "stage", 5) == 0 ? strcspn(lock, "_")
                                                   : strlen(lock);
    snprintf(name, LOCK_NAME_SIZE, "%.*s", (int)length, lock);
}

static void print_cell(enum cell cell, int width, bool colour) {
    static const char *const text[] = {
        [NOT_RUN] = "not run", [HOLDS] = "holds",
        [BROKEN] = "BROKEN",   [CANNOT] = "-",
    };
    static const char *const codes[] = {
        [NOT_RUN] = "35", [HOLDS] = "32", [BROKEN] = "1;31", [CANNOT] = "2",
    };

    if (colour)
        printf("  \033[%sm%-*s\033[0m", codes[cell], width, text[cell]);
    else
        printf("  %-*s", width, text[cell]);
}

static void print_legend(const struct matrix *matrix) {
    char name[LOCK_NAME_SIZE];

    putchar('\n');
    for (size_t c = 0; c < matrix->locks.count; c++) {
        short_name(matrix->locks.names[c], name);
        if (strcmp(name, matrix->locks.names[c]) != 0)
            printf("%s  %s\n", name, matrix->locks.names[c] + strlen(name) + 1);
    }
    puts("\nholds   the lock kept its promise in this race\n"
         "BROKEN  it did not: ./scenarios/RACE --stage N shows how\n"
         "-       it never does what the story needs, so it cannot happen here");
}

static void print_text(const struct matrix *matrix) {
    const char *no_color = getenv("NO_COLOR");
    bool colour = isatty(STDOUT_FILENO) && !(no_color && *no_color);
    int widths[MAX_LOCKS], first = (int)strlen("race");
    char name[LOCK_NAME_SIZE];

    for (size_t r = 0; r < matrix->row_count; r++)
        if ((int)strlen(matrix->rows[r]->name) > first)
            first = (int)strlen(matrix->rows[r]->name);
    printf("%-*s", first, "race");
    for (size_t c = 0; c < matrix->locks.count; c++) {
        short_name(matrix->locks.names[c], name);
        widths[c] = (int)strlen(name) > 7 ? (int)strlen(name) : 7;
        bool last = c + 1 == matrix->locks.count;
        printf("  %-*s", last ? 0 : widths[c], name);
    }
    putchar('\n');
    for (size_t r = 0; r < matrix->row_count; r++) {
        printf("%-*s", first, matrix->rows[r]->name);
        for (size_t c = 0; c < matrix->locks.count; c++) {
            bool last = c + 1 == matrix->locks.count;
            print_cell(matrix->cells[r][c], last ? 0 : widths[c], colour);
        }
        putchar('\n');
    }
    print_legend(matrix);
}

int main(int argc, char **argv) {
    static struct matrix matrix;

    races_list(&matrix.races);
    parse_arguments(&matrix, argc, argv);
    run(&matrix);
    if (matrix.format == TSV)
        print_tsv(&matrix);
    else if (matrix.format == JSON)
        print_json(&matrix);
    else
        print_text(&matrix);
    if (fflush(stdout) != 0 || ferror(stdout))
        refuse("cannot write the output: %s", strerror(errno));
    return matrix.failed ? EXIT_WRONG_USE : EXIT_SUCCESS;
}
