// The signals that end a program are blocked, except while it waits for a key.
// So they end the program only where the terminal can be given back. The
// alternative is ncurses' own handler, which calls endwin(). It may interrupt
// ncurses in the middle of its work.
#define NCURSES_NOMACROS
#include "terminal.h"

#include "base/arguments.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDINGS = sizeof endings / sizeof *endings };

static struct {
    pid_t owner;
    bool taken;
    int errors; // a file that keeps standard error, and where it went before;
                // -1: none
    int errors_before;
    sigset_t open; // the signal mask while we wait for a key
    bool gone;
} terminal = {.errors = -1};

static volatile sig_atomic_t ending, stopping;

static void note_ending(int number) {
    ending = number;
}

static void note_stopping(int number) {
    stopping = number;
}

bool terminal_is_capable(void) {
    const char *name = getenv("TERM");
    int trouble;

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !name ||
        strcmp(name, "dumb") == 0 ||
        setupterm(name, STDOUT_FILENO, &trouble) != OK)
        return false;
    bool moves = tigetstr("cup") != NULL;
    del_curterm(cur_term);
    return moves;
}

// --- standard error ----------------------------------------------------------

void terminal_hold_errors(void) {
    terminal.owner = getpid();
    terminal.errors = memfd_create("errors", MFD_CLOEXEC);
    terminal.errors_before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (terminal.errors < 0 || terminal.errors_before < 0)
        refuse("cannot keep errors: %s", strerror(errno));
    dup2(terminal.errors, STDERR_FILENO);
    atexit(terminal_give_back);
}

static void give_errors_back(void) {
    char text[4096];
    ssize_t length;

    if (terminal.errors < 0)
        return;
    fflush(stderr);
    dup2(terminal.errors_before, STDERR_FILENO);
    lseek(terminal.errors, 0, SEEK_SET);
    while ((length = read(terminal.errors, text, sizeof text)) > 0)
        fwrite(text, 1, (size_t)length, stderr);
    close(terminal.errors);
    close(terminal.errors_before);
    terminal.errors = -1;
}

// --- the screen --------------------------------------------------------------

static void hold_signals(void) {
    struct sigaction action = {.sa_handler = note_ending};
    sigset_t held;

    sigemptyset(&held);
    for (int i = 0; i < ENDINGS; i++) {
        sigaction(endings[i], &action, NULL);
        sigaddset(&held, endings[i]);
    }
    // ncurses stops by itself, but not when Ctrl-Z comes while it draws.
    action.sa_handler = note_stopping;
    sigaction(SIGTSTP, &action, NULL);
    sigaddset(&held, SIGTSTP);
    sigaddset(&held, SIGWINCH); // could be missed just before the wait
    sigprocmask(SIG_BLOCK, &held, &terminal.open);
}

void terminal_take(void) {
    fflush(stdout);
    unsetenv("LINES"); // or ncurses would never ask the terminal for its size
    unsetenv("COLUMNS");
    if (!newterm(NULL, stdout, stdin))
        refuse("ncurses cannot use this terminal: --plain does without");
    terminal.taken = true;
    hold_signals(); // ncurses has set its own
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
}

void terminal_give_back(void) {
    if (getpid() != terminal.owner)
        return; // this is a child process that exits
    if (terminal.taken)
        endwin();
    terminal.taken = false;
    give_errors_back();
}

void terminal_end_by_signal(void) {
    if (!ending)
        return;
    fflush(NULL);
    signal(ending, SIG_DFL);
    sigprocmask(SIG_SETMASK, &terminal.open, NULL);
    raise(ending);
}

// --- keys --------------------------------------------------------------------

// True if there is something to read. Waits for it only if `forever` is set.
static bool wait_for_input(bool forever) {
    struct pollfd keyboard = {.fd = STDIN_FILENO, .events = POLLIN};
    const struct timespec none = {0};

    return ppoll(&keyboard, 1, forever ? NULL : &none, &terminal.open) > 0;
}

static void come_back(void) {
    reset_prog_mode();
    clearok(curscr, TRUE);
    refresh();
}

// Ctrl-Z: gives the terminal to the shell until the shell continues us.
static void stop(void) {
    sigset_t stops, before;

    sigemptyset(&stops);
    sigaddset(&stops, SIGTSTP);
    def_prog_mode();
    endwin();
    signal(SIGTSTP, SIG_DFL);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stops, &before); // here it stops
    sigprocmask(SIG_SETMASK, &before, NULL);
    signal(SIGTSTP, note_stopping);
    stopping = 0;
    come_back();
    raise(SIGWINCH); // the terminal may have another size now
}

int terminal_key(void) {
    while (!ending && !terminal.gone) {
        int key = getch();
        if (key != ERR)
            return key;
        if (!wait_for_input(true)) { // a signal
            if (stopping)
                stop();
            continue; // getch() tells of a new size
        }
        key = getch();
        if (key != ERR)
            return key;
        terminal.gone = true; // what can be read is the end of the input
    }
    return NO_MORE_KEYS;
}

bool terminal_key_pressed(void) {
    wait_for_input(false);
    if (ending)
        return true;
    int key = getch();
    if (key == KEY_RESIZE)
        ungetch(key);
    return key != ERR && key != KEY_RESIZE;
}

void terminal_show_below(void (*print)(FILE *out, const void *what),
                         const void *what) {
    struct termios mode;
    char key[16]; // some are several bytes

    def_prog_mode();
    endwin();
    tcgetattr(STDIN_FILENO, &mode);
    mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO); // a key, without Enter
    tcsetattr(STDIN_FILENO, TCSANOW, &mode);
    print(stdout, what);
    puts("Any key: back to the game");
    fflush(stdout);
    while (!ending && !wait_for_input(true))
        continue;
    terminal.gone = !ending && read(STDIN_FILENO, key, sizeof key) <= 0;
    come_back();
}
