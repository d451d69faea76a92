// A run has ended before its trace is printed. So the questions need nothing
// from the world: they are a pause in the print. The pause must not tell how
// the run ends. So its place follows from the story, and not from the verdict.
#include "question.h"

#include "catalogue/races.h"
#include "table.h"
#include "trace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- where the trace stops ---------------------------------------------------

// A step of the story: the entries behind one of its sentences, up to the next.
struct story_step {
    size_t begin, end;
};

// The step before entry `end`; false if there is none.
static bool step_before(const struct record *record, size_t end,
                        struct story_step *step) {
    for (size_t i = end; i-- > 0;)
        if (record->entries[i].kind == EVENT_NOTE) {
            *step = (struct story_step){i + 1, end};
            return true;
        }
    return false;
}

static bool step_back(const struct record *record, struct story_step *step) {
    return step_before(record, step->begin - 1, step);
}

// Does a client begin an operation here? (A client that is asked at the end
// what it believes is asked for the verdict's sake.)
static bool begins(const struct entry *entry) {
    return entry->kind == EVENT_ASKED && entry->operation != OPERATION_HELD;
}

static size_t next_operation(const struct record *record, size_t from,
                             size_t to) {
    while (from < to && !begins(&record->entries[from]))
        from++;
    return from;
}

// The clients that have begun an operation before entry `end`: 1 << client.
static unsigned acted_before(const struct record *record, size_t end) {
    unsigned acted = 0;

    for (size_t i = 0; i < end; i++)
        if (begins(&record->entries[i]))
            acted |= 1u << record->entries[i].client;
    return acted;
}

// Does the step only show what became of the lock? Then a client that has done
// nothing so far tries to get in, after two others have acted.
static bool is_probe(const struct record *record,
                     const struct story_step *step) {
    size_t first = next_operation(record, step->begin, step->end);
    unsigned acted = acted_before(record, step->begin);

    return first < step->end &&
           record->entries[first].operation == OPERATION_ENTER &&
           !(acted & 1u << record->entries[first].client) &&
           __builtin_popcount(acted) >= 2;
}

// Does the step consist of releases by a client that acted in an earlier one,
// while another client has tried to get in just before?
static bool is_clearing_up(const struct record *record,
                           const struct story_step *step) {
    struct story_step before = *step;
    size_t i = next_operation(record, step->begin, step->end);

    if (i == step->end || !step_back(record, &before))
        return false;
    int client = record->entries[i].client;
    for (; i < step->end; i = next_operation(record, i + 1, step->end))
        if (record->entries[i].operation != OPERATION_LEAVE)
            return false;
    i = next_operation(record, before.begin, before.end);
    return i < before.end && record->entries[i].operation == OPERATION_ENTER &&
           record->entries[i].client != client;
}

// Do two steps consist of the same operations?
static bool is_repetition(const struct record *record,
                          const struct story_step *one,
                          const struct story_step *other) {
    size_t i = next_operation(record, one->begin, one->end);
    size_t j = next_operation(record, other->begin, other->end);
    int same = 0;

    while (i < one->end && j < other->end &&
           record->entries[i].operation == record->entries[j].operation) {
        i = next_operation(record, i + 1, one->end);
        j = next_operation(record, j + 1, other->end);
        same++;
    }
    return same > 1 && i == one->end && j == other->end;
}

// Is a client asked in this step, by the story, what it believes?
static bool asks_belief(const struct record *record,
                        const struct story_step *step) {
    for (size_t i = step->begin; i < step->end; i++)
        if (record->entries[i].kind == EVENT_ASKED &&
            record->entries[i].operation == OPERATION_HELD)
            return true;
    return false;
}

// The first nested attempt: the client asks again for the lock that it has got,
// without a release in between. The end, if there is none.
static size_t nested_attempt(const struct record *record) {
    unsigned inside = 0;

    for (size_t i = 0; i < record->entry_count; i++) {
        const struct entry *entry = &record->entries[i];
        unsigned bit = entry->client >= 0 ? 1u << entry->client : 0;
        if (entry->lock_number > 0 || entry->thread > 1)
            continue;
        if (entry->kind == EVENT_RESULT && entry->result == RESULT_OK &&
            entry->operation == OPERATION_ENTER)
            inside |= bit;
        if (begins(entry) && entry->operation == OPERATION_ENTER &&
            inside & bit)
            return i;
        if (begins(entry) && entry->operation != OPERATION_ENTER)
            inside &= ~bit;
    }
    return record->entry_count;
}

