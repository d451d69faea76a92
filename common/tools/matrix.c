// ./scenarios/matrix: many races against many locks, as a table.
//
// A cell is one run of one scenario program, so that a cell of the table and
// what a student sees are the same thing. As many run at once as there are
// cores.
#include "base/arguments.h"
#include "base/child.h"
#include "catalogue/locks.h"
#include "race/options.h"
#include "catalogue/races.h"
#include "report/colour.h"
#include "machine/cores.h"
#include "report/table.h"

#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_JOBS = 64, REAL_JOBS = 6 };

enum cell { NOT_RUN, HOLDS, BROKEN, CANNOT, INCONCLUSIVE };

struct matrix {
    struct race_list races;
    const struct race_entry *rows[MAX_RACES];
    size_t row_count;
    struct lock_list locks; // columns
    enum format format;
    const char *client, *key; // a guest and its key, or NULL
    bool real, virtual;
    int family; // 'l', 'd', 'a'; 0: not said
    enum cell cells[MAX_RACES][MAX_LOCKS];
    bool failed; // a cell could not be run
};

// --- the command line --------------------------------------------------------

static const struct argp_option choices[] = {
    {"stage", 's', "LOCK", 0,
     "only this lock: a number or a name (may be given more than once)", 0},
    {"client", 'c', "COMMAND", 0, "run on a guest, see ./scenarios/NAME --help",
     0},
    {"key", 'k', "KEY", 0, "its key", 0},
    {"real", 'r', NULL, 0, "real time, with a lease of one second", 0},
    {"virtual", 'v', NULL, 0, "virtual time for a guest too", 0},
    {"ladder", 'l', NULL, 0, "only the stages (the default for text)", 0},
    {"detours", 'd', NULL, 0, "only the detours", 0},
    {"all", 'a', NULL, 0, "every lock that is built (the default otherwise)",
     0},
    {"format", 'f', "FORMAT", 0, "text (the default), tsv or json", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct matrix *matrix = state->input;

    switch (key) {
    case 's':
        locks_add(&matrix->locks, argument);
        return 0;
    case 'c':
        matrix->client = options_client(argument);
        return 0;
    case 'k':
        matrix->key = options_key(argument);
        return 0;
    case 'r':
        matrix->real = true;
        return 0;
    case 'v':
        matrix->virtual = true;
        return 0;
    case 'l':
    case 'd':
    case 'a':
        if (matrix->family && matrix->family != key)
            refuse("--ladder, --detours or --all: one of them");
        matrix->family = key;
        return 0;
    case 'f':
        matrix->format = arguments_format(argument, true);
        return 0;
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

// All that are built, but for the families that nobody asked for.
static void choose_locks(struct matrix *matrix) {
    static struct lock_list all;
    int family = matrix->family;

    if (!family)
        family = matrix->format == FORMAT_TEXT ? 'l' : 'a';
    locks_built(&all);
    for (size_t i = 0; i < all.count; i++)
        if (family == 'a' ||
            (family == 'l' && locks_is_stage(all.names[i])) ||
            (family == 'd' && locks_is_detour(all.names[i])))
            strcpy(matrix->locks.names[matrix->locks.count++], all.names[i]);
    if (matrix->locks.count == 0)
        refuse("no such lock is built yet: run make");
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
    options_check_time(matrix->real, matrix->virtual, matrix->client);
    if (matrix->client && matrix->locks.count > 0)
        refuse("--client takes the place of --stage");
    if (matrix->family && matrix->locks.count > 0)
        refuse("--stage names the locks: no --ladder, --detours or --all with "
               "it");
    if (matrix->family && matrix->client)
        refuse("--client is the lock: no --ladder, --detours or --all with it");
    if (matrix->client)
        strcpy(matrix->locks.names[matrix->locks.count++], "client");
    if (matrix->locks.count == 0)
        choose_locks(matrix);
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

static bool in_real_time(const struct matrix *matrix) {
    return matrix->real || (matrix->client && !matrix->virtual);
}

static void start(const struct matrix *matrix, struct job *job, size_t cell) {
    char program[PATHS_SIZE];
    int ends[2];

    *job = (struct job){.row = cell / matrix->locks.count,
                        .column = cell % matrix->locks.count};
    races_program(matrix->rows[job->row]->name, program);
    char *argv[16] = {program, "--format", "json"};
    int count = 3;
    argv[count++] = matrix->client ? "--client" : "--stage";
    argv[count++] = matrix->client ? (char *)matrix->client
                                   : (char *)matrix->locks.names[job->column];
    if (matrix->key) {
        argv[count++] = "--key";
        argv[count++] = (char *)matrix->key;
    }
    if (matrix->real)
        argv[count++] = "--real";
    if (matrix->virtual)
        argv[count++] = "--virtual";
    if (pipe2(ends, O_CLOEXEC) < 0)
        refuse("cannot make a pipe: %s", strerror(errno));
    job->pid = child_start();
    if (job->pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
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
        cell = strcmp(verdict, "HOLDS") == 0           ? HOLDS
               : strcmp(verdict, "BROKEN") == 0        ? BROKEN
               : strcmp(verdict, "CANNOT HAPPEN") == 0 ? CANNOT
                                                       : INCONCLUSIVE;
    json_decref(document);
    return cell;
}

static void finish(struct matrix *matrix, struct job *job) {
    enum cell *cell = &matrix->cells[job->row][job->column];

    close(job->output);
    int status = child_end(job->pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) != EXIT_WRONG_USE)
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

    job->text = must_have(realloc(job->text, job->length + CHUNK));
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
    int places = core_count() > MAX_JOBS ? MAX_JOBS : core_count();

    if (in_real_time(matrix))
        places = REAL_JOBS; // they mostly wait

    while (done < all) {
        for (int i = 0; i < places; i++) {
            if (jobs[i].pid == 0 && next < all)
                start(matrix, &jobs[i], next++);
            outputs[i] = (struct pollfd){
                .fd = jobs[i].pid ? jobs[i].output : -1, .events = POLLIN};
        }
        poll(outputs, (nfds_t)places, -1);
        for (int i = 0; i < places; i++) {
            if (outputs[i].fd < 0 || !outputs[i].revents || read_some(&jobs[i]))
                continue;
            finish(matrix, &jobs[i]);
            if (matrix->failed)
                all = next; // what cannot run once will not run again
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
    [INCONCLUSIVE] = "inconclusive",
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

static bool has_digit(const char *lock) {
    return locks_is_stage(lock) && lock[strlen("stage1")] == '_';
}

// A key for a column without room for a name: the stage's digit, or a letter.
static char column_key(const struct matrix *matrix, size_t column) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t letter = 0;

    if (has_digit(matrix->locks.names[column]))
        return matrix->locks.names[column][strlen("stage")];
    for (size_t c = 0; c < column; c++)
        letter += !has_digit(matrix->locks.names[c]);
    return letter < sizeof letters - 1 ? letters[letter] : '+';
}

static void print_cell(enum cell cell, int width, bool wide, bool colour) {
    static const char *const text[] = {
        [NOT_RUN] = "not run", [HOLDS] = "holds",
        [BROKEN] = "BROKEN",   [CANNOT] = "-", [INCONCLUSIVE] = "?",
    };
    static const char *const symbols[] = {
        [NOT_RUN] = "!", [HOLDS] = ".", [BROKEN] = "X", [CANNOT] = "-",
        [INCONCLUSIVE] = "?",
    };
    static const char *const codes[] = {
        [NOT_RUN] = "35", [HOLDS] = "32", [BROKEN] = "1;31", [CANNOT] = "2",
        [INCONCLUSIVE] = "33",
    };
    const char *word = wide ? text[cell] : symbols[cell];

    if (colour)
        printf("\033[%sm%-*s\033[0m", codes[cell], width, word);
    else
        printf("%-*s", width, word);
}

static bool has_cell(const struct matrix *matrix, enum cell cell) {
    for (size_t r = 0; r < matrix->row_count; r++)
        for (size_t c = 0; c < matrix->locks.count; c++)
            if (matrix->cells[r][c] == cell)
                return true;
    return false;
}

static void print_legend(const struct matrix *matrix, bool wide) {
    char name[LOCK_NAME_SIZE];

    putchar('\n');
    for (size_t c = 0; c < matrix->locks.count; c++) {
        const char *lock = matrix->locks.names[c];
        locks_short_name(lock, name);
        if (!wide)
            printf("%c  %s\n", column_key(matrix, c), lock);
        else if (strcmp(name, lock) != 0)
            printf("%s  %s\n", name, lock + strlen(name) + 1);
    }
    printf("\n%-6s  the lock kept its promise in this race\n"
           "%-6s  it did not: ./scenarios/RACE --stage LOCK shows how\n"
           "%-6s  it never does what the story needs, so it cannot happen "
           "here\n",
           wide ? "holds" : ".", wide ? "BROKEN" : "X", "-");
    if (has_cell(matrix, INCONCLUSIVE))
        printf("%-6s  a client heard only an error, and the story has not "
               "caused that:\n        nothing can be said\n", "?");
    if (matrix->failed)
        printf("%s  this cell was not run; what went wrong stands on standard "
               "error\n", wide ? "not run" : "!     ");
}

static void print_text(const struct matrix *matrix) {
    enum { GAP = 2, NARROWEST = 7 };
    bool colour = colour_wanted(stdout);
    int widths[MAX_LOCKS], first = (int)strlen("race"), total = 0;
    char name[LOCK_NAME_SIZE];

    for (size_t r = 0; r < matrix->row_count; r++)
        if ((int)strlen(matrix->rows[r]->name) > first)
            first = (int)strlen(matrix->rows[r]->name);
    for (size_t c = 0; c < matrix->locks.count; c++) {
        locks_short_name(matrix->locks.names[c], name);
        widths[c] = (int)strlen(name) > NARROWEST ? (int)strlen(name)
                                                  : NARROWEST;
        total += GAP + widths[c];
    }
    // Names and words where they fit on the page, keys and signs elsewhere.
    bool wide = first + total <= page_width(stdout);
    for (size_t r = 0; r <= matrix->row_count; r++) {
        printf("%-*s", first, r == 0 ? "race" : matrix->rows[r - 1]->name);
        for (size_t c = 0; c < matrix->locks.count; c++) {
            int width = c + 1 == matrix->locks.count ? 0 : wide ? widths[c] : 1;
            locks_short_name(matrix->locks.names[c], name);
            printf("%*s", wide ? GAP : 1, "");
            if (r > 0)
                print_cell(matrix->cells[r - 1][c], width, wide, colour);
            else if (wide)
                printf("%-*s", width, name);
            else
                putchar(column_key(matrix, c));
        }
        putchar('\n');
    }
    print_legend(matrix, wide);
}

int main(int argc, char **argv) {
    static struct matrix matrix;

    races_list(&matrix.races);
    parse_arguments(&matrix, argc, argv);
    run(&matrix);
    if (matrix.format == FORMAT_TSV)
        print_tsv(&matrix);
    else if (matrix.format == FORMAT_JSON)
        print_json(&matrix);
    else
        print_text(&matrix);
    finish_output();
    return matrix.failed ? EXIT_WRONG_USE : EXIT_SUCCESS;
}
