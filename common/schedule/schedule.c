#include "schedule.h"

#include "base/arguments.h"
#include "base/units.h"
#include "base/fail.h"
#include "base/list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char version[] = "v1";

// --- words -------------------------------------------------------------------

// What stands before the colon, and what after the word.
enum subject { OF_CLIENT, OF_CONNECTION, OF_SERVER };
enum object { NOTHING, SECONDS, SERVER, TEXT, OPERATION, LEASED };

static const struct word {
    const char *text;
    enum subject subject;
    enum object object;
    enum step_kind step;
    enum choice_kind choice;
    enum operation operation;
} words[] = {
    {"enter", OF_CLIENT, OPERATION, STEP_CHOICE, CHOOSE_ASK, OPERATION_ENTER},
    {"enter-for", OF_CLIENT, LEASED, STEP_CHOICE, CHOOSE_ASK, OPERATION_ENTER},
    {"leave", OF_CLIENT, OPERATION, STEP_CHOICE, CHOOSE_ASK, OPERATION_LEAVE},
    {"held", OF_CLIENT, OPERATION, STEP_CHOICE, CHOOSE_ASK, OPERATION_HELD},
    {"write", OF_CLIENT, OPERATION, STEP_CHOICE, CHOOSE_ASK, OPERATION_WRITE},
    {"refuse", OF_CONNECTION, NOTHING, STEP_CHOICE, CHOOSE_REFUSE, 0},
    {"cut", OF_CONNECTION, NOTHING, STEP_CHOICE, CHOOSE_CUT, 0},
    {"gives-up", OF_CONNECTION, NOTHING, STEP_CHOICE, CHOOSE_GIVE_UP, 0},
    {"wake", OF_CLIENT, NOTHING, STEP_CHOICE, CHOOSE_WAKE, 0},
    {"ahead", OF_CLIENT, SECONDS, STEP_CHOICE, CHOOSE_SKEW, 0},
    {"crash", OF_CLIENT, NOTHING, STEP_CHOICE, CHOOSE_KILL, 0},
    {"stop", OF_CLIENT, NOTHING, STEP_CHOICE, CHOOSE_STOP, 0},
    {"continue", OF_CLIENT, NOTHING, STEP_CHOICE, CHOOSE_CONTINUE, 0},
    {"cut-off", OF_CLIENT, NOTHING, STEP_CHOICE, CHOOSE_ISOLATE, 0},
    {"reachable", OF_CLIENT, NOTHING, STEP_CHOICE, CHOOSE_RECONNECT, 0},
    {"reaches", OF_CLIENT, SERVER, STEP_CHOICE, CHOOSE_REACH, 0},
    {"opens", OF_CLIENT, NOTHING, STEP_OPENS, 0, 0},
    {"opens-two", OF_CLIENT, NOTHING, STEP_OPENS_TWO, 0, 0},
    {"must-be-inside", OF_CLIENT, NOTHING, STEP_MUST_BE_INSIDE, 0, 0},
    {"must-be-outside", OF_CLIENT, NOTHING, STEP_MUST_BE_OUTSIDE, 0, 0},
    {"must-know", OF_CLIENT, NOTHING, STEP_MUST_KNOW, 0, 0},
    {"must-hold", OF_CLIENT, NOTHING, STEP_MUST_HOLD, 0, 0},
    {"must-hear-lost", OF_CLIENT, NOTHING, STEP_MUST_HEAR_LOST, 0, 0},
    {"work-done", OF_CLIENT, NOTHING, STEP_WORK_DONE, 0, 0},
    {"hangs", OF_CLIENT, NOTHING, STEP_HANGS, 0, 0},
    {"options", OF_SERVER, TEXT, STEP_OPTIONS, 0, 0},
    {"replicates", OF_SERVER, NOTHING, STEP_REPLICA, 0, 0},
    {"does", OF_SERVER, TEXT, STEP_CHOICE, CHOOSE_OPERATE, 0},
    {"does-in-vain", OF_SERVER, TEXT, STEP_CHOICE, CHOOSE_OPERATE_IN_VAIN, 0},
    {"key-is-kept", OF_SERVER, NOTHING, STEP_KEEP_KEY, 0, 0},
    {"key-must-be-kept", OF_SERVER, NOTHING, STEP_MUST_KEEP_KEY, 0, 0},
    {"writes-count", OF_SERVER, NOTHING, STEP_JUDGE_WRITES, 0, 0},
    {"crash", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_KILL_SERVER, 0},
    {"start", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_START_SERVER, 0},
    {"stop", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_STOP_SERVER, 0},
    {"continue", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_CONTINUE_SERVER, 0},
    {"ahead", OF_SERVER, SECONDS, STEP_CHOICE, CHOOSE_SKEW_SERVER, 0},
    {"sync-disk", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_SYNC_DISK, 0},
    {"lose-unsynced", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_LOSE_UNSYNCED, 0},
    {"wipe-disk", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_WIPE_DISK, 0},
    {"hears-nothing", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_HOLD_REPLICATION,
     0},
};

