// The terminal: taken and given back, keys and signals.
//
// However the program ends, it is given back as it was: at exit(), so also
// after fail() and refuse(), and after Ctrl-C, SIGTERM, SIGHUP and
// SIGQUIT, which wait until the game waits for a key.
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

// Instead of a key: a signal asks for the end, or the terminal is gone.
enum { NO_MORE_KEYS = -2 };

// Is there one at both ends that can do more than lines?
bool terminal_is_capable(void);

// From now on what goes to standard error is kept, and shown when the terminal
// is given back. Processes that are started keep to it, too.
void terminal_hold_errors(void);

// Takes it, with ncurses.
void terminal_take(void);

// Gives it back as it was. Also happens at exit().
void terminal_give_back(void);

// Waits for a key (curses.h), or NO_MORE_KEYS.
int terminal_key(void);

// Has a key been pressed, or a signal come, meanwhile? The key is gone.
bool terminal_key_pressed(void);

// Ends the program by the signal that has asked for the end, if there was one.
void terminal_end_by_signal(void);

// Leaves the screen, shows what `print` prints below what was there before,
// and comes back after the next key.
void terminal_show_below(void (*print)(FILE *out, const void *what),
                         const void *what);

#endif