// The step that decides how the story ends.
static struct story_step deciding_step(const struct record *record) {
    struct story_step step = {0, record->entry_count}, before;
    size_t nested = nested_attempt(record);

    if (nested < record->entry_count &&
        step_before(record, nested, &before))
        return before;
    step_before(record, record->entry_count, &step);
    before = step;
    if (!step_back(record, &before))
        return step;
    if (is_probe(record, &step) || is_clearing_up(record, &step) ||
        asks_belief(record, &before))
        return before;
    while (is_repetition(record, &step, &before)) {
        step = before;
        if (!step_back(record, &before))
            break;
    }
    return step;
}

// Behind the last sentence before that step; but never behind the event after
// which the judge knew that the lock is broken.
static size_t find_pause(const struct record *record,
                         const struct lost_property *lost) {
    size_t pause = deciding_step(record).begin;
    struct story_step step = {pause, 0};

    if (lost && lost->at < pause)
        return step_before(record, lost->at, &step) ? step.begin : 0;
    return pause;
}

// --- the answers -------------------------------------------------------------

struct asked {
    const struct record *record;
    const struct entry *command; // the next one that runs, or NULL
    unsigned inside;             // at the loss, or in the end: 1 << client
    FILE *out, *in;
    char *answer;                // what the server is said to answer, or NULL
    bool names_given;
    unsigned names;              // who is said to be inside
    enum verdict verdict;        // VERDICTS: nobody has said one
};

// A name for no client: then nothing was understood.
enum { NO_NAMES = 1 << 30 };

// The verdict that a word means: any beginning of "holds", "broken" or "cannot
// happen". VERDICTS: none.
static enum verdict meaning(const char *word) {
    static const struct {
        const char *word;
        enum verdict verdict;
    } words[] = {
        {"holds", VERDICT_HOLDS},
        {"broken", VERDICT_BROKEN},
        {"cannot happen", VERDICT_CANNOT_HAPPEN},
    };
    size_t length = strlen(word);

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length > 0 && length <= strlen(words[i].word) &&
            strncasecmp(word, words[i].word, length) == 0)
            return words[i].verdict;
    return VERDICTS;
}

// The clients whose names stand in the line: "A and C". NO_NAMES if another
// word does.
static unsigned read_names(const struct record *record, char *line) {
    unsigned names = 0;
    char *rest = NULL;

    for (char *word = strtok_r(line, " ,", &rest); word;
         word = strtok_r(NULL, " ,", &rest)) {
        int client = 0;
        if (strcasecmp(word, "and") == 0 || strcasecmp(word, "nobody") == 0)
            continue;
        while (client < record->client_count &&
               strcasecmp(word, record->clients[client]) != 0)
            client++;
        if (client == record->client_count)
            return NO_NAMES;
        names |= 1u << client;
    }
    return names;
}

// The next line, without its end; NULL if there is none. The caller frees it.
static char *read_answer(const struct asked *asked) {
    char *line = NULL;
    size_t size = 0;

    fflush(asked->out);
    if (getline(&line, &size, asked->in) <= 0) {
        free(line);
        line = NULL;
    } else {
        line[strcspn(line, "\r\n")] = '\0';
    }
    return line;
}

// Where no terminal has shown what was typed, the answer ends the line.
static void echo(const struct asked *asked, const char *text) {
    if (!isatty(fileno(asked->in)))
        fprintf(asked->out, "%s\n", text ? text : "");
}

// Was a whole verdict typed in place of another answer? Then that is all.
static bool is_verdict(struct asked *asked, const char *line) {
    if (line && strlen(line) > 4)
        asked->verdict = meaning(line);
    return asked->verdict != VERDICTS;
}

static void ask_server(struct asked *asked) {
    const struct entry *command = asked->command;

    fprintf(asked->out, "The next command is %s's \"%s\".\n"
            "What does the server answer? ",
            asked->record->clients[command->client], command->request);
    char *line = read_answer(asked);
    if (!is_verdict(asked, line) && line && *line)
        asked->answer = line;
    if (asked->verdict == VERDICTS)
        echo(asked, line);
    if (line != asked->answer)
        free(line);
}

static void ask_inside(struct asked *asked) {
    fputs("Who is inside in the end, or when the lock breaks? Say the names, or "
          "nobody: ", asked->out);
    char *line = read_answer(asked);

    if (is_verdict(asked, line)) {
        free(line);
        return;
    }
    echo(asked, line);
    asked->names_given = line && *line;
    if (asked->names_given)
        asked->names = read_names(asked->record, line);
    free(line);
}

