#include "game.h"

#include "base/fail.h"
#include "catalogue/locks.h"

#include <stdlib.h>
#include <string.h>

void game_begin(struct game *game, const struct settings *settings) {
    *game = (struct game){.settings = settings, .bounds = settings->bounds,
                          .room = 64};
    game->bounds.redundant_moves = true;
    game->turns =
        must_have(calloc((size_t)game->room, sizeof *game->turns));
    position_begin(&game->turns[0].after, &game->bounds);
}

static void forget_from(struct game *game, int turn) {
    for (; turn <= game->made; turn++) {
        free(game->turns[turn].rows);
        game->turns[turn].rows = NULL;
    }
}

void game_end(struct game *game) {
    forget_from(game, 0);
    free(game->turns);
}

const struct position *game_position(const struct game *game) {
    return &game->turns[game->count].after;
}

int game_choices(const struct game *game, struct move moves[MAX_MOVES]) {
    return position_moves(game_position(game), &game->bounds, moves);
}

static void make_room(struct game *game) {
    if (game->count + 1 < game->room)
        return;
    size_t room = 2 * (size_t)game->room;
    game->turns = must_have(realloc(game->turns, room * sizeof *game->turns));
    memset(game->turns + game->room, 0,
           (room - (size_t)game->room) * sizeof *game->turns);
    game->room = (int)room;
}

unsigned game_make(struct game *game, const struct move *move) {
    const struct bounds *bounds = &game->bounds;
    struct position reached;

    forget_from(game, game->count + 1);
    make_room(game);
    struct turn *turn = &game->turns[game->count + 1];
    turn->move = *move;
    game->made = ++game->count;
    struct move *moves = game_moves(game);
    search_reach(bounds, moves, game->count, &reached); // runs what is new
    free(moves);
    turn->losses =
        position_after(&turn[-1].after, bounds, move, &turn->after).losses;
    return turn->losses;
}

// Every move was made before, so the search knows where it leads.
void game_allow_nested_calls(struct game *game) {
    struct turn *turns = game->turns;

    if (game->bounds.nested > 0)
        return;
    game->bounds.nested = 1;
    position_begin(&turns[0].after, &game->bounds);
    for (int i = 1; i <= game->made; i++)
        position_after(&turns[i - 1].after, &game->bounds, &turns[i].move,
                       &turns[i].after);
}

bool game_undo(struct game *game) {
    if (game->count == 0)
        return false;
    game->count--;
    return true;
}

bool game_redo(struct game *game) {
    if (game->count == game->made)
        return false;
    game->count++;
    return true;
}

unsigned game_lost(const struct game *game) {
    unsigned lost = 0;

    for (int i = 1; i <= game->count; i++)
        lost |= game->turns[i].losses;
    return lost;
}

bool same_move(const struct move *one, const struct move *other) {
    return one->kind == other->kind && one->client == other->client &&
           one->connection == other->connection &&
           one->server == other->server &&
           one->operation == other->operation && one->ns == other->ns;
}

struct move *game_moves(const struct game *game) {
    struct move *moves =
        must_have(calloc((size_t)game->count + 1, sizeof *moves));

    for (int i = 0; i < game->count; i++)
        moves[i] = game->turns[i + 1].move;
    return moves;
}

// --- the schedule ------------------------------------------------------------

void game_schedule(const struct game *game, struct schedule *schedule) {
    struct step steps[MAX_STEPS];

    *schedule = (struct schedule){.strict = true, .clients = "ABCD"};
    if (game->bounds.masters > 1)
        schedule->masters = game->bounds.masters;
    locks_short_name(settings_title(game->settings), schedule->lock);
    for (int i = 1; i <= game->count; i++) {
        const struct turn *turn = &game->turns[i];
        int count = move_steps(&turn->move, steps);
        for (int s = 0; s < count; s++)
            schedule_add(schedule, steps[s]);
        if (turn->losses & (1u << LOSS_ENTRY | 1u << LOSS_RECOVERY))
            schedule_add(schedule,
                         (struct step){STEP_MUST_BE_INSIDE,
                                       {.client = turn->move.client}});
    }
}

static void print_lost(unsigned lost, FILE *out) {
    const char *before = "Lost: ";

    for (int loss = 0; loss < LOSSES; loss++) {
        if (!(lost & 1u << loss))
            continue;
        fprintf(out, "%s%s", before, loss_word((enum loss)loss));
        before = ", ";
    }
    fputs(lost ? ". " : "", out);
}

void game_print_end(const struct game *game, FILE *out) {
    struct schedule schedule;

    if (game->count == 0) {
        fputs("No move was made.\n", out);
        return;
    }
    game_schedule(game, &schedule);
    print_lost(game_lost(game), out);
    fprintf(out, "Moves: %d.\n", game->count);
    schedule_print_again(
        &schedule,
        (struct guest){.command = game->settings->client, .key = USUAL_KEY},
        out);
    schedule_clear(&schedule);
}
