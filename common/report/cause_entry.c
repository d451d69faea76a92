// Why a client does not get in: the lock in its way, its owner, and why that
// lock does not end.
#include "cause_masters.h"
#include "cause_words.h"

#include <stdlib.h>
#include <string.h>

// The entry before `i` that gave the lock its owner.
static size_t maker(const struct history *history, size_t i) {
    while (i-- > 0)
        if (history->moments[i].change == MADE ||
            (history->moments[i].change == OVERWRITTEN && i > 0 &&
             history->moments[i].owner != history->moments[i - 1].owner))
            return i;
    return NOWHERE;
}

// The last entry before `i` that gave the lease its end.
static size_t leaser(const struct history *history, size_t i) {
    while (i-- > 0)
        if (history->moments[i].change != UNCHANGED &&
            history->record->entries[i].kind != EVENT_CLOCK)
            return i;
    return NOWHERE;
}

// The owner's command to release that never reached the server, or NOWHERE.
static size_t lost_release(const struct history *history, size_t made,
                           int owner) {
    const struct record *record = history->record;
    size_t asked = history_asked(history, history->count, owner,
                                 OPERATION_LEAVE);
    size_t cut = history_last(history, history->count, owner, EVENT_CUT);
    size_t ran = history_last(history, history->count, owner, EVENT_RAN);

    if (asked == NOWHERE || asked < made || cut == NOWHERE || cut < asked ||
        (ran != NOWHERE && ran > asked) || !record->entries[cut].request)
        return NOWHERE;
    return cut;
}

// Has the client received the answer to its command at `ran`?
static bool was_answered(const struct history *history, size_t ran) {
    const struct entry *entries = history->record->entries;

    for (size_t i = ran; i < history->count; i++)
        if (entries[i].client == entries[ran].client &&
            entries[i].connection == entries[ran].connection &&
            (entries[i].kind == EVENT_ANSWER || entries[i].kind == EVENT_CUT))
            return entries[i].kind == EVENT_ANSWER;
    return false;
}

// Why the owner does not release its lock.
static void say_owner(struct words *words, const struct history *history,
                      size_t made, int owner, const char *joined) {
    const struct record *record = history->record;
    const char *name = record->clients[owner];
    size_t killed = history_last(history, history->count, owner, EVENT_KILLED);
    size_t hung = history_last(history, history->count, owner, EVENT_HUNG);
    size_t asked = history_operation(history, made);
    size_t result = history_result(history, asked);
    size_t lost = lost_release(history, made, owner);

    if (killed != NOWHERE) {
        say(words, ", %s %s was killed at ", joined, name);
        say_time(words, record->entries[killed].time_ns);
    } else if (hung != NOWHERE) {
        say(words, ", %s %s's worker hung at ", joined, name);
        say_time(words, record->entries[hung].time_ns);
    } else if (lost != NOWHERE) {
        say_request(words, ", and ", record, &record->entries[lost]);
        say_at(words, " was lost on its way at ",
               record->entries[lost].time_ns);
    } else if (result != NOWHERE &&
               record->entries[result].result == RESULT_UNKNOWN) {
        say(words, was_answered(history, made)
                       ? ", and %s did not hear the end of that attempt"
                       : ", and %s never heard that it had got it", name);
    }
}

// A release of the owner's that has left the lock where it is.
static bool say_release(struct words *words, const struct history *history,
                        size_t made, int owner) {
    const struct record *record = history->record;
    const char *name = record->clients[owner];
    size_t asked = history_asked(history, history->count, owner,
                                 OPERATION_LEAVE);
    if (asked == NOWHERE || asked < made)
        return false;
    size_t end = history_result(history, asked);
    size_t ran = end == NOWHERE ? NOWHERE
                                : history_last(history, end, owner, EVENT_RAN);
    if (ran == NOWHERE || ran < asked || !history_state(history, ran)->exists)
        return false;
    say(words, "%s's release, ", name);
    say_command(words, record->entries[ran].request);
    say(words, ", was answered %s at ", record->entries[ran].answer);
    say_time(words, record->entries[ran].time_ns);
    if (history->moments[ran].change == OVERWRITTEN)
        say(words, " and left %s under the key",
            history_state(history, ran)->value);
    else
        say(words, " and left the lock as it was");
    return true;
}

// The owner's attempt that ran after the owner had given up on it.
static bool say_late_attempt(struct words *words,
                             const struct history *history, size_t made,
                             int owner) {
    const struct record *record = history->record;
    size_t asked = history_operation(history, made);
    size_t result = history_result(history, asked);

    if (result == NOWHERE || result > made)
        return false;
    say_request(words, "", record, &record->entries[made]);
    say_at(words, " ran at ", record->entries[made].time_ns);
    say(words, ", when %s waited for it no more: the lock is %s's, and %s "
        "does not know", record->clients[owner], record->clients[owner],
        record->clients[owner]);
    return true;
}

static const char *whose(const struct record *record, int owner, int client) {
    static char words[16];
    snprintf(words, sizeof words, "%s's", record->clients[owner]);
    return owner == client ? "its own" : words;
}

// The command, or the moved clock, that gave the lease its present end. False
// if this attempt made the lock.
static bool say_new_lease(struct words *words, const struct history *history,
                          size_t leased, size_t made, int owner) {
    const struct record *record = history->record;
    const struct entry *entry = &record->entries[leased];

    if (entry->kind == EVENT_SERVER && entry->done == CHOOSE_SKEW_SERVER) {
        say_server_name(words, history, entry);
        say(words, "'s clock was moved by %s at ",
            strstr(entry->text, "by ") + 3);
        say_time(words, entry->time_ns);
        say(words, ", and by that clock %s's lease is not over",
            record->clients[owner]);
        return true;
    }
    if (entry->kind != EVENT_RAN || history->moments[leased].change != LEASED)
        return false;
    size_t asked = history_operation(history, leased);
    if (entry->client == owner && asked != NOWHERE &&
        asked == history_operation(history, made))
        return false;
    say_request(words, "", record, entry);
    say(words, " gave %s lock a new lease, last at ",
        whose(record, owner, entry->client));
    say_time(words, entry->time_ns);
    return true;
}