static void ask_verdict(struct asked *asked) {
    fputs("Does the lock hold? Say holds, broken, or cannot (happen): ",
          asked->out);
    for (char *line = NULL; asked->verdict == VERDICTS &&
                            (line = read_answer(asked)); free(line)) {
        asked->verdict = meaning(line);
        if (asked->verdict == VERDICTS)
            fputs("Say holds, broken, or cannot: ", asked->out);
    }
}

static void ask_all(struct asked *asked) {
    fputc('\n', asked->out);
    if (asked->command)
        ask_server(asked);
    if (asked->verdict == VERDICTS)
        ask_inside(asked);
    if (asked->verdict == VERDICTS)
        ask_verdict(asked);
    echo(asked, asked->verdict == VERDICTS ? ""
                                           : verdict_word(asked->verdict));
    fputc('\n', asked->out);
}

// --- who was right -----------------------------------------------------------

// "B and C are", "A is", "nobody is"
static void print_names(FILE *out, const struct record *record,
                        unsigned names) {
    int left = __builtin_popcount(names), several = left > 1;

    if (names == 0)
        fputs("nobody", out);
    for (int i = 0; i < record->client_count; i++)
        if (names & 1u << i)
            fprintf(out, "%s%s", record->clients[i],
                    --left > 1 ? ", " : left == 1 ? " and " : "");
    fputs(several ? " are" : " is", out);
}

// Is this what the server answers, or the first words of it? ("error" is enough
// for "ERROR 1062 (duplicate)".)
static bool is_answer(const char *said, const char *came) {
    size_t length = strlen(said);

    return strncasecmp(said, came, length) == 0 &&
           (came[length] == '\0' || came[length] == ' ');
}

static void print_answers(const struct asked *asked) {
    if (asked->answer && is_answer(asked->answer, asked->command->answer))
        fprintf(asked->out, "You said that the server answers %s, and you were "
                "right.\n", asked->answer);
    else if (asked->answer)
        fprintf(asked->out, "You said that the server answers %s. It answers "
                "%s.\n", asked->answer, asked->command->answer);
    if (!asked->names_given)
        return;
    if (asked->names == NO_NAMES) {
        fputs("You named no client: ", asked->out);
        print_names(asked->out, asked->record, asked->inside);
        fputs(" inside.\n", asked->out);
        return;
    }
    fputs("You said that ", asked->out);
    print_names(asked->out, asked->record, asked->names);
    fputs(" inside", asked->out);
    if (asked->names == asked->inside) {
        fputs(", and you were right.\n", asked->out);
        return;
    }
    fputs(". In fact ", asked->out);
    print_names(asked->out, asked->record, asked->inside);
    fputs(".\n", asked->out);
}

static void print_score(const struct asked *asked) {
    enum verdict said = asked->verdict, came = asked->record->verdict;
    FILE *out = asked->out;

    fputc('\n', out);
    print_answers(asked);
    if (said == VERDICTS)
        fputs("You did not say.\n", out);
    else if (came == VERDICT_INCONCLUSIVE)
        fprintf(out, "You said %s. Nothing can be said.\n",
                verdict_word(said));
    else if (said == came)
        fprintf(out, "You said %s, and you were right.\n", verdict_word(said));
    else
        fprintf(out, "You said %s. It is %s.\n", verdict_word(said),
                verdict_word(came));
}

// The first command that a server runs from entry `i` on; NULL: there is none.
// Of several masters none is asked for.
static const struct entry *next_command(const struct record *record, size_t i) {
    for (; i < record->entry_count && record->masters == 1; i++) {
        const struct entry *entry = &record->entries[i];
        if (entry->kind == EVENT_RAN && !entry->waited && entry->request &&
            entry->answer)
            return entry;
    }
    return NULL;
}

void question_print(FILE *out, FILE *in, const struct record *record,
                    const struct lost_property *lost, unsigned inside,
                    bool wire) {
    size_t pause = find_pause(record, lost);
    struct asked asked = {.record = record, .out = out,
                          .inside = inside,
                          .in = in, .command = next_command(record, pause),
                          .verdict = VERDICTS};
    char *story = races_story(record->race);

    fputs(story, out);
    free(story);
    trace_print_until(out, record, wire, pause);
    ask_all(&asked);
    trace_print_from(out, record, wire, pause);
    print_score(&asked);
    free(asked.answer);
}
