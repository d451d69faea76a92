// Reads a schedule.
#include "words.h"

#include "base/arguments.h"
#include "base/fail.h"
#include "base/units.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char white[] = " \t\n\v\f\r";

// The part of a line that is being read.
struct schedule_reader {
    struct schedule *schedule;
    const char *rest;
    const char *step; // where the step begins
    int number;       // and which one it is
    bool repeats;     // it stands in parentheses
    size_t first;     // the first one of these
};

_Noreturn static void wrong(const struct schedule_reader *reader,
                            const char *why) {
    refuse("step %d of the schedule, '%.*s', %s", reader->number,
           (int)strcspn(reader->step, white), reader->step, why);
}

static bool take(struct schedule_reader *reader, const char *text) {
    size_t length = strlen(text);
    bool there = strncmp(reader->rest, text, length) == 0;

    reader->rest += there ? length : 0;
    return there;
}

static int take_number(struct schedule_reader *reader, int otherwise) {
    char *end;

    if (!isdigit((unsigned char)*reader->rest))
        return otherwise;
    long number = strtol(reader->rest, &end, 10);
    reader->rest = end;
    if (number < 1 || number > 99)
        wrong(reader, "has a number in it that is not from 1 to 99");
    return (int)number;
}

static int64_t take_seconds(struct schedule_reader *reader) {
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

static bool is_whole_ms(int64_t ns) {
    return ns >= MILLISECOND && ns <= 24 * HOUR && ns % MILLISECOND == 0;
}

static int64_t take_lease(struct schedule_reader *reader) {
    int64_t ns = take_seconds(reader);

    if (!is_whole_ms(ns))
        wrong(reader, "needs a lease of whole milliseconds, at most a day: "
              "+0.5");
    return ns;
}

static int64_t take_patience(struct schedule_reader *reader) {
    int64_t ns = take_seconds(reader);

    if (ns == 0)
        return NO_PATIENCE_NS;
    if (!is_whole_ms(ns))
        wrong(reader, "needs a patience of whole milliseconds, at most a day: "
              "+0.5");
    return ns;
}

static char *take_text(struct schedule_reader *reader) {
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

static int client_number(struct schedule_reader *reader, char letter) {
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
        if (schedule_opens(&schedule->steps[i]) > 1 &&
            schedule->steps[i].choice.client == client)
            return true;
    return false;
}

static void take_place(struct schedule_reader *reader, struct choice *choice) {
    if (take(reader, "/"))
        choice->lock = take_number(reader, 1) - 1;
    if (choice->lock >= CLIENT_LOCKS)
        wrong(reader, "is of a lock that no client has: they are /1 and /2");
    if (choice->lock > 0 && !has_two_locks(reader->schedule, choice->client))
        wrong(reader, "is of a second lock: such a client begins with "
              "opens-two or opens-turned");
    if (take(reader, "@"))
        choice->thread = take_number(reader, 1);
    if (choice->thread > CLIENT_THREADS)
        wrong(reader, "is of a thread that no client has: they are @1 to @4");
}

static void take_object(struct schedule_reader *reader, const struct word *word,
                        struct choice *choice) {
    switch (word->object) {
    case NOTHING:
        break;
    case SECONDS: choice->ns = take_seconds(reader); break;
    case SERVER: choice->server = take_number(reader, 1) - 1; break;
    case TEXT: choice->text = take_text(reader); break;
    case OPERATION: take_place(reader, choice); break;
    case LEASED:
        choice->ns = take_lease(reader);
        take_place(reader, choice);
        break;
    case PATIENT:
        choice->patience_ns = take_patience(reader);
        take_place(reader, choice);
        break;
    }
}

// The longest word that is there and fits, so that "opens-two" is not "opens".
static const struct word *take_word(struct schedule_reader *reader,
                                    bool server) {
    const struct word *found = NULL;

    for (int i = 0; i < word_count; i++)
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
static void check_number(struct schedule_reader *reader,
                         const struct word *word, bool numbered) {
    if (word->subject == OF_CLIENT && numbered)
        wrong(reader, "is of the whole client, and of no connection: no "
              "number");
    if (word->subject == OF_SERVER && word->step != STEP_CHOICE &&
        word->step != STEP_REPLICA && numbered)
        wrong(reader, "is of no server in particular: no number");
}

static void check_place(struct schedule_reader *reader, const struct word *word,
                        int client) {
    const struct schedule *schedule = reader->schedule;

    if (word->step == STEP_OPTIONS && reader->number > 1)
        wrong(reader, "comes too late: options are the first step");
    if (!schedule_opens(&(struct step){.kind = word->step}))
        return;
    for (size_t i = 0; i < schedule->count; i++)
        if (schedule_opens(&schedule->steps[i]) &&
            schedule->steps[i].choice.client == client)
            wrong(reader, "opens a client a second time");
}

static void read_word(struct schedule_reader *reader, struct choice choice,
                      bool server, bool numbered) {
    const struct word *word = take_word(reader, server);

    check_number(reader, word, numbered);
    check_place(reader, word, choice.client);
    choice.kind = word->choice;
    choice.operation = word->operation;
    take_object(reader, word, &choice);
    schedule_add(reader->schedule, (struct step){word->step, choice});
    free((char *)choice.text);
}

static void read_wire(struct schedule_reader *reader, struct choice choice) {
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

static void read_step(struct schedule_reader *reader) {
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
    if (!strchr(white, *reader->rest) && // or the line's end
        !(reader->repeats && *reader->rest == ')'))
        wrong(reader, "does not end where it should");
}

static void begin_repeats(struct schedule_reader *reader) {
    if (reader->repeats)
        wrong(reader, "begins a repetition inside another");
    reader->repeats = true;
    reader->first = reader->schedule->count;
}

// ")*5": the steps since the parenthesis, five times.
static void end_repeats(struct schedule_reader *reader) {
    enum { MOST_TIMES = 9999 };
    struct schedule *schedule = reader->schedule;
    size_t end = schedule->count;
    char *rest;

    reader->step = reader->rest;
    if (!reader->repeats || end == reader->first)
        wrong(reader, "ends no repetition: it is written (A:wake A><)*5");
    if (!take(reader, ")*") || !isdigit((unsigned char)*reader->rest))
        wrong(reader, "needs a number of times: )*5");
    long times = strtol(reader->rest, &rest, 10);
    reader->rest = rest;
    if (times < 1 || times > MOST_TIMES)
        wrong(reader, "is not from 1 to 9999 times");
    if (!strchr(white, *reader->rest))
        wrong(reader, "does not end where it should");
    for (long n = 1; n < times; n++)
        for (size_t i = reader->first; i < end; i++)
            schedule_add(schedule, schedule->steps[i]);
    reader->repeats = false;
}

static void read_steps(struct schedule_reader *reader) {
    while (*(reader->rest += strspn(reader->rest, white))) {
        if (*reader->rest == ')') {
            end_repeats(reader);
            continue;
        }
        reader->step = reader->rest;
        reader->number++;
        if (take(reader, "("))
            begin_repeats(reader);
        read_step(reader);
    }
    if (reader->repeats)
        wrong(reader, "is in parentheses that do not end: (A:wake A><)*5");
}

static void end_option(struct schedule_reader *reader) {
    if (!strchr(white, *reader->rest))
        wrong(reader, "does not end where it should");
    reader->rest += strspn(reader->rest, white);
    reader->step = reader->rest;
}

static void take_key(struct schedule_reader *reader) {
    char *text = take_text(reader);

    bool fits = strlen(text) < SCHEDULE_KEY_SIZE && !strpbrk(text, white);

    if (fits)
        strcpy(reader->schedule->key, text);
    free(text);
    if (!fits)
        wrong(reader, "needs a name of at most 127 characters without a space");
    end_option(reader);
}

// Reads the options, between the lock and the steps.
static void read_options(struct schedule_reader *reader) {
    struct schedule *schedule = reader->schedule;

    if (strcspn(reader->rest, white) == strlen("strict") &&
        take(reader, "strict"))
        schedule->strict = true;
    reader->rest += strspn(reader->rest, white);
    reader->step = reader->rest;
    if (take(reader, "lease")) {
        schedule->lease_ms = (int)(take_lease(reader) / MILLISECOND);
        end_option(reader);
    }
    if (take(reader, "key"))
        take_key(reader);
    if (take(reader, "masters")) {
        schedule->masters = take_number(reader, MAX_MASTERS + 1);
        if (schedule->masters > MAX_MASTERS)
            wrong(reader, "needs a number of masters from 1 to 8");
        end_option(reader);
    }
}

// Opens at the start all clients that no step opens.
static void open_the_rest(struct schedule *schedule) {
    struct schedule whole = {.count = 0};
    bool opened[MAX_CLIENTS] = {false};

    for (size_t i = 0; i < schedule->count; i++)
        if (schedule_opens(&schedule->steps[i]))
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
    struct schedule_reader reader = {.schedule = schedule, .rest = text};
    char word[sizeof schedule->lock];

    memset(schedule, 0, sizeof *schedule);
    if (sscanf(text, "%7s", word) != 1 || strcmp(word, schedule_version) != 0)
        refuse("a schedule begins with %s and a lock: "
               "'v1 stage4 A:enter A>< B:enter B><'", schedule_version);
    if (sscanf(text, "%*s %63s", schedule->lock) != 1)
        refuse("the schedule names no lock: '%s stage4 A:enter …'",
               schedule_version);
    reader.rest += strspn(reader.rest, white) + strlen(schedule_version);
    reader.rest += strspn(reader.rest, white) + strlen(schedule->lock);
    reader.rest += strspn(reader.rest, white);
    read_options(&reader);
    read_steps(&reader);
    open_the_rest(schedule);
}