enum { WORDS = sizeof words / sizeof *words };

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

static const struct word *word_of(const struct step *step) {
    for (int i = 0; i < WORDS; i++)
        if (words[i].step == step->kind &&
            (step->kind != STEP_CHOICE ||
             (words[i].choice == step->choice.kind &&
              (step->choice.kind != CHOOSE_ASK ||
               (words[i].operation == step->choice.operation &&
                (words[i].object == LEASED) == (step->choice.ns > 0))))))
            return &words[i];
    return NULL;
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
    case SECONDS:
        write_seconds(out, choice->ns);
        break;
    case SERVER:
        fprintf(out, "%d", choice->server + 1);
        break;
    case TEXT:
        fprintf(out, "\"%s\"", choice->text);
        break;
    case OPERATION:
        write_place(out, choice);
        break;
    case LEASED:
        write_seconds(out, choice->ns);
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
        if (step->kind == STEP_OPENS_TWO || (step->kind == STEP_OPENS && begun))
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

char *schedule_text(const struct schedule *schedule) {
    bool opens = !opened_as_named(schedule);
    const struct step *before = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&text, &size));

    fprintf(out, "%s %s%s", version, schedule->lock,
            schedule->strict ? " strict" : "");
    if (schedule->lease_ms > 0) {
        fputs(" lease", out);
        write_seconds(out, schedule->lease_ms * MILLISECOND);
    }
    for (size_t i = 0; i < schedule->count; i++) {
        const struct step *step = &schedule->steps[i];
        if (step->kind == STEP_OPENS && !opens)
            continue;
        if (before && continues(before, step)) {
            fputc('<', out);
        } else {
            fputc(' ', out);
            write_step(out, schedule, step);
        }
        before = step;
    }
    fclose(out);
    return text;
}

// --- reading -----------------------------------------------------------------

static const char white[] = " \t\n\v\f\r";

// The part of a line that is being read.
struct reader {
    struct schedule *schedule;
    const char *rest;
    const char *step; // where the step begins
    int number;       // and which one it is
};

_Noreturn static void wrong(const struct reader *reader, const char *why) {
    refuse("step %d of the schedule, '%.*s', %s", reader->number,
           (int)strcspn(reader->step, white), reader->step, why);
}

static bool take(struct reader *reader, const char *text) {
    size_t length = strlen(text);
    bool there = strncmp(reader->rest, text, length) == 0;

    reader->rest += there ? length : 0;
    return there;
}

static int take_number(struct reader *reader, int otherwise) {
    char *end;

    if (!isdigit((unsigned char)*reader->rest))
        return otherwise;
    long number = strtol(reader->rest, &end, 10);
    reader->rest = end;
    if (number < 1 || number > 99)
        wrong(reader, "has a number in it that is not from 1 to 99");
    return (int)number;
}

static int64_t take_seconds(struct reader *reader) {
    int64_t ns = 0, unit = SECOND;
    bool back = *reader->rest == '-';

    if (*reader->rest != '+' && *reader->rest != '-')
        wrong(reader, "needs seconds: +30.001");
    reader->rest++;
    if (!isdigit((unsigned char)*reader->rest))
        wrong(reader, "needs seconds: +30.001");
    for (; isdigit((unsigned char)*reader->rest); reader->rest++) {
        ns = ns * 10 + (*reader->rest - '0') * SECOND;
        if (ns > 1000000000LL * SECOND / 10)
            wrong(reader, "is more than three years");
    }
    if (take(reader, "."))
        for (; isdigit((unsigned char)*reader->rest); reader->rest++)
            ns += (*reader->rest - '0') * (unit /= 10);
    return back ? -ns : ns;
}

