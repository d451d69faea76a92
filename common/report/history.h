// The history of one lock in a record: what each entry did to it, who did it,
// and whose it was. For cause.h.
//
// The history is derived from the states of the lock, which the world looks at
// after each entry. So it does not have to know the commands of a server, and
// it is as true for a guest as for a stage.
#ifndef HISTORY_H
#define HISTORY_H

#include "record.h"

#include <stdbool.h>
#include <stddef.h>

// No entry.
#define NOWHERE ((size_t)-1)

enum change {
    UNCHANGED,
    MADE,        // there was no key, and now there is
    GONE,        // there was a key, and now there is none
    OVERWRITTEN, // it has another value
    LEASED,      // its value is the same; its end was moved, set or removed
};

struct moment {
    enum change change;
    int owner; // whose lock it is after the entry, or NOBODY
};

struct history {
    const struct record *record;
    int lock;                // which one, from 0
    size_t count;            // how many entries are looked at
    struct moment *moments;  // one for each entry
};

// Looks at the first `count` entries.
void history_open(struct history *history, const struct record *record,
                  int lock, size_t count);
void history_close(struct history *history);

// The lock after this entry.
const struct lock_state *history_state(const struct history *history, size_t i);

// The lock before this entry.
const struct lock_state *history_before(const struct history *history,
                                        size_t i);

// The last entry of this kind about this client before `i`, or NOWHERE.
size_t history_last(const struct history *history, size_t i, int client,
                    enum event_kind kind);

// The entry at which the command of the entry `ran` was sent.
size_t history_sent(const struct history *history, size_t ran);

// The entry with which the operation of this command began. NOWHERE if the
// command belongs to no operation: then it is a watchdog's.
size_t history_operation(const struct history *history, size_t ran);

// The entry with which this operation ended; NOWHERE if it has not ended, or if
// `asked` is NOWHERE.
size_t history_result(const struct history *history, size_t asked);

// The command at `ran` is part of an attempt: did that end without the lock?
// (False if it has not ended.)
bool history_refused(const struct history *history, size_t ran);

// The client's last operation of this kind on this lock before `i`.
size_t history_asked(const struct history *history, size_t i, int client,
                     enum operation operation);

// The command that got the client its lock: of its last attempt that was
// answered with "ok", the first command that changed the lock. NOWHERE if there
// is none.
size_t history_grant(const struct history *history, int client);

// The server that the client reaches at this time, from 0.
int history_server(const struct history *history, size_t i, int client);

// Is this client stopped; cut off from a server: at entry `i`, by the record.
bool history_is_stopped(const struct history *history, size_t i, int client);
bool history_is_cut_off(const struct history *history, size_t i, int client);

#endif
