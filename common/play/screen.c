// From top to bottom the screen has: a bar, the names of the columns, the trace
// (its end, or where the player has scrolled to), what can happen next, what is
// left of the bounds, some rows for messages, and a bar with the keys.
//
// After each key everything is drawn anew, and ncurses sends only what has
// changed. A curses window for each part was rejected: all of them would have
// to be made anew whenever the terminal changes its size.
#define NCURSES_NOMACROS
#include "screen.h"

#include "trace_rows.h"
#include "terminal.h"
#include "describe.h"

#include "report/colour.h"
#include "report/table.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

// A key for each choice; the others are commands.
static const char keys[] = "123456789abcdefijklmnoptvwxyz"
                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

enum { COLOUR_LOSS = 1, COLOUR_GOAL, COLOUR_HINT, COLOUR_FAULT };
enum { LEAST_LINES = 12, LEAST_COLUMNS = 40, ENOUGH_LINES = 16 };
enum { MOST_ROWS = 4000, ESCAPE = 27 };

static struct screen {
    struct game *game;
    struct hints *hints;
    struct move moves[MAX_MOVES];
    int count;
    int chosen;  // the marked choice
    int first;   // the choice shown first
    int scroll;  // how many rows of the trace are below the part shown
    int page;    // how many rows of the trace are shown
    bool over;
} screen;

// A small terminal has no room for what is left of the bounds.
static bool shows_budget(void) {
    return LINES >= ENOUGH_LINES;
}

// A long message gets more rows.
static int message_rows(void) {
    int least_rows = shows_budget() ? 3 : 2, most = LINES / 4;
    int needed = (int)strlen(screen.hints->text) / (COLS - 12) + 1;

    return needed < least_rows ? least_rows : needed > most ? most : needed;
}

static attr_t colour_of(int pair, attr_t otherwise) {
    return has_colors() && colour_wanted(stdout)
               ? (attr_t)COLOR_PAIR(pair) | A_BOLD
               : otherwise;
}

static void set_up_colours(void) {
    if (!has_colors() || !colour_wanted(stdout))
        return;
    start_color();
    use_default_colors();
    init_pair(COLOUR_LOSS, COLOR_RED, -1);
    init_pair(COLOUR_GOAL, COLOR_GREEN, -1);
    init_pair(COLOUR_HINT, COLOR_CYAN, -1);
    init_pair(COLOUR_FAULT, COLOR_YELLOW, -1);
}

// --- drawing -----------------------------------------------------------------

// As much of the text as fits.
static void put(int row, int column, attr_t attributes, const char *text,
                int length) {
    int most = COLS - column;

    if (row < 0 || row >= LINES || most <= 0)
        return;
    attrset(attributes);
    mvaddnstr(row, column, text, length < most ? length : most);
    attrset(A_NORMAL);
}

// Leaves the cursor in the last corner, where it covers nothing.
static void show(void) {
    wmove(stdscr, LINES - 1, COLS - 1);
    refresh();
}

static void put_bar(int row, const char *left, const char *right) {
    int gap = COLS - (int)strlen(right) - 1;

    attrset(A_REVERSE);
    mvhline(row, 0, ' ' | A_REVERSE, COLS);
    attrset(A_NORMAL);
    put(row, 1, A_REVERSE, left, gap > 2 ? gap - 2 : 0);
    put(row, gap > 0 ? gap : 0, A_REVERSE, right, (int)strlen(right));
}

static void draw_top(void) {
    const struct game *game = screen.game;
    char left[WORDS_SIZE], right[32];

    snprintf(left, sizeof left, "%s", settings_title(game->settings));
    if (screen.hints->goal < LOSSES)
        snprintf(left + strlen(left), sizeof left - strlen(left), "   goal: %s",
                 goal_words(screen.hints->goal));
    snprintf(right, sizeof right, "%d move%s", game->count,
             plural(game->count));
    put_bar(0, left, right);
}

// Splits the text into rows. Returns how many.
static int split(const char *text, const char *rows[MOST_ROWS],
                 int lengths[MOST_ROWS]) {
    int count = 0;

    while (*text && count < MOST_ROWS) {
        rows[count] = text;
        lengths[count] = (int)strcspn(text, "\n");
        text += lengths[count] + (text[lengths[count]] == '\n');
        count++;
    }
    return count;
}

static int least(int one, int other) {
    return one < other ? one : other;
}

// The trace and the choices share the rows: each gets half of them, and also
// those that the other one does not need.
static int rows_for_choices(int room, int rows) {
    int half = room / 2;

    return least(screen.count, room - least(rows, room - half));
}

static void draw_trace(const char *const rows[], const int lengths[], int count,
                       int room) {
    int most = count > room ? count - room : 0;

    screen.page = room;
    if (screen.scroll > most)
        screen.scroll = most;
    for (int i = 0; i < least(count, room); i++) {
        int row = most - screen.scroll + i;
        put(2 + i, 0, A_NORMAL, rows[row], lengths[row]);
    }
}

