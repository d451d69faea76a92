// What can happen, and what has been lost, as a person would say it.
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "search/position.h"

enum { WORDS_SIZE = 512 };

// "A's command reaches the server: SET lock A1 NX PX 30000"
void move_words(const struct position *position, const struct bounds *bounds,
                const struct move *move, char words[WORDS_SIZE]);

// "A and B are both inside.": lost by this move, which has led here.
void loss_words(enum loss loss, const struct position *after,
                const struct move *move, char words[WORDS_SIZE]);

// What a player wants who goes for it: "get two clients inside".
const char *goal_words(enum loss loss);

// The loss of this name ("exclusion"); LOSSES: there is none.
enum loss loss_named(const char *word);

// Something that can go wrong, and need not.
bool is_fault(const struct move *move);

#endif
