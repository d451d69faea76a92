// Who looks over the player's shoulder: says what has just been lost, knows the
// goal, and gives hints.
#ifndef HINTS_H
#define HINTS_H

#include "game.h"

enum { SPEECH_SIZE = 1024 };

// How what it says is meant.
enum tone { TONE_PLAIN, TONE_LOSS, TONE_GOAL, TONE_HINT };

struct coach {
    struct game *game;
    enum loss goal;           // LOSSES: none
    bool (*go_on)(int ahead); // as in hunt.h
    struct move *plan;        // from the beginning to a loss, or NULL
    int plan_from; // moves that had been made when it was
    int plan_length;
    enum loss plan_loss;
    int hinted; // moves made when the first half of a hint was given; -1: none
    char text[SPEECH_SIZE]; // what it says, or empty
    enum tone tone;
};

void coach_begin(struct coach *coach, struct game *game, enum loss goal);
void coach_end(struct coach *coach);

void coach_set_goal(struct coach *coach, enum loss goal);

// The move that was just made is looked at.
void coach_watch(struct coach *coach);

// Says how far the nearest loss is; asked again, which move leads there, and
// returns it (of these choices), or else -1.
int coach_hint(struct coach *coach, const struct move moves[], int count);

#endif
