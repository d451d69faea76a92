// Moves, what is left of the bounds, losses and goals, in words for a player.
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "lab/search/position.h"

enum { WORDS_SIZE = 512 };

// "A's command reaches the server: SET lock A1 NX PX 30000"
void move_words(const struct position *position, const struct bounds *bounds,
                const struct move *move, char words[WORDS_SIZE]);

// The clock, and how far it may go: "30.001 s of 124 s".
void clock_words(const struct position *position, const struct bounds *bounds,
                 char words[WORDS_SIZE]);

// "Tries left: A 2+1, B dead. Faults left: 2 crash, 1 stop." 2+1: A may enter
// twice, and once more while it is inside.
void budget_words(const struct position *position, const struct bounds *bounds,
                  char words[WORDS_SIZE]);

// "A and B are both inside.": what this move, the last one, has lost.
void loss_words(enum loss loss, const struct position *after,
                const struct move *move, char words[WORDS_SIZE]);

// A client's operation and its messages on the way: "asks to enter, OK is on
// its way". Empty for the fresh client, as long as it is not there.
void client_words(const struct position *position, const struct bounds *bounds,
                  int client, char words[WORDS_SIZE]);

// A player's goal in words: "get two clients inside".
const char *goal_words(enum loss loss);

// The loss with this name ("exclusion"); LOSSES if no loss has this name.
enum loss loss_named(const char *word);

#endif
