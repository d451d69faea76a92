// A game: the moves that a person has made so far, and the positions that they
// have led to.
//
// A world cannot go back. But a game stores the position after each move, so
// undo and redo only change a number. If a move makes a client or the server do
// something that was not seen before, search_reach() runs all moves so far on
// real processes.
#ifndef GAME_H
#define GAME_H

#include "lab/search/search.h"
#include "lab/search/bounds_options.h"

struct game {
    const struct settings *settings;
    struct bounds bounds;
    // turns[0] is the beginning, without a move. turns[made] is the last move
    // that was made, turns[count] the last that is not undone: the game is
    // there now.
    struct turn {
        struct move move;
        unsigned losses;       // by this move: 1 << loss
        struct position after;
        char *rows;            // of the trace up to here, or NULL
        int rows_width;
    } *turns;
    int room;
    int made;
    int count;
};

void game_begin(struct game *game, const struct settings *settings);
void game_end(struct game *game);

const struct position *game_position(const struct game *game);

// Lets each client enter once more while it is inside, if it may not do so
// already. Counts for the whole game, also for the moves before.
void game_allow_nested_calls(struct game *game);

// The moves that are possible now. Returns their number.
int game_choices(const struct game *game, struct move moves[MAX_MOVES]);

// Makes a move. Returns what it loses: 1 << loss.
unsigned game_make(struct game *game, const struct move *move);

// False if there is nothing to undo or to redo.
bool game_undo(struct game *game);
bool game_redo(struct game *game);

// The losses so far: 1 << loss.
unsigned game_lost(const struct game *game);

bool same_move(const struct move *one, const struct move *other);

// The moves in a row. The caller frees it.
struct move *game_moves(const struct game *game);

// The schedule that replays the game, with what the judge has to ask on the
// way. The caller clears it.
void game_schedule(const struct game *game, struct schedule *schedule);

// Prints the command that replays the game, or says that nothing has happened.
void game_print_end(const struct game *game, FILE *out);

#endif
