// The words of a cause: for cause.c and the files beside it.
#ifndef CAUSE_WORDS_H
#define CAUSE_WORDS_H

#include "history.h"

#include <stdio.h>

// A sentence that grows.
struct words {
    char *text;
    size_t size;
    FILE *out;
};

void words_open(struct words *words);

// The text; the caller frees it.
char *words_close(struct words *words);

void say(struct words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// "30.001", as in a trace: the time alone, and behind other words. "30 s".
void say_time(struct words *words, int64_t ns);
void say_at(struct words *words, const char *before, int64_t ns);
void say_span(struct words *words, int64_t ms);

// A command in quotes, as in the trace; a long one is cut off with "...".
void say_command(struct words *words, const char *request);

// The command of an entry behind other words: "; A's "DEL lock"".
void say_request(struct words *words, const char *before,
                 const struct record *record, const struct entry *entry);

// The operator's command in "an operator: DEL lock -> 1", in quotes.
void say_operator(struct words *words, const char *text);

// Is this one of the words of the operator's command?
bool operator_names(const char *text, const char *word);

// Does a request contain this lock's value? (Of a hash: the name of its first
// field.) Does it consist of a command and a key alone?
bool names_value(const char *request, const char *value);
bool is_bare(const char *request);

// Is this value a time, in seconds since 1970, and had that time passed by the
// client's clock when entry `i` happened?
bool is_past(const char *value, const struct record *record, size_t i,
             int client);

// The effect of the command that ran at `i` on the lock: "A's "EXPIRE lock 30"
// gave A's lock a new lease at 0.000".
void say_change(struct words *words, const struct history *history, size_t i);

// The lock that the loss is about.
int cause_lock(const struct record *record, const struct lost_property *lost);

// The lock that is in this client's way before entry `asked`, and why it does
// not end.
void say_standing(struct words *words, const struct history *history,
                  size_t asked, int client);

// The causes of lost waiting (cause_waiting.c): the client still waits; it got
// in before `waiter`, who had waited longer; a release woke many.
void say_wakeup(struct words *words, const struct history *history, int client);
void say_order(struct words *words, const struct history *history, int client,
               int waiter);
void say_herd(struct words *words, const struct history *history);

// Has the client sent anything in its last attempt? It went in without that.
bool asks_server(const struct history *history, int client);
void say_no_server(struct words *words, const struct history *history,
                   int client);

// The use of each of the client's connections.
void say_leak(struct words *words, const struct history *history, int client);

// The steps of this client, which has come to no end.
void say_endless(struct words *words, const struct history *history,
                 int client);

// Why the client's last attempt did not get in; or, if it did, how.
void say_entry(struct words *words, const struct history *history, int client);

#endif