static void draw_divider(int row, int shown) {
    char text[128] = "What happens next? ", clock[WORDS_SIZE];

    if (screen.count == 0)
        strcpy(text, "Nothing can happen any more. ");
    if (shown < screen.count)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "(%d to %d of %d) ", screen.first + 1, screen.first + shown,
                 screen.count);
    if (screen.scroll > 0)
        strcat(text, "(the trace goes on: PgDn) ");
    mvhline(row, 0, ACS_HLINE, COLS);
    clock_words(game_position(screen.game), &screen.game->bounds, clock);
    int length = (int)strlen(clock);
    put(row, COLS - length - 2, A_NORMAL, " ", 1);
    put(row, COLS - length - 1, A_NORMAL, clock, length);
    put(row, 0, A_BOLD, text, (int)strlen(text));
}

static void draw_choices(int top, int shown) {
    char words[WORDS_SIZE], line[WORDS_SIZE + 8];

    if (screen.chosen < screen.first)
        screen.first = screen.chosen;
    if (screen.chosen >= screen.first + shown)
        screen.first = screen.chosen - shown + 1;
    screen.first = least(screen.first, screen.count - shown);
    for (int i = screen.first; i < screen.first + shown; i++) {
        const struct move *move = &screen.moves[i];
        attr_t marked = i == screen.chosen ? A_REVERSE : A_NORMAL;
        move_words(game_position(screen.game),
                   &screen.game->bounds, move, words);
        snprintf(line, sizeof line, " %c  %s",
                 i < (int)sizeof keys - 1 ? keys[i] : ' ', words);
        if (move_fault(move) != FAULTS)
            marked |= colour_of(COLOUR_FAULT, A_NORMAL);
        put(top + i - screen.first, 0, marked, line, (int)strlen(line));
    }
}

static void draw_budget(int row) {
    char words[WORDS_SIZE];

    budget_words(game_position(screen.game), &screen.game->bounds, words);
    put(row, 1, A_DIM, words, (int)strlen(words));
}

static void clear_message(void) {
    for (int row = 1; row <= message_rows(); row++) {
        wmove(stdscr, LINES - 1 - row, 0);
        clrtoeol();
    }
}

static void draw_message(int top) {
    static const int pairs[] = {[TONE_LOSS] = COLOUR_LOSS,
                                [TONE_GOAL] = COLOUR_GOAL,
                                [TONE_HINT] = COLOUR_HINT};
    const char *text = screen.hints->text;
    enum tone tone = screen.hints->tone;
    attr_t look = tone == TONE_PLAIN ? A_NORMAL
                                     : colour_of(pairs[tone], A_BOLD);

    for (int row = 0; row < message_rows() && *text; row++) {
        int length = (int)strlen(text);
        if (length > COLS - 2 && row < message_rows() - 1) {
            length = COLS - 2;
            while (length > 1 && text[length] != ' ')
                length--;
        }
        put(top + row, 1, look, text, length);
        text += length;
        text += strspn(text, " ");
    }
}

static void draw(void) {
    static const char *rows[MOST_ROWS];
    static int lengths[MOST_ROWS];

    erase();
    if (LINES < LEAST_LINES || COLS < LEAST_COLUMNS) {
        put(0, 0, A_NORMAL, "This window is too small.", 25);
        show();
        return;
    }
    int count = split(trace_rows(screen.game, least(COLS, PAGE_WIDTH)), rows,
                      lengths);
    int below = message_rows() + shows_budget() + 1; // and the bar
    int room = LINES - 3 - below; // the bar, the names, the divider
    int shown = rows_for_choices(room, count - 1);
    int divider = LINES - 1 - below - shown;

    draw_top();
    put(1, 0, A_BOLD, rows[0], lengths[0]);
    draw_trace(rows + 1, lengths + 1, count - 1, room - shown);
    draw_choices(divider + 1, shown);
    draw_divider(divider, shown);
    if (shows_budget())
        draw_budget(LINES - 2 - message_rows());
    draw_message(LINES - 1 - message_rows());
    put_bar(LINES - 1, "u undo  r redo  h hint  g goal  s schedule  ? help",
            "q quit");
    show();
}

// --- pages -------------------------------------------------------------------

// Shows a page until a key is pressed. Returns the key.
static int show_page(const char *const lines[], int count) {
    int key = KEY_RESIZE;

    while (key == KEY_RESIZE) {
        erase();
        for (int i = 0; i < count; i++)
            put(i + 1, 2, A_NORMAL, lines[i], (int)strlen(lines[i]));
        show();
        key = terminal_key();
    }
    screen.over = screen.over || key == NO_MORE_KEYS;
    return key;
}

static void show_help(void) {
    static const char *const lines[] = {
        "You decide what happens next: each choice has its key.",
        "",
        "1 2 3 ... a b c    this happens",
        "Up Down, Enter     mark a choice, and let it happen",
        "PgUp PgDn, < >     scroll the trace; Home, End",
        "",
        "Below the choices: how often each client may still try to enter (3+1:",
        "three times, and once while it is inside), and what may still go wrong.",
        "",
        "u  Left            undo the last move",
        "r  Right           make it again",
        "h                  a hint: how far a loss is; again: what leads there",
        "g                  goals to play for",
        "s                  the line that replays the game so far",
        "q                  quit; the line is printed then, too",
        "",
        "Above are the rows of a trace: docs/trace.md tells how to read it.",
        "",
        "Any key: back to the game",
    };
    show_page(lines, sizeof lines / sizeof *lines);
}

