// The history of one lock in a record: what each entry did to it, who did it,
// and whose it was. For cause.h.
//
// All of it is worked out from the lock's states, as the world has looked at
// them after each entry. So it needs to know no command of any server, and it
// is as true for a guest as for a stage.
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
    GONE,        // the other way round
    OVERWRITTEN, // it has another value
    LEASED,      // its value stays; its end has been moved, set or removed
};

struct moment {
    enum change change;
    int owner; // whose lock it is after the entry; NOBODY
};

struct history {
    const struct record *record;
    int lock;                // which one, from 0
    size_t count;            // how many entries are looked at
    struct moment *moments;  // one for each of them
};

// Looks at the first `count` entries.
void history_open(struct history *history, const struct record *record,
                  int lock, size_t count);
void history_close(struct history *history);

// The lock after this entry.
const struct lock_state *history_state(const struct history *history, size_t i);

// And before it.
const struct lock_state *history_before(const struct history *history,
                                        size_t i);

// The last entry of this kind about this client before `i`, or NOWHERE.
size_t history_last(const struct history *history, size_t i, int client,
                    enum event_kind kind);

// Where the command that runs at `ran` was sent.
size_t history_sent(const struct history *history, size_t ran);

// The entry with which the operation began that the command belongs to, or
// NOWHERE if it is no operation's: then it is a watchdog's.
size_t history_operation(const struct history *history, size_t ran);

// Where this operation ended; NOWHERE if it has not.
size_t history_result(const struct history *history, size_t asked);

// The client's last operation of this kind on this lock before `i`.
size_t history_asked(const struct history *history, size_t i, int client,
                     enum operation operation);

// The command with which the client got the lock that it was told last that it
// has: the first one of that attempt that changed the lock. NOWHERE if there is
// none.
size_t history_grant(const struct history *history, int client);

// The server that the client reaches at this time, from 0.
int history_server(const struct history *history, size_t i, int client);

// Is it so at this time, by what the record says of this client?
bool history_is_stopped(const struct history *history, size_t i, int client);
bool history_is_cut_off(const struct history *history, size_t i, int client);

#endif
