#include "matrix.h"

#include "base/fail.h"
#include "base/list.h"
#include "catalogue/course.h"
#include "catalogue/engines.h"
#include "catalogue/locks.h"
#include "race/options.h"
#include "report/prediction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Options without a letter.
enum {
    KEY_BLANK = 1000,
    KEY_BUGS,
    KEY_AT,
    KEY_CHECK,
    KEY_COURSE,
    KEY_DIGESTS,
    KEY_DOCUMENTS,
    KEY_ENGINE,
    KEY_EXPECT,
    KEY_FRESH,
    KEY_LEASE,
    KEY_MACHINES,
    KEY_REASONS,
    KEY_RESUME,
    KEY_ROADS,
    KEY_SHARD
};

static const struct argp_option choices[] = {
    {"stage", 's', "LOCK", 0,
     "only this lock: a number or a name (may be given more than once)", 0},
    {"client", 'c', "COMMAND", 0, "run on a guest, see ./scenarios/NAME --help",
     0},
    {"key", 'k', "KEY", 0, "its key", 0},
    {"at", KEY_AT, "PLACE", 0, OPTIONS_AT_HELP, 0},
    {"machines", KEY_MACHINES, "own|one", 0, OPTIONS_MACHINES_HELP, 0},
    {"fresh", KEY_FRESH, NULL, 0,
     "start each client of a guest anew, also of one that says when it is "
     "loaded: copies can share memory, and count the races", 0},
    {"masters", 'm', "N", 0,
     "worlds of N masters, for locks that use several, or a guest", 0},
    {"real", 'r', NULL, 0,
     "real time, with a lease of a second (or --lease)", 0},
    {"lease", KEY_LEASE, "SECONDS", 0, "the lease in real time", 0},
    {"virtual", 'v', NULL, 0, "virtual time for a guest too", 0},
    {"ladder", 'l', NULL, 0, "only the stages (the default for text)", 0},
    {"detours", 'd', NULL, 0, "only the detours", 0},
    {"all", 'a', NULL, 0, "every lock on Redis that is built (the default otherwise)",
     0},
    {"bugs", KEY_BUGS, NULL, 0,
     "only the checks of scenarios/bugs (the default for text: only the "
     "documented races)", 0},
    {"course", KEY_COURSE, NULL, 0,
     "only the races of the course, in the order of the ladder", 0},
    {"roads", KEY_ROADS, NULL, 0,
     "only the roads, on Redis, MariaDB and ZooKeeper, built or not", 0},
    {"engine", KEY_ENGINE, "NAME", 0,
     "every lock that is built and held by this engine: mariadb or zookeeper; "
     "with --client: the guest's", 0},
    {"blank", KEY_BLANK, NULL, 0,
     "run nothing: print the table with a ? in each cell, to fill in", 0},
    {"check", KEY_CHECK, "FILE", 0,
     "compare a table that was filled in with what comes out", 0},
    {"expect", KEY_EXPECT, "FILE", 0,
     "the races of this table, which --format tsv has printed before; a cell "
     "that is not as it was is told, and the exit status is 1", 0},
    {"shard", KEY_SHARD, "K/N", 0,
     "only every N-th race, from the K-th: a part of the work", 0},
    {"resume", KEY_RESUME, "FILE", 0,
     "take the rows that stand in this table and run only the others, for "
     "tsv (may be given more than once: so parts become a whole)", 0},
    {"digests", KEY_DIGESTS, NULL, 0,
     "beside each verdict a digest of all that its run showed, with the bytes "
     "on the wire; for tsv and json", 0},
    {"reasons", KEY_REASONS, NULL, 0,
     "for tsv: behind a verdict, that a client crashed; behind not-run, why",
     0},
    {"documents", KEY_DOCUMENTS, "FOLDER", 0,
     "write each run to FOLDER/RACE.LOCK.json, with its trace and its picture",
     0},
    {"format", 'f', "FORMAT", 0, "text (the default), tsv, json, junit or tap", 0},
    {0},
};

