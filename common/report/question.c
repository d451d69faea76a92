// A run has ended before its trace is printed. So the question needs nothing
// from the world: it is a pause in the print. A pause in the run would have to
// know which step will decide, and that is known only at the end.
#include "question.h"

#include "catalogue/races.h"
#include "table.h"
#include "trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Does a step of the story begin after this entry, or with it? A client that is
// asked what it believes is asked for the verdict's sake.
static bool begins_step(const struct entry *entry) {
    return entry->kind == EVENT_ASKED && entry->operation != OPERATION_HELD;
}

// Where the trace stops: behind the last sentence of the story, or before the
// last operation that a client begins, whichever comes later. In every case it
// stops before the event by which the judge knew that the lock is broken.
static size_t find_pause(const struct record *record,
                         const struct lost_property *lost) {
    size_t end = lost ? lost->at + 1 : record->entry_count;

    if (end > record->entry_count)
        end = record->entry_count;
    for (size_t i = end; i-- > 0;) {
        if (begins_step(&record->entries[i]))
            return i;
        if (record->entries[i].kind == EVENT_NOTE)
            return i + 1;
    }
    return 0;
}

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

// VERDICTS if nobody answers.
static enum verdict ask(FILE *out, FILE *in) {
    enum verdict said = VERDICTS;
    char *line = NULL;
    size_t size = 0;

    fputs("\nWhat comes now? Say holds, broken, or cannot (happen): ", out);
    fflush(out);
    while (said == VERDICTS && getline(&line, &size, in) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        said = meaning(line);
        if (said != VERDICTS)
            break;
        fputs("Say holds, broken, or cannot: ", out);
        fflush(out);
    }
    free(line);
    // Where no terminal has shown what was typed, the answer ends the line.
    if (!isatty(fileno(in)))
        fprintf(out, "%s\n", said == VERDICTS ? "" : verdict_word(said));
    fputc('\n', out);
    return said;
}

static void print_score(FILE *out, enum verdict said, enum verdict came) {
    if (said == VERDICTS)
        fputs("\nYou did not say.\n", out);
    else if (came == VERDICT_INCONCLUSIVE)
        fprintf(out, "\nYou said %s. Nothing can be said.\n",
                verdict_word(said));
    else if (said == came)
        fprintf(out, "\nYou said %s, and you were right.\n",
                verdict_word(said));
    else
        fprintf(out, "\nYou said %s. It is %s.\n", verdict_word(said),
                verdict_word(came));
}

void question_print(FILE *out, FILE *in, const struct record *record,
                    const struct lost_property *lost, bool wire) {
    size_t pause = find_pause(record, lost);
    char *story = races_story(record->race);

    fputs(story, out);
    free(story);
    trace_print_until(out, record, wire, pause);
    enum verdict said = ask(out, in);
    trace_print_from(out, record, wire, pause);
    print_score(out, said, record->verdict);
}