static int64_t take_lease(struct reader *reader) {
    int64_t ns = take_seconds(reader);

    if (ns < MILLISECOND || ns > 24 * HOUR || ns % MILLISECOND)
        wrong(reader, "needs a lease of whole milliseconds, at most a day: "
              "+0.5");
    return ns;
}

static char *take_text(struct reader *reader) {
    size_t length;

    if (!take(reader, "\"") || !strchr(reader->rest, '"'))
        wrong(reader, "needs a text in quotation marks");
    length = strcspn(reader->rest, "\"");
    if (strspn(reader->rest, white) >= length)
        wrong(reader, "has nothing between its quotation marks");
    char *text = must_have(strndup(reader->rest, length));
    reader->rest += length + 1;
    return text;
}

static int client_number(struct reader *reader, char letter) {
    char *clients = reader->schedule->clients;

    for (int i = 0; i < MAX_CLIENTS; i++) {
        if (!clients[i])
            clients[i] = letter;
        if (clients[i] == letter)
            return i;
    }
    wrong(reader, "is of one client too many: there can be 8");
}

// Was this client opened with two locks?
static bool has_two_locks(const struct schedule *schedule, int client) {
    for (size_t i = 0; i < schedule->count; i++)
        if (schedule->steps[i].kind == STEP_OPENS_TWO &&
            schedule->steps[i].choice.client == client)
            return true;
    return false;
}

static void take_place(struct reader *reader, struct choice *choice) {
    if (take(reader, "/"))
        choice->lock = take_number(reader, 1) - 1;
    if (choice->lock >= CLIENT_LOCKS)
        wrong(reader, "is of a lock that no client has: they are /1 and /2");
    if (choice->lock > 0 && !has_two_locks(reader->schedule, choice->client))
        wrong(reader, "is of a second lock: such a client begins with "
              "opens-two");
    if (take(reader, "@"))
        choice->thread = take_number(reader, 1);
    if (choice->thread > CLIENT_THREADS)
        wrong(reader, "is of a thread that no client has: they are @1 to @4");
}

static void take_object(struct reader *reader, const struct word *word,
                        struct choice *choice) {
    switch (word->object) {
    case NOTHING:
        break;
    case SECONDS:
        choice->ns = take_seconds(reader);
        break;
    case SERVER:
        choice->server = take_number(reader, 1) - 1;
        break;
    case TEXT:
        choice->text = take_text(reader);
        break;
    case OPERATION:
        take_place(reader, choice);
        break;
    case LEASED:
        choice->ns = take_lease(reader);
        take_place(reader, choice);
        break;
    }
}

// The longest word that is there and fits, so that "opens-two" is not "opens".
static const struct word *take_word(struct reader *reader, bool server) {
    const struct word *found = NULL;

    for (int i = 0; i < WORDS; i++)
        if ((words[i].subject == OF_SERVER) == server &&
            strncmp(reader->rest, words[i].text, strlen(words[i].text)) == 0 &&
            (!found || strlen(words[i].text) > strlen(found->text)))
            found = &words[i];
    if (!found)
        wrong(reader, "is nothing that can happen to it: "
              "docs/schedules.md lists the words");
    reader->rest += strlen(found->text);
    return found;
}

// Refuses a number that has no meaning at this word.
static void check_number(struct reader *reader, const struct word *word,
                         bool numbered) {
    if (word->subject == OF_CLIENT && numbered)
        wrong(reader, "is of the whole client, and of no connection: no "
              "number");
    if (word->subject == OF_SERVER && word->step != STEP_CHOICE &&
        word->step != STEP_REPLICA && numbered)
        wrong(reader, "is of no server in particular: no number");
}

static void check_place(struct reader *reader, const struct word *word,
                        int client) {
    const struct schedule *schedule = reader->schedule;

    if (word->step == STEP_OPTIONS && reader->number > 1)
        wrong(reader, "comes too late: options are the first step");
    if (word->step != STEP_OPENS && word->step != STEP_OPENS_TWO)
        return;
    for (size_t i = 0; i < schedule->count; i++)
        if ((schedule->steps[i].kind == STEP_OPENS ||
             schedule->steps[i].kind == STEP_OPENS_TWO) &&
            schedule->steps[i].choice.client == client)
            wrong(reader, "opens a client a second time");
}

