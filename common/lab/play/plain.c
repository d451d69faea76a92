#include "plain.h"

#include "trace_rows.h"
#include "describe.h"

#include "base/arguments.h"
#include "report/colour.h"
#include "report/table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct plain {
    struct game *game;
    struct hints *hints;
    struct move moves[MAX_MOVES];
    int count;
    bool changed; // since the trace was last shown
    bool over;
};

// --- what is shown -----------------------------------------------------------

static void show_help(void) {
    puts("  3      the third of these happens; 3 1 1: one after the other\n"
         "  u, r   undo, and make it again\n"
         "  h      a hint: how far a loss is; again: which move leads there\n"
         "  g      goals; exclusion: go for this one; none: for none\n"
         "  t      the trace once more\n"
         "  s      the line that replays the game so far\n"
         "  q      quit\n"
         "Tries left, A 3+1: A may try three times, and once while it is inside.");
}

static void show_goals(const struct hints *hints) {
    int count = losses_sought(&hints->game->bounds);

    for (int loss = 0; loss < count; loss++)
        printf("  %c %-9s  %s\n", (int)hints->goal == loss ? '*' : ' ',
               loss_word((enum loss)loss), goal_words((enum loss)loss));
    printf("  %c none\n", hints->goal == LOSSES ? '*' : ' ');
}

static void show_budget(const struct game *game) {
    char words[WORDS_SIZE];

    clock_words(game_position(game), &game->bounds, words);
    printf("\nClock: %s\n", words);
    budget_words(game_position(game), &game->bounds, words);
    table_wrap(stdout, words, page_width(stdout));
}

static void show_choices(struct plain *plain) {
    const struct game *game = plain->game;
    char words[WORDS_SIZE];

    show_budget(game);
    plain->count = game_choices(game, plain->moves);
    puts(plain->count > 0 ? "What happens next?"
                          : "Nothing can happen any more: u undoes, q quits.");
    for (int i = 0; i < plain->count; i++) {
        move_words(game_position(game), &game->bounds,
                   &plain->moves[i], words);
        printf("%4d  %s\n", i + 1, words);
    }
}

static void show_game(struct plain *plain) {
    printf("\n%s", trace_rows(plain->game, page_width(stdout)));
    show_choices(plain);
    plain->changed = false;
}

// Prints a line of a message: a loss in the colour of BROKEN.
static void print_line(const char *line) {
    static const char lost[] = "LOST";
    int used = strncmp(line, lost, strlen(lost)) == 0 ? (int)strlen(lost) : 0;

    if (used > 0 && colour_wanted(stdout))
        printf("\033[" COLOUR_BROKEN "m%s\033[0m", lost);
    else
        printf("%.*s", used, line);
    table_wrap_after(stdout, line + used, page_width(stdout), used);
}

static void print_message(const struct plain *plain) {
    char text[MESSAGE_SIZE], *rest = text, *line;

    strcpy(text, plain->hints->text);
    while (*text && (line = strsep(&rest, "\n")))
        print_line(line);
}

// --- what is typed -----------------------------------------------------------

static bool make_move(struct plain *plain, const char *word) {
    char *end;
    long number = strtol(word, &end, 10);

    if (*end || !isdigit((unsigned char)*word) || number < 1 ||
        number > plain->count)
        return false;
    game_make(plain->game, &plain->moves[number - 1]);
    hints_after_move(plain->hints);
    print_message(plain);
    plain->count = game_choices(plain->game, plain->moves);
    plain->changed = true;
    return true;
}

static void step_by(struct plain *plain, bool (*step)(struct game *game),
                    const char *else_words) {
    if (step(plain->game))
        plain->changed = true;
    else
        puts(else_words);
    plain->count = game_choices(plain->game, plain->moves);
}

static void hint(struct plain *plain) {
    int next = hints_next(plain->hints, plain->moves, plain->count);

    printf("%s", plain->hints->text);
    if (next >= 0)
        printf(" (%d)", next + 1);
    putchar('\n');
}

static bool set_goal(struct plain *plain, const char *word) {
    enum loss goal = loss_named(word);

    if (goal == LOSSES ? strcmp(word, "none") != 0
                       : (int)goal >= losses_sought(&plain->game->bounds))
        return false;
    hints_set_goal(plain->hints, goal);
    print_message(plain);
    int count = game_choices(plain->game, plain->moves);
    plain->changed = plain->changed || count != plain->count; // nested calls
    plain->count = count;
    return true;
}

// False if the word is no command.
static bool handle_word(struct plain *plain, const char *word) {
    if (isdigit((unsigned char)*word))
        return make_move(plain, word);
    if (strlen(word) != 1)
        return set_goal(plain, word);
    switch (*word) {
    case 'u':
        step_by(plain, game_undo, "There is nothing to undo.");
        return true;
    case 'r': step_by(plain, game_redo, "Nothing was undone."); return true;
    case 'h': hint(plain); return true;
    case 'g': show_goals(plain->hints); return true;
    case 't': plain->changed = true; return true;
    case 's': game_print_end(plain->game, stdout); return true;
    case '?': show_help(); return true;
    case 'q': plain->over = true; return true;
    default:
        return false;
    }
}

static void handle_line(struct plain *plain, char *line) {
    char *saved = NULL;

    for (char *word = strtok_r(line, " \t\r\n", &saved); word && !plain->over;
         word = strtok_r(NULL, " \t\r\n", &saved)) {
        if (handle_word(plain, word))
            continue;
        if (plain->count > 0)
            printf("'%s' is no choice here: say a number from 1 to %d, or ?\n",
                   word, plain->count);
        else
            printf("'%s' is no choice here: say u, q or ?\n", word);
        return;
    }
}

// Shows what was read from a pipe; a terminal has shown it already.
static bool read_line(char **line, size_t *size) {
    fputs("> ", stdout);
    finish_output();
    bool read = getline(line, size, stdin) > 0;
    if (!isatty(STDIN_FILENO))
        printf("%s%s", read ? *line : "",
               read && strchr(*line, '\n') ? "" : "\n");
    else if (!read)
        putchar('\n');
    return read;
}

void plain_play(struct game *game, struct hints *hints) {
    struct plain plain = {.game = game, .hints = hints};
    char *line = NULL;
    size_t size = 0;

    puts("You decide what happens next. ? for help, q to quit.");
    if (*hints->text)
        print_message(&plain);
    show_game(&plain);
    while (!plain.over && read_line(&line, &size)) {
        handle_line(&plain, line);
        if (plain.changed && !plain.over)
            show_game(&plain);
    }
    free(line);
}
