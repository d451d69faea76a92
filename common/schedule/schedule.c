#include "words.h"

#include "base/fail.h"
#include "base/list.h"
#include "base/repeats.h"
#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char schedule_version[] = "v1";

// --- a schedule --------------------------------------------------------------

void schedule_clear(struct schedule *schedule) {
    for (size_t i = 0; i < schedule->count; i++)
        free((char *)schedule->steps[i].choice.text);
    free(schedule->steps);
    schedule->steps = NULL;
    schedule->count = 0;
}

void schedule_add(struct schedule *schedule, struct step step) {
    size_t count = schedule->count++;

    schedule->steps = list_grow(schedule->steps, count, sizeof step);
    if (step.choice.text)
        step.choice.text = must_have(strdup(step.choice.text));
    schedule->steps[count] = step;
}

void schedule_add_choice(struct schedule *schedule, struct choice choice) {
    schedule_add(schedule, (struct step){STEP_CHOICE, choice});
}

// --- writing -----------------------------------------------------------------

// "+30.001"
static void write_seconds(FILE *out, int64_t ns) {
    char digits[16];

    fprintf(out, "%c%lld", ns < 0 ? '-' : '+', llabs(ns) / SECOND);
    if (llabs(ns) % SECOND == 0)
        return;
    snprintf(digits, sizeof digits, "%09lld", llabs(ns) % SECOND);
    for (size_t end = strlen(digits); digits[end - 1] == '0';)
        digits[--end] = '\0';
    fprintf(out, ".%s", digits);
}

static void write_client(FILE *out, const struct schedule *schedule,
                         const struct choice *choice) {
    fputc(schedule->clients[choice->client], out);
}

static void write_connection(FILE *out, const struct schedule *schedule,
                             const struct choice *choice) {
    write_client(out, schedule, choice);
    if (choice->connection > 1)
        fprintf(out, "%d", choice->connection);
}

// "/2@3": which of its locks, and on which thread.
static void write_place(FILE *out, const struct choice *choice) {
    if (choice->lock > 0)
        fprintf(out, "/%d", choice->lock + 1);
    if (choice->thread > 1)
        fprintf(out, "@%d", choice->thread);
}

static void write_object(FILE *out, const struct word *word,
                         const struct choice *choice) {
    switch (word->object) {
    case NOTHING:
        break;
    case SECONDS: write_seconds(out, choice->ns); break;
    case SERVER: fprintf(out, "%d", choice->server + 1); break;
    case TEXT: fprintf(out, "\"%s\"", choice->text); break;
    case OPERATION: write_place(out, choice); break;
    case LEASED:
        write_seconds(out, choice->ns);
        write_place(out, choice);
        break;
    case PATIENT:
        write_seconds(out, choice->patience_ns == NO_PATIENCE_NS
                               ? 0 : choice->patience_ns);
        write_place(out, choice);
        break;
    }
}

static void write_step(FILE *out, const struct schedule *schedule,
                       const struct step *step) {
    const struct choice *choice = &step->choice;
    const struct word *word = word_of(step);

    if (!word) { // the three that are more than a word
        if (choice->kind == CHOOSE_ADVANCE)
            fputc('t', out);
        else
            write_connection(out, schedule, choice);
        if (choice->kind == CHOOSE_ADVANCE)
            write_seconds(out, choice->ns);
        else
            fputc(choice->kind == CHOOSE_FORWARD ? '>' : '<', out);
        return;
    }
    if (word->subject == OF_CONNECTION)
        write_connection(out, schedule, choice);
    else if (word->subject == OF_CLIENT)
        write_client(out, schedule, choice);
    else if (choice->server > 0)
        fprintf(out, "server%d", choice->server + 1);
    else
        fputs("server", out);
    fprintf(out, ":%s", word->text);
    write_object(out, word, choice);
}

char *schedule_step_text(const struct schedule *schedule,
                         const struct step *step) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&text, &size));

    write_step(out, schedule, step);
    fclose(out);
    return text;
}

static bool is(const struct step *step, enum choice_kind kind) {
    return step->kind == STEP_CHOICE && step->choice.kind == kind;
}

// The answer to what has just been let through: "A>" becomes "A><".
static bool continues(const struct step *before, const struct step *step) {
    return is(before, CHOOSE_FORWARD) && is(step, CHOOSE_DELIVER) &&
           before->choice.client == step->choice.client &&
           before->choice.connection == step->choice.connection;
}

static const enum step_kind openings[] = {
    [OPENED_ONE] = STEP_OPENS,
    [OPENED_TWO] = STEP_OPENS_TWO,
    [OPENED_TURNED] = STEP_OPENS_TURNED,
};

enum opened schedule_opened(const struct step *step) {
    enum opened opened = OPENED_ONE;

