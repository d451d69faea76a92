// The terminal: taken and given back, keys and signals.
//
// However the program ends, the terminal is given back as it was: at exit(), so
// also after fail() and refuse(); and after Ctrl-C, SIGTERM, SIGHUP and
// SIGQUIT. These signals are blocked until the game waits for a key.
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

// Takes the place of a key when a signal asks for the end, or when the terminal
// is gone.
enum { NO_MORE_KEYS = -2 };

// Are standard input and output a terminal on which the cursor can be moved?
bool terminal_is_capable(void);

// From now on keeps the text that this process and its later children write to
// standard error. It is shown when the terminal is given back.
void terminal_hold_errors(void);

// Takes the terminal, with ncurses.
void terminal_take(void);

// Gives the terminal back as it was. exit() does it, too.
void terminal_give_back(void);

// Waits for a key (curses.h), or NO_MORE_KEYS.
int terminal_key(void);

// Was a key pressed, or did a signal come, meanwhile? Takes the key.
bool terminal_key_pressed(void);

// Ends the program by the signal that has asked for the end, if there was one.
void terminal_end_by_signal(void);

// Leaves the screen, shows what `print` prints below what was there before,
// and comes back after the next key.
void terminal_show_below(void (*print)(FILE *out, const void *what),
                         const void *what);

#endif
