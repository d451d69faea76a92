#include "hints.h"

#include "answer.h"
#include "lookahead.h"
#include "trace_rows.h"
#include "describe.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Goes on in the last line of the text.
static void add(struct hints *hints, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Begins a line.
static void say(struct hints *hints, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(struct hints *hints, const char *format, va_list args) {
    size_t used = strlen(hints->text);
    vsnprintf(hints->text + used, sizeof hints->text - used, format, args);
}

static void add(struct hints *hints, const char *format, ...) {
    va_list args;

    va_start(args, format);
    put(hints, format, args);
    va_end(args);
}

static void say(struct hints *hints, const char *format, ...) {
    va_list args;

    if (*hints->text)
        add(hints, "\n");
    va_start(args, format);
    put(hints, format, args);
    va_end(args);
}

static void forget_plan(struct hints *hints) {
    free(hints->plan);
    hints->plan = NULL;
    hints->distance_at = -1;
}

void hints_begin(struct hints *hints, struct game *game) {
    *hints = (struct hints){.game = game, .goal = LOSSES,
                            .distance_at = -1};
}

void hints_end(struct hints *hints) {
    forget_plan(hints);
}

// --- goals -------------------------------------------------------------------

// (A goal that can be reached is no news: that would be a hint.)
static void say_if_out_of_reach(struct hints *hints) {
    const struct bounds *bounds = &hints->game->bounds;
    struct bounds tried;

    if (lookahead_finds(bounds, hints->goal, &tried))
        return;
    char *words = settings_text(&tried), *all = settings_text(bounds);
    if (strcmp(words, all) == 0)
        say(hints, "Out of reach on this lock: every order of moves was "
            "tried.");
    else
        say(hints, "Probably out of reach on this lock: no order of moves "
            "leads there within %s%s.", words,
            hints->goal == LOSS_WAKEUP
                ? ", while nothing is on its way when time passes" : "");
    free(words);
    free(all);
}

void hints_set_goal(struct hints *hints, enum loss goal) {
    forget_plan(hints);
    hints->goal = goal;
    hints->text[0] = '\0';
    say(hints, "Goal: %s.", goal_words(goal));
    if (goal == LOSS_ENTRY || goal == LOSS_COUNT) // needs a client that enters
        game_allow_nested_calls(hints->game);     // twice
    if (goal != LOSSES)
        say_if_out_of_reach(hints);
}

// --- what a move has done ----------------------------------------------------

static void compare_with_shortest(struct hints *hints) {
    int count = hints->game->count;
    struct lookahead from_start = {.bounds = &hints->game->bounds,
                              .wanted = 1u << hints->goal, .most = count - 1,
                              .go_on = hints->go_on};
    struct lookahead_result found;

    lookahead(&from_start, &found);
    say(hints, "Goal reached in %d moves", count);
    if (found.moves)
        add(hints, "! The shortest way has %d.", found.length);
    else if (found.all || found.looked == count - 1)
        add(hints, ", and no way is shorter!");
    else
        add(hints, "! None has %d or fewer; further I have not looked.",
            found.looked);
    free(found.moves);
}

// Says nothing if the lock is no stage.
static void say_answer(struct hints *hints, enum loss loss) {
    if (!answer_is_known(hints->game))
        return;
    int stage = answer_find(hints->game, loss);
    if (stage > 0)
        say(hints, "Stage %d answers this: it does not lose by these moves "
            "(make diff N=%d).", stage, stage);
    else
        say(hints, "No later stage answers this: all lose by these moves.");
}

static void say_why(struct hints *hints, enum loss loss) {
    char *cause = trace_cause(hints->game, loss);

    if (cause)
        say(hints, "Lost because %s", cause);
    free(cause);
}

static void say_where(struct hints *hints) {
    const struct position *position = game_position(hints->game);
    struct move moves[MAX_MOVES];

    if (game_choices(hints->game, moves) == 0)
        say(hints, "That is the end: undo, or quit.");
    else if ((position->mode == MODE_PROBE ||
              position->mode == MODE_PROBE_EARLY) && !*hints->text)
        say(hints, "The end is played: all goes its way, and when time is "
            "over somebody new tries.");
    else if (moves[0].kind == MOVE_ASK && moves[0].operation == OPERATION_HELD)
        say(hints, "Two are inside. Do both still believe so?");
}

void hints_after_move(struct hints *hints) {
    const struct turn *turn = &hints->game->turns[hints->game->count];
    char words[WORDS_SIZE];

    hints->text[0] = '\0';
    for (int loss = 0; loss < LOSSES; loss++) {
        if (!(turn->losses & 1u << loss))
            continue;
        loss_words((enum loss)loss, &turn->after, &turn->move, words);
        say(hints, "LOST: %s. %s", loss_word((enum loss)loss), words);
        say_why(hints, (enum loss)loss);
        if (hints->goal == LOSSES || hints->goal == (enum loss)loss)
            say_answer(hints, (enum loss)loss);
    }
    if (hints->goal < LOSSES && turn->losses & 1u << hints->goal)
        compare_with_shortest(hints);
    say_where(hints);
}

// --- hints -------------------------------------------------------------------

// Does the plan begin with the moves so far, and go on after them?
static bool is_on_plan(const struct hints *hints) {
    const struct game *game = hints->game;

    if (!hints->plan || game->count < hints->plan_from ||
        game->count >= hints->plan_length)
        return false;
    for (int i = 0; i < game->count; i++)
        if (!same_move(&hints->plan[i], &game->turns[i + 1].move))
            return false;
    return true;
}

static bool has_goal_ahead(const struct hints *hints) {
    return hints->goal < LOSSES &&
           !(game_lost(hints->game) & 1u << hints->goal);
}

static void say_nothing_found(struct hints *hints,
                              const struct lookahead_result *found) {
    const char *what = has_goal_ahead(hints) ? "The goal" : "A loss";

    if (found->all)
        say(hints, "%s is out of reach from here, within these bounds. "
            "Undo, or go on for the fun of it.", what);
    else
        say(hints, "%s is more than %d move%s away; I have not looked "
            "further.", what, found->looked, plural(found->looked));
}

// False if no plan was found.
static bool make_plan(struct hints *hints) {
    const struct game *game = hints->game;
    struct move *moves = game_moves(game);
    struct lookahead ahead = {.bounds = &game->bounds, .moves = moves,
                         .count = game->count, .most = INT_MAX,
                         .wanted = has_goal_ahead(hints)
                                       ? 1u << hints->goal
                                       : ~game_lost(game),
                         .calm = has_goal_ahead(hints) &&
                                 (hints->goal == LOSS_WAKEUP ||
                                  game->bounds.masters > 1),
                         .go_on = hints->go_on};
    struct lookahead_result found;

    forget_plan(hints);
    lookahead(&ahead, &found);
    if (ahead.calm && !found.moves) {
        ahead.calm = false;
        lookahead(&ahead, &found);
    }
    free(moves);
    if (!found.moves)
        say_nothing_found(hints, &found);
    hints->plan = found.moves;
    hints->plan_from = game->count;
    hints->plan_length = found.length;
    hints->plan_loss = found.loss;
    hints->plan_is_calm = ahead.calm;
    return found.moves != NULL;
}

static int show_next(struct hints *hints, const struct move moves[],
                     int count) {
    const struct game *game = hints->game;
    char words[WORDS_SIZE];

    for (int i = 0; i < count; i++) {
        if (!same_move(&moves[i], &hints->plan[game->count]))
            continue;
        move_words(game_position(game), &game->bounds, &moves[i], words);
        say(hints, "Next on the way: %s", words);
        return i;
    }
    return -1;
}

int hints_next(struct hints *hints, const struct move moves[], int count) {
    const struct game *game = hints->game;

    hints->text[0] = '\0';
    if (count == 0) {
        say(hints, "Nothing can happen any more: undo.");
        return -1;
    }
    if (is_on_plan(hints) && hints->distance_at == game->count)
        return show_next(hints, moves, count);
    if (!is_on_plan(hints) && !make_plan(hints))
        return -1;
    int left = hints->plan_length - game->count;
    hints->distance_at = game->count;
    if (has_goal_ahead(hints))
        say(hints, "The goal is %s%d move%s away.",
            hints->plan_is_calm ? "at most " : "", left, plural(left));
    else
        say(hints, "The nearest loss is %d move%s away: %s.", left,
            plural(left), loss_word(hints->plan_loss));
    add(hints, " Ask again to see which is next.");
    return -1;
}