static void read_word(struct reader *reader, struct choice choice, bool server,
                      bool numbered) {
    const struct word *word = take_word(reader, server);

    check_number(reader, word, numbered);
    check_place(reader, word, choice.client);
    choice.kind = word->choice;
    choice.operation = word->operation;
    take_object(reader, word, &choice);
    schedule_add(reader->schedule, (struct step){word->step, choice});
    free((char *)choice.text);
}

static void read_wire(struct reader *reader, struct choice choice) {
    bool some = false;

    if (take(reader, ">")) {
        choice.kind = CHOOSE_FORWARD;
        schedule_add_choice(reader->schedule, choice);
        some = true;
    }
    if (take(reader, "<")) {
        choice.kind = CHOOSE_DELIVER;
        schedule_add_choice(reader->schedule, choice);
        some = true;
    }
    if (!some)
        wrong(reader, "is no step: say A:enter, A>, A<, A><, t+30.001; "
              "docs/schedules.md lists all");
}

static void read_step(struct reader *reader) {
    struct choice choice = {.connection = 1};
    bool numbered;

    if (take(reader, "t")) {
        choice.kind = CHOOSE_ADVANCE;
        choice.ns = take_seconds(reader);
        schedule_add_choice(reader->schedule, choice);
    } else if (take(reader, "server")) {
        numbered = isdigit((unsigned char)*reader->rest);
        choice.server = take_number(reader, 1) - 1;
        if (!take(reader, ":"))
            wrong(reader, "needs a colon after the server");
        read_word(reader, choice, true, numbered);
    } else if (isupper((unsigned char)*reader->rest)) {
        choice.client = client_number(reader, *reader->rest++);
        numbered = isdigit((unsigned char)*reader->rest);
        choice.connection = take_number(reader, 1);
        if (take(reader, ":"))
            read_word(reader, choice, false, numbered);
        else
            read_wire(reader, choice);
    } else {
        wrong(reader, "is no step: a client is one capital letter");
    }
    if (!strchr(white, *reader->rest)) // or the line's end
        wrong(reader, "does not end where it should");
}

// What may stand between the lock and the steps.
static void read_options(struct reader *reader) {
    struct schedule *schedule = reader->schedule;

    if (strcspn(reader->rest, white) == strlen("strict") &&
        take(reader, "strict"))
        schedule->strict = true;
    reader->rest += strspn(reader->rest, white);
    reader->step = reader->rest;
    if (!take(reader, "lease"))
        return;
    schedule->lease_ms = (int)(take_lease(reader) / MILLISECOND);
    if (!strchr(white, *reader->rest))
        wrong(reader, "does not end where it should");
}

// Opens at the start all clients that no step opens.
static void open_the_rest(struct schedule *schedule) {
    struct schedule whole = {.count = 0};
    bool opened[MAX_CLIENTS] = {false};

    for (size_t i = 0; i < schedule->count; i++)
        if (schedule->steps[i].kind == STEP_OPENS ||
            schedule->steps[i].kind == STEP_OPENS_TWO)
            opened[schedule->steps[i].choice.client] = true;
    for (int i = 0; i < MAX_CLIENTS && schedule->clients[i]; i++)
        if (!opened[i])
            schedule_add(&whole, (struct step){STEP_OPENS, {.client = i}});
    for (size_t i = 0; i < schedule->count; i++)
        schedule_add(&whole, schedule->steps[i]);
    schedule_clear(schedule);
    schedule->steps = whole.steps;
    schedule->count = whole.count;
}

void schedule_parse(struct schedule *schedule, const char *text) {
    struct reader reader = {.schedule = schedule, .rest = text};
    char word[sizeof schedule->lock];

    memset(schedule, 0, sizeof *schedule);
    if (sscanf(text, "%7s", word) != 1 || strcmp(word, version) != 0)
        refuse("a schedule begins with %s and a lock: "
               "'v1 stage4 A:enter A>< B:enter B><'", version);
    if (sscanf(text, "%*s %63s", schedule->lock) != 1)
        refuse("the schedule names no lock: '%s stage4 A:enter …'", version);
    reader.rest += strspn(reader.rest, white) + strlen(version);
    reader.rest += strspn(reader.rest, white) + strlen(schedule->lock);
    reader.rest += strspn(reader.rest, white);
    read_options(&reader);
    while (*(reader.rest += strspn(reader.rest, white))) {
        reader.step = reader.rest;
        reader.number++;
        read_step(&reader);
    }
    open_the_rest(schedule);
}