static void say_made(struct words *words, const struct history *history,
                     size_t made, size_t now, int owner) {
    const struct record *record = history->record;
    const struct entry *entry = &record->entries[made];

    bool endless = history_before(history, now)->ttl_ms < 0;

    if (entry->kind == EVENT_SERVER) {
        say(words, "the lock came back when the server started again at ");
    } else {
        say_request(words, "", record, entry);
        say(words, " made a lock at ");
    }
    say_time(words, entry->time_ns);
    if (endless && history_before(history, now)->with_holder)
        say(words, entry->kind == EVENT_SERVER
                       ? ", and it lasts as long as its session"
                       : " that lasts as long as its session");
    else if (endless)
        say(words, entry->kind == EVENT_SERVER
                       ? ", and the server never ends it by itself"
                       : " that the server never ends");
    if (entry->kind != EVENT_SERVER)
        say_owner(words, history, made, owner, "and");
}

// The change by a client that did not get the lock: it made or overwrote it.
static bool say_loser(struct words *words, const struct history *history,
                      size_t made, size_t until) {
    const struct record *record = history->record;

    for (size_t i = until; i-- > made;) {
        enum change change = history->moments[i].change;
        if (record->entries[i].kind != EVENT_RAN ||
            (change != MADE && change != OVERWRITTEN))
            continue;
        size_t asked = history_operation(history, i);
        if (asked == NOWHERE || !history_refused(history, i))
            continue;
        size_t end = history_result(history, asked);
        bool busy = end != NOWHERE &&
                    record->entries[end].result == RESULT_BUSY;
        if (!busy && end != NOWHERE &&
            record->entries[end].result == RESULT_LOST)
            continue;
        say_change(words, history, i);
        say(words, busy ? ", though %s was told busy"
                        : ", though %s did not get it",
            record->clients[record->entries[i].client]);
        return true;
    }
    return false;
}

// The client's command that met the lock in its way: the last one; of several
// masters the first, because commands that undo follow it.
static size_t met_lock(const struct history *history, size_t asked,
                       int client) {
    size_t ran = history_last(history, history->count, client, EVENT_RAN);

    for (size_t i = asked; has_masters(history) && i < history->count; i++)
        if (history->record->entries[i].kind == EVENT_RAN &&
            history->record->entries[i].client == client)
            return i;
    return ran;
}

void say_standing(struct words *words, const struct history *history,
                  size_t asked, int client) {
    const struct record *record = history->record;
    size_t made = maker(history, asked), leased = leaser(history, asked);
    int owner = made == NOWHERE ? NOBODY : history->moments[asked - 1].owner;

    bool loser = owner != NOBODY && say_loser(words, history, made, asked);

    if (owner == NOBODY) {
        say(words, "%s stands under the key, and no client has made it",
            history_before(history, asked)->value);
    } else if (owner == client && !loser) {
        size_t ran = met_lock(history, asked, client);
        say(words, "the lock in %s's way is its own, taken at ",
            record->clients[client]);
        say_time(words, record->entries[made].time_ns);
        if (ran != NOWHERE && ran > asked) {
            say(words, ": its ");
            say_command(words, record->entries[ran].request);
            say(words, " was answered %s", record->entries[ran].answer);
        }
    } else if (!loser && !say_release(words, history, made, owner) &&
               !say_late_attempt(words, history, made, owner)) {
        if (say_new_lease(words, history, leased, made, owner))
            say_owner(words, history, made, owner, "though");
        else
            say_made(words, history, made, asked, owner);
    } else if (history->moments[leased].change == LEASED) {
        struct words more;
        words_open(&more);
        bool said = say_new_lease(&more, history, leased, made, owner);
        char *text = words_close(&more);
        if (said)
            say(words, ". Then %.*s", (int)strlen(text) - 1, text);
        free(text);
    }
}

void say_entry(struct words *words, const struct history *history,
               int client) {
    const struct record *record = history->record;
    const char *name = record->clients[client];
    size_t asked = history_asked(history, history->count, client,
                                 OPERATION_ENTER);
    size_t result = history_result(history, asked);
    size_t sent = history_last(history, history->count, client, EVENT_REQUEST);
    const struct entry *end = result == NOWHERE ? NULL
                                                : &record->entries[result];

    if (asked == NOWHERE && sent == NOWHERE) {
        say(words, "opening the lock already needs what another client has");
    } else if (sent == NOWHERE || sent < asked) {
        say(words, "%s did not ask the server", name);
    } else if (has_masters(history) && end && end->result != RESULT_OK &&
               !history_before(history, asked)->exists) {
        say(words, "%s was told %s", name, result_word(end->result));
        say_votes(words, history, asked);
    } else if (end && (end->result == RESULT_UNKNOWN ||
                       end->result == RESULT_ERROR)) {
        say(words, "%s heard only an error: %s", name, end->text);
    } else if (end && end->result == RESULT_OK) {
        say_request(words, "", record, &record->entries[sent]);
        say(words, " let it in");
    } else if (!history_before(history, asked)->exists) {
        say(words, "%s was told %s though the key was free", name,
            end ? result_word(end->result) : "nothing");
    } else {
        say_standing(words, history, asked, client);
    }
}