    while (opened < OPENED_TURNED && openings[opened] != step->kind)
        opened++;
    return opened;
}

struct step schedule_opening(int client, enum opened opened) {
    return (struct step){openings[opened], {.client = client}};
}

int schedule_opens(const struct step *step) {
    enum opened opened = schedule_opened(step);

    return openings[opened] != step->kind ? 0 : opened == OPENED_ONE ? 1 : 2;
}

bool schedule_names_client(const struct step *step) {
    const struct word *word = word_of(step);
    return word ? word->subject != OF_SERVER : !is(step, CHOOSE_ADVANCE);
}

// Are all clients opened at the start, in the order in which steps name them? A
// reader of the schedule assumes that, so no A:opens has to be written.
static bool opened_as_named(const struct schedule *schedule) {
    int opened = 0, named = 0;
    bool seen[MAX_CLIENTS] = {false}, begun = false;

    for (size_t i = 0; i < schedule->count; i++) {
        const struct step *step = &schedule->steps[i];
        int client = step->choice.client;
        if (schedule_opens(step) > 1 || (step->kind == STEP_OPENS && begun))
            return false;
        if (step->kind == STEP_OPENS) {
            opened++;
            continue;
        }
        begun = begun || step->kind != STEP_OPTIONS;
        if (!schedule_names_client(step) || seen[client])
            continue;
        if (client != named++)
            return false;
        seen[client] = true;
    }
    return named == opened;
}

int schedule_number(const struct schedule *schedule, size_t step) {
    int number = 0;

    for (size_t i = 0; i <= step; i++)
        number += schedule->steps[i].kind != STEP_OPENS &&
                  (i == 0 || !continues(&schedule->steps[i - 1],
                                        &schedule->steps[i]));
    return number;
}

// The steps of a line: "A:enter", "A><", "t+30.001".
struct line {
    char **steps;
    size_t count;
};

static void add_to_line(struct line *line, char *step) {
    line->steps = list_grow(line->steps, line->count, sizeof *line->steps);
    line->steps[line->count++] = step;
}

static struct line line_of(const struct schedule *schedule) {
    bool opens = !opened_as_named(schedule);
    struct line line = {0};

    for (size_t i = 0; i < schedule->count; i++) {
        const struct step *step = &schedule->steps[i];
        if (step->kind == STEP_OPENS && !opens)
            continue;
        if (i > 0 && line.count > 0 &&
            continues(&schedule->steps[i - 1], step)) {
            char **last = &line.steps[line.count - 1];
            size_t length = strlen(*last);
            *last = must_have(realloc(*last, length + 2));
            strcpy(*last + length, "<");
        } else {
            add_to_line(&line, schedule_step_text(schedule, step));
        }
    }
    return line;
}

static bool is_time(const char *step) {
    return step[0] == 't';
}

// Time that passes, or the first of many steps in which no time passes: those
// of a client that comes to no end.
static bool may_repeat(const void *items, size_t i) {
    enum { MANY = 100 };
    const struct line *line = items;
    size_t end = i + 1;

    if (is_time(line->steps[i]))
        return true;
    while (end < line->count && end < i + MANY && !is_time(line->steps[end]))
        end++;
    return end == i + MANY;
}

static bool same_step(const void *items, size_t i, size_t j) {
    const struct line *line = items;
    return strcmp(line->steps[i], line->steps[j]) == 0;
}

static void write_steps(FILE *out, const struct line *line, size_t from,
                        size_t to, const char *before) {
    for (size_t i = from; i < to; i++)
        fprintf(out, "%s%s", i == from ? before : " ", line->steps[i]);
}

static void write_line(FILE *out, const struct line *line) {
    const struct repeated_list list = {line, line->count, may_repeat,
                                       same_step};

    for (size_t i = 0; i < line->count;) {
        struct repeats found = repeats_at(&list, i);
        if (found.period > 0) {
            write_steps(out, line, i, i + found.period, " (");
            fprintf(out, ")*%zu", found.times);
            i += found.period * found.times;
        } else {
            write_steps(out, line, i, i + 1, " ");
            i++;
        }
    }
}

char *schedule_text(const struct schedule *schedule) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&text, &size));
    struct line line = line_of(schedule);

    fprintf(out, "%s %s%s", schedule_version, schedule->lock,
            schedule->strict ? " strict" : "");
    if (schedule->lease_ms > 0) {
        fputs(" lease", out);
        write_seconds(out, schedule->lease_ms * MILLISECOND);
    }
    if (schedule->key[0])
        fprintf(out, " key\"%s\"", schedule->key);
    if (schedule->masters > 0)
        fprintf(out, " masters%d", schedule->masters);
    write_line(out, &line);
    for (size_t i = 0; i < line.count; i++)
        free(line.steps[i]);
    free(line.steps);
    fclose(out);
    return text;
}

