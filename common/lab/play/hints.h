// Advice for a player: the losses of the last move, the goal, and hints.
#ifndef HINTS_H
#define HINTS_H

#include "game.h"

enum { MESSAGE_SIZE = 1024 };

struct hints {
    struct game *game;
    enum loss goal;             // LOSSES: none
    bool (*go_on)(int further); // as in lookahead.h
    struct move *plan;          // from the beginning to a loss, or NULL
    int plan_from;   // the moves so far when it was found
    int plan_length;
    enum loss plan_loss;
    bool plan_is_calm; // a shorter one may need more faults
    int distance_at; // the moves so far when the last hint gave the distance;
                     // then the next hint names a move. -1: none yet
    char text[MESSAGE_SIZE]; // for the player: lines, or empty
};

void hints_begin(struct hints *hints, struct game *game);
void hints_end(struct hints *hints);

// Says what the goal is, and whether this lock can lose it at all.
void hints_set_goal(struct hints *hints, enum loss goal);

// Says what the last move has lost.
void hints_after_move(struct hints *hints);

// Says how many moves the nearest loss is away. Called again, says which move
// leads there, and returns it as a place in `moves`; else -1.
int hints_next(struct hints *hints, const struct move moves[], int count);

#endif
