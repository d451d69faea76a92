#include "hints.h"

#include "lookahead.h"
#include "describe.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void say(struct coach *coach, enum tone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void say(struct coach *coach, enum tone tone, const char *format, ...) {
    size_t used = strlen(coach->text);
    va_list args;

    coach->tone = tone;
    va_start(args, format);
    vsnprintf(coach->text + used, sizeof coach->text - used, format, args);
    va_end(args);
}

static void forget_plan(struct coach *coach) {
    free(coach->plan);
    coach->plan = NULL;
    coach->hinted = -1;
}

void coach_begin(struct coach *coach, struct game *game, enum loss goal) {
    *coach = (struct coach){.game = game, .goal = goal, .hinted = -1};
}

void coach_end(struct coach *coach) {
    forget_plan(coach);
}

void coach_set_goal(struct coach *coach, enum loss goal) {
    forget_plan(coach);
    coach->goal = goal;
    coach->text[0] = '\0';
    say(coach, TONE_PLAIN, "Goal: %s.", goal_words(goal));
}

// --- what a move has done ----------------------------------------------------

static void compare_with_shortest(struct coach *coach) {
    int count = coach->game->count;
    struct hunt from_start = {.bounds = &coach->game->settings->bounds,
                              .wanted = 1u << coach->goal, .most = count - 1,
                              .go_on = coach->go_on};
    struct quarry quarry;

    hunt(&from_start, &quarry);
    say(coach, TONE_GOAL, " Goal reached in %d moves", count);
    if (quarry.moves)
        say(coach, TONE_GOAL, "! The shortest way has %d.", quarry.length);
    else if (quarry.all || quarry.looked == count - 1)
        say(coach, TONE_GOAL, ", and no way is shorter!");
    else
        say(coach, TONE_GOAL, "! None has %d or fewer; further I have not "
            "looked.", quarry.looked);
    free(quarry.moves);
}

static void say_where(struct coach *coach) {
    const struct position *position = game_position(coach->game);
    struct move moves[MAX_MOVES];

    if (game_choices(coach->game, moves) == 0)
        say(coach, coach->tone, "%sThat is the end: undo, or quit.",
            *coach->text ? " " : "");
    else if (position->mode == MODE_PROBE && !*coach->text)
        say(coach, TONE_PLAIN, "The end is played: all goes its way, and when "
            "time is over somebody new tries.");
    else if (moves[0].kind == MOVE_ASK && moves[0].operation == OPERATION_HELD)
        say(coach, TONE_PLAIN, "%sTwo are inside. Do both still believe so?",
            *coach->text ? " " : "");
}

void coach_watch(struct coach *coach) {
    const struct turn *turn = &coach->game->turns[coach->game->count];
    char words[WORDS_SIZE];

    coach->text[0] = '\0';
    coach->tone = TONE_PLAIN;
    for (int loss = 0; loss < LOSSES; loss++) {
        if (!(turn->losses & 1u << loss))
            continue;
        loss_words((enum loss)loss, &turn->after, &turn->move, words);
        say(coach, TONE_LOSS, "%sLOST: %s. %s", *coach->text ? " " : "",
            loss_word((enum loss)loss), words);
    }
    if (coach->goal < LOSSES && turn->losses & 1u << coach->goal)
        compare_with_shortest(coach);
    say_where(coach);
}

// --- hints -------------------------------------------------------------------

// The moves so far are the beginning of the plan, and not all of it.
static bool is_on_plan(const struct coach *coach) {
    const struct game *game = coach->game;

    if (!coach->plan || game->count < coach->plan_from ||
        game->count >= coach->plan_length)
        return false;
    for (int i = 0; i < game->count; i++)
        if (!same_move(&coach->plan[i], &game->turns[i + 1].move))
            return false;
    return true;
}

static bool has_goal_ahead(const struct coach *coach) {
    return coach->goal < LOSSES &&
           !(game_lost(coach->game) & 1u << coach->goal);
}

static void say_nothing_found(struct coach *coach,
                              const struct quarry *quarry) {
    const char *what = has_goal_ahead(coach) ? "The goal" : "A loss";

    if (quarry->all)
        say(coach, TONE_HINT, "%s is out of reach from here, within these "
            "bounds. Undo, or go on for the fun of it.", what);
    else
        say(coach, TONE_HINT, "%s is more than %d move%s away; I have not "
            "looked further.", what, quarry->looked, plural(quarry->looked));
}

// False: there is none.
static bool make_plan(struct coach *coach) {
    const struct game *game = coach->game;
    struct move *moves = game_moves(game);
    struct hunt ahead = {.bounds = &game->settings->bounds, .moves = moves,
                         .count = game->count, .most = INT_MAX,
                         .wanted = has_goal_ahead(coach)
                                       ? 1u << coach->goal
                                       : ~game_lost(game),
                         .go_on = coach->go_on};
    struct quarry quarry;

    forget_plan(coach);
    hunt(&ahead, &quarry);
    free(moves);
    if (!quarry.moves)
        say_nothing_found(coach, &quarry);
    coach->plan = quarry.moves;
    coach->plan_from = game->count;
    coach->plan_length = quarry.length;
    coach->plan_loss = quarry.loss;
    return quarry.moves != NULL;
}

static int show_next(struct coach *coach, const struct move moves[],
                     int count) {
    const struct game *game = coach->game;
    char words[WORDS_SIZE];

    for (int i = 0; i < count; i++) {
        if (!same_move(&moves[i], &coach->plan[game->count]))
            continue;
        move_words(game_position(game), &game->settings->bounds, &moves[i],
                   words);
        say(coach, TONE_HINT, "Next on the way: %s", words);
        return i;
    }
    return -1;
}

int coach_hint(struct coach *coach, const struct move moves[], int count) {
    const struct game *game = coach->game;

    coach->text[0] = '\0';
    if (count == 0) {
        say(coach, TONE_HINT, "Nothing can happen any more: undo.");
        return -1;
    }
    if (is_on_plan(coach) && coach->hinted == game->count)
        return show_next(coach, moves, count);
    if (!is_on_plan(coach) && !make_plan(coach))
        return -1;
    int left = coach->plan_length - game->count;
    coach->hinted = game->count;
    if (has_goal_ahead(coach))
        say(coach, TONE_HINT, "The goal is %d move%s away.", left,
            plural(left));
    else
        say(coach, TONE_HINT, "The nearest loss is %d move%s away: %s.", left,
            plural(left), loss_word(coach->plan_loss));
    say(coach, TONE_HINT, " Ask again to see which is next.");
    return -1;
}