// Options that choose the locks.
static error_t parse_locks(struct matrix *matrix, int key, char *argument) {
    switch (key) {
    case 's':
        locks_add(&matrix->table.locks, argument);
        return 0;
    case 'c':
        matrix->options.client = options_client(argument);
        return 0;
    case KEY_ENGINE:
        matrix->engine = engines_named(argument)->name;
        return 0;
    case 'l':
    case 'd':
    case 'a':
    case KEY_ROADS:
        if (matrix->family && matrix->family != key)
            refuse("--ladder, --detours, --roads or --all: one of them");
        matrix->family = key;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// Options for the world of each cell.
static error_t parse_world(struct options *options, int key,
                           const char *argument) {
    switch (key) {
    case 'k':
        options_give_key(options, argument);
        return 0;
    case KEY_AT:
        options->at = options_at(argument);
        return 0;
    case KEY_MACHINES:
        options_machines(argument);
        return 0;
    case KEY_FRESH:
        options->fresh = true;
        return 0;
    case 'm':
        options->masters = options_masters(argument);
        return 0;
    case KEY_LEASE:
        options->real_lease_ms = options_real_lease(argument);
        return 0;
    case 'r':
        options->real = true;
        return 0;
    case 'v':
        options->virtual = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// Options for what is written.
static error_t parse_output(struct matrix *matrix, int key,
                            const char *argument) {
    switch (key) {
    case KEY_DOCUMENTS:
        matrix->documents = argument;
        return 0;
    case KEY_DIGESTS:
        matrix->table.has_digests = true;
        return 0;
    case KEY_REASONS:
        matrix->table.has_reasons = true;
        return 0;
    case 'f':
        matrix->options.format = arguments_format(argument, FORMATS_OF_MATRIX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse_shard(struct matrix *matrix, const char *argument) {
    int length = 0;

    if (sscanf(argument, "%4zu/%4zu%n", &matrix->shard, &matrix->shards,
               &length) != 2 || argument[length] || matrix->shard == 0 ||
        matrix->shard > matrix->shards)
        refuse("--shard '%s': a part of how many, as in 2/5", argument);
}

// Options for earlier tables, and for parts of one.
static error_t parse_earlier(struct matrix *matrix, int key,
                             const char *argument) {
    switch (key) {
    case KEY_EXPECT:
        matrix->expect = argument;
        return 0;
    case KEY_RESUME:
        matrix->resume = list_grow(matrix->resume, matrix->resume_count,
                                   sizeof *matrix->resume);
        matrix->resume[matrix->resume_count++] = argument;
        return 0;
    case KEY_SHARD:
        parse_shard(matrix, argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct matrix *matrix = state->input;

    switch (key) {
    case KEY_BLANK:
        matrix->blank = true;
        return 0;
    case KEY_BUGS:
        matrix->bugs = true;
        return 0;
    case KEY_COURSE:
        matrix->course = true;
        return 0;
    case KEY_CHECK:
        matrix->check = argument;
        return 0;
    case ARGP_KEY_ARG:
        verdict_table_add_row(&matrix->table,
                              races_find(&matrix->races, argument));
        return 0;
    default:
        if (parse_locks(matrix, key, argument) == 0 ||
            parse_earlier(matrix, key, argument) == 0 ||
            parse_output(matrix, key, argument) == 0)
            return 0;
        return parse_world(&matrix->options, key, argument);
    }
}

// All that are built, but for the families that nobody asked for.
static void choose_locks(struct matrix *matrix) {
    static struct lock_list all;
    struct lock_list *locks = &matrix->table.locks;
    int family = matrix->family;

    if (!family)
        family = matrix->options.format == FORMAT_TEXT ? 'l' : 'a';
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

static void choose_course(struct matrix *matrix, const struct course *course) {
    if (course->count == 0)
        refuse("--course is a list of races in common/catalogue/course.txt, "
               "and it has none");
    for (size_t i = 0; i < course->count; i++)
        verdict_table_add_row(&matrix->table, course->races[i]);
    for (size_t i = 0; i < matrix->races.count; i++)
        matrix->left_out += races_is_documented(&matrix->races.entries[i]);
    matrix->left_out -= course->count;
}

// A reader gets one shelf, a program all races.
static void choose_shelves(struct matrix *matrix) {
    bool all = matrix->options.format != FORMAT_TEXT && !matrix->bugs;

    for (size_t i = 0; i < matrix->races.count; i++) {
        const struct race_entry *race = &matrix->races.entries[i];
        if (all || races_is_documented(race) != matrix->bugs)
            verdict_table_add_row(&matrix->table, race);
        else
            matrix->left_out++;
    }
    matrix->table.has_shelves = true;
}

static void choose_races(struct matrix *matrix) {
    struct course course = {0};

    course_read(&course, &matrix->races);
    matrix->in_course = course.count;
    if (matrix->course)
        choose_course(matrix, &course);
    else
        choose_shelves(matrix);
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
    for (size_t i = 0; i < matrix->table.locks.count; i++)
        options_world_masters(&matrix->options, matrix->table.locks.names[i]);
}

// The table that was filled in says which races and locks there are.
static void take_prediction(struct matrix *matrix) {
    struct verdict_table *table = &matrix->table;

    if (matrix->blank || matrix->bugs || matrix->course || matrix->family ||
        matrix->options.client ||
        matrix->engine || table->row_count > 0 || table->locks.count > 0 ||
        matrix->options.format != FORMAT_TEXT)
        refuse("--check FILE stands alone: races and locks are in the file");
    prediction_read(matrix->check, &matrix->races, &matrix->said);
    table->rows = matrix->said.rows;
    table->row_count = matrix->said.row_count;
    table->locks = matrix->said.locks;
}

// The races of the table that is expected, or those of them that are named.
static void take_expected(struct matrix *matrix) {
    struct verdict_table *table = &matrix->table;

    verdict_file_read(&matrix->expected, matrix->expect, table);
    for (size_t r = 0; r < table->row_count; r++)
        if (!verdict_file_row(&matrix->expected, table->rows[r]->name))
            refuse("%s has no row for %s", matrix->expect,
                   table->rows[r]->name);
    if (table->row_count > 0)
        return;
    for (size_t i = 0; i < matrix->expected.count; i++)
        verdict_table_add_row(table,
                              races_find(&matrix->races,
                                         matrix->expected.rows[i].race));
    if (table->row_count == 0)
        refuse("%s has no row", matrix->expect);
}

static void take_shard(struct matrix *matrix) {
    struct verdict_table *table = &matrix->table;
    size_t count = 0;

    for (size_t r = matrix->shard - 1; r < table->row_count;
         r += matrix->shards)
        table->rows[count++] = table->rows[r];
    table->row_count = count;
    if (count == 0)
        refuse("--shard %zu/%zu: there are fewer races", matrix->shard,
               matrix->shards);
}

// A row with a cell that was not run is run again.
static void take_earlier(struct matrix *matrix) {
    struct verdict_table *table = &matrix->table;

    for (size_t i = 0; i < matrix->resume_count; i++)
        verdict_file_read(&matrix->earlier, matrix->resume[i], table);
    table->kept = must_have(calloc(table->row_count, sizeof *table->kept));
    for (size_t r = 0; r < table->row_count; r++) {
        const struct verdict_file_row *row =
            verdict_file_row(&matrix->earlier, table->rows[r]->name);
        if (row && !strstr(row->cells, "not-run"))
            table->kept[r] = row->cells;
    }
}

static void check_parts(const struct matrix *matrix) {
    if (matrix->resume_count > 0 && matrix->options.format != FORMAT_TSV)
        refuse("--resume is for --format tsv, which prints a row at a time");
    if (matrix->check && (matrix->expect || matrix->resume_count > 0 ||
                          matrix->shards > 0))
        refuse("--check FILE stands alone: races and locks are in the file");
    if (matrix->blank && (matrix->expect || matrix->resume_count > 0))
        refuse("--blank runs nothing: no --expect or --resume with it");
    if (matrix->expect && (matrix->bugs || matrix->course))
        refuse("--expect FILE names the races: no --bugs or --course with it");
}

static void check_arguments(const struct matrix *matrix) {
    const struct options *options = &matrix->options;
    size_t named = matrix->table.locks.count;

    options_check_time(options->real, options->virtual, options->client);
    options_check_at(options);
    if (options->client && named > 0)
        refuse("--client takes the place of --stage");
    if (matrix->engine && named > 0)
        refuse("--engine names all locks of an engine: leave out --stage, or "
               "--engine");
    if (matrix->family && matrix->options.client)
        refuse("--client is the lock: no --ladder, --detours, --roads or "
               "--all with it");
    if (matrix->family && matrix->engine)
        refuse("--engine names the locks: no --ladder, --detours, --roads or "
               "--all with it");
    if (matrix->family && named > 0)
        refuse("--stage names the locks: no --ladder, --detours, --roads or "
               "--all with it");
    if (matrix->table.has_digests && matrix->options.format != FORMAT_TSV &&
        matrix->options.format != FORMAT_JSON)
        refuse("--digests are for --format tsv or json");
    if (matrix->bugs && matrix->course)
        refuse("--bugs or --course, not both");
    if (matrix->table.has_reasons && matrix->options.format != FORMAT_TSV)
        refuse("--reasons are for --format tsv");
    if (matrix->table.has_reasons && (matrix->expect || matrix->resume_count))
        refuse("--reasons are for programs: no --expect or --resume with them");
    if (matrix->bugs && matrix->table.row_count > 0)
        refuse("the races are named: no --bugs with them");
    if (matrix->course && matrix->table.row_count > 0)
        refuse("the races are named: no --course with them");
    if (matrix->blank && (options->client || options->format != FORMAT_TEXT))
        refuse("--blank prints a table to fill in: no --client or --format "
               "with it");
}

void matrix_parse(struct matrix *matrix, int argc, char **argv) {
    static const struct argp argp = {
        .options = choices,
        .parser = parse,
        .args_doc = "[RACE...]",
        .doc = "Replays races against locks, on servers that it starts and "
               "ends, and prints the table.\v"
               "Exit status: 0 every cell was run, whatever came out; 1 with "
               "--expect: a cell is not as it was; 2 wrong use, or a run "
               "failed.",
    };
    struct verdict_table *table = &matrix->table;
    struct options *options = &matrix->options;

    options->key = USUAL_KEY;
    arguments_parse(&argp, argc, argv, matrix);
    check_arguments(matrix);
    check_parts(matrix);
    options_settle(options);
    if (matrix->check)
        take_prediction(matrix);
    if (options->client) {
        options->engine = matrix->engine;
        table->locks = options->locks;
    } else if (matrix->engine) {
        choose_engine(matrix);
    } else if (table->locks.count == 0) {
        choose_locks(matrix);
    }
    options->locks = table->locks;
    check_masters(matrix);
    if (matrix->expect)
        take_expected(matrix);
    if (table->row_count == 0)
        choose_races(matrix);
    if (matrix->shards > 0)
        take_shard(matrix);
    if (matrix->resume_count > 0)
        take_earlier(matrix);
    verdict_table_share(table);
}
