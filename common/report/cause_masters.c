#include "cause_masters.h"

#include <string.h>

bool has_masters(const struct history *history) {
    return history->record->masters > 1 && history->lock == 0;
}

void say_server_name(struct words *words, const struct history *history,
                     const struct entry *entry) {
    if (history->record->masters > 1)
        say(words, "server %d", entry->server + 1);
    else
        say(words, "the server");
}

static bool holds(const struct lock_state *master, const char *value) {
    return master->exists && strcmp(master->value, value) == 0;
}

static int count_holders(const struct record *record,
                         const struct lock_state *masters, const char *value) {
    int holders = 0;

    for (int m = 0; m < record->masters; m++)
        holders += holds(&masters[m], value);
    return holders;
}

void say_left(struct words *words, const struct history *history, size_t grant,
              size_t end, int client) {
    const struct record *record = history->record;
    const char *value = history_state(history, grant)->value;

    say(words, ", and %s was left with %d of %d masters",
        record->clients[client],
        count_holders(record, record->entries[end].masters, value),
        record->masters);
}

// Has this value been counted at a master before this one?
static bool was_counted(const struct lock_state *masters, int m) {
    for (int before = 0; before < m; before++)
        if (holds(&masters[before], masters[m].value))
            return true;
    return false;
}

void say_votes(struct words *words, const struct history *history, size_t i) {
    const struct record *record = history->record;
    const struct entry *before = &record->entries[i > 0 ? i - 1 : 0];
    const struct lock_state *masters = before->masters;
    bool first = true;
    int down = 0;

    for (int m = 0; m < record->masters; m++) {
        down += masters[m].down;
        if (!masters[m].exists || was_counted(masters, m))
            continue;
        say(words, first ? ": %s stood on %d of %d masters" : ", %s on %d",
            masters[m].value,
            count_holders(record, masters, masters[m].value), record->masters);
        first = false;
    }
    if (down > 0)
        say(words, first ? ": %d was down" : ", and %d was down", down);
}
