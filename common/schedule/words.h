// The words of a schedule: what stands before a colon, the word, and what comes
// after it. Private to this folder: schedule.c writes them, parse.c reads them.
#ifndef WORDS_H
#define WORDS_H

#include "schedule.h"

enum subject { OF_CLIENT, OF_CONNECTION, OF_SERVER };
enum object { NOTHING, SECONDS, SERVER, TEXT, OPERATION, LEASED, PATIENT };

struct word {
    const char *text;
    enum subject subject;
    enum object object;
    enum step_kind step;
    enum choice_kind choice;
    enum operation operation;
};

// The beginning of every schedule: "v1".
extern const char schedule_version[];

extern const struct word words[];
extern const int word_count;

// The word for this step; NULL for the three that are more than a word.
const struct word *word_of(const struct step *step);

#endif