static void look_again(void) {
    screen.count = game_choices(screen.game, screen.moves);
    screen.chosen = screen.first = screen.scroll = 0;
}

// To find out whether the goal can be reached takes a moment.
static void set_goal(enum loss goal) {
    draw();
    clear_message();
    put(LINES - 1 - message_rows(), 1, A_NORMAL, "Looking at this goal ...", 24);
    show();
    hints_set_goal(screen.hints, goal);
    look_again();
}

static void choose_goal(void) {
    enum { MOST_LINES = LOSSES + 5 };
    char texts[MOST_LINES][WORDS_SIZE];
    const char *lines[MOST_LINES];
    int goals = losses_sought(&screen.game->bounds), count = goals + 5;

    for (int i = 0; i < count; i++) {
        lines[i] = texts[i];
        texts[i][0] = '\0';
    }
    snprintf(texts[0], WORDS_SIZE, "A goal in %s:",
             settings_title(screen.game->settings));
    for (int loss = 0; loss < goals; loss++)
        snprintf(texts[loss + 2], WORDS_SIZE, "%c  %s", keys[loss],
                 goal_words((enum loss)loss));
    snprintf(texts[goals + 2], WORDS_SIZE, "0  %s", goal_words(LOSSES));
    strcpy(texts[count - 1], "Any other key: as it was");
    int key = show_page(lines, count);
    for (int loss = 0; loss < goals; loss++)
        if (key == keys[loss])
            set_goal((enum loss)loss);
    if (key == '0')
        set_goal(LOSSES);
}

static void print_end(FILE *out, const void *game) {
    game_print_end(game, out);
}

// --- keys --------------------------------------------------------------------

static void make(int choice) {
    if (choice >= screen.count)
        return;
    game_make(screen.game, &screen.moves[choice]);
    look_again();
    hints_after_move(screen.hints);
}

static void step(bool (*step_by_one)(struct game *game)) {
    screen.hints->text[0] = '\0';
    if (!step_by_one(screen.game))
        return;
    look_again();
}

static void hint(void) {
    int next = hints_next(screen.hints, screen.moves, screen.count);

    if (next >= 0)
        screen.chosen = next;
}

static void mark(int by) {
    int chosen = screen.chosen + by;

    if (chosen >= 0 && chosen < screen.count)
        screen.chosen = chosen;
}

static void scroll_by(int by) {
    screen.scroll += by;
    if (screen.scroll < 0)
        screen.scroll = 0;
}

// Keys that move the mark or the trace.
static bool handle_cursor_key(int key) {
    switch (key) {
    case KEY_UP:    mark(-1); return true;
    case KEY_DOWN:  mark(1); return true;
    case KEY_LEFT:  step(game_undo); return true;
    case KEY_RIGHT: step(game_redo); return true;
    case '<':
    case KEY_PPAGE: scroll_by(screen.page > 1 ? screen.page - 1 : 1);
        return true;
    case '>':
    case KEY_NPAGE: scroll_by(screen.page > 1 ? 1 - screen.page : -1);
        return true;
    case KEY_HOME:  screen.scroll = MOST_ROWS; return true;
    case KEY_END:   screen.scroll = 0; return true;
    case '\r':
    case '\n':
    case KEY_ENTER: make(screen.chosen); return true;
    default:        return false;
    }
}

static void handle_key(int key) {
    const char *choice = key > 0 && key < 128 ? strchr(keys, key) : NULL;

    if (handle_cursor_key(key))
        return;
    switch (key) {
    case 'u': step(game_undo); return;
    case 'r': step(game_redo); return;
    case 'h': hint(); return;
    case 'g': choose_goal(); return;
    case 's': terminal_show_below(print_end, screen.game); return;
    case '?': show_help(); return;
    case ESCAPE: flushinp(); return; // a key that curses does not know
    case 'q':
    case NO_MORE_KEYS: screen.over = true; return;
    default:
        if (choice)
            make((int)(choice - keys));
    }
}

// Shows how far the search for a hint has come. A key ends the search.
static bool go_on(int ahead) {
    char text[96];

    snprintf(text, sizeof text, "Looking %d move%s ahead ... (any key: enough)",
             ahead, plural(ahead));
    clear_message();
    put(LINES - 1 - message_rows(), 1, A_NORMAL, text, (int)strlen(text));
    show();
    return !terminal_key_pressed();
}

void screen_play(struct game *game, struct hints *hints) {
    screen = (struct screen){.game = game, .hints = hints};
    hints->go_on = go_on;
    set_up_colours();
    look_again();
    while (!screen.over) {
        draw();
        handle_key(terminal_key());
    }
}
