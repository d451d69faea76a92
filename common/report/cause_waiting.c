// Why a client that waits is not let in, or not first, or not alone.
#include "cause_words.h"

#include <string.h>

// In a queue an owner that leaves gives the lock to the next one.
static bool passed_on(const struct history *history, size_t i) {
    const struct entry *entry = &history->record->entries[i];

    return i > 0 && history->moments[i].change == OVERWRITTEN &&
           history_state(history, i)->last > 0 && entry->kind == EVENT_RAN &&
           entry->client == history->moments[i - 1].owner;
}

// The last entry that freed the lock, or passed it on; NOWHERE: there is none.
static size_t freed(const struct history *history) {
    for (size_t i = history->count; i-- > 0;)
        if (history->moments[i].change == GONE || passed_on(history, i))
            return i;
    return NOWHERE;
}

// "A's "DEL lock" removed the lock at 5.000"
static void say_freed(struct words *words, const struct history *history,
                      size_t gone) {
    const struct entry *entry = &history->record->entries[gone];

    if (entry->kind == EVENT_RAN) {
        say_request(words, "", history->record, entry);
        say(words, history->moments[gone].change == GONE
                       ? " removed the lock at " : " gave up the lock at ");
    } else {
        say(words, "the lock ended on the server at ");
    }
    say_time(words, entry->time_ns);
}

// The last message after `from` that the server sent by itself: a pushed one,
// or the answer to a command that waited in it.
static size_t last_message(const struct history *history, size_t from) {
    for (size_t i = history->count; i-- > from;) {
        const struct entry *entry = &history->record->entries[i];
        if (entry->kind == EVENT_PUSHED ||
            (entry->kind == EVENT_RAN && entry->waited))
            return i;
    }
    return NOWHERE;
}

// Why the client does not know that the lock is free since `gone`.
static void say_silence(struct words *words, const struct history *history,
                        size_t gone, int client) {
    const struct record *record = history->record;
    const char *name = record->clients[client];
    size_t message = last_message(history, gone);
    size_t ran = history_last(history, history->count, client, EVENT_RAN);

    if (message != NOWHERE && record->entries[message].client != client) {
        int other = record->entries[message].client;
        size_t killed = history_last(history, history->count, other,
                                     EVENT_KILLED);
        say(words, ". The server told %s", record->clients[other]);
        if (killed != NOWHERE) {
            say_at(words, ", who was killed at ",
                   record->entries[killed].time_ns);
        }
        say(words, ", and nobody else; %s still sleeps", name);
    } else if (ran != NOWHERE && ran > gone) {
        say_request(words, ". ", record, &record->entries[ran]);
        say_at(words, " ran only after that, at ",
               record->entries[ran].time_ns);
        say(words, ", and nothing has woken %s since", name);
    } else {
        say(words, ", and nothing has woken %s since", name);
    }
}

void say_wakeup(struct words *words, const struct history *history,
                int client) {
    size_t gone = freed(history);

    if (history_state(history, history->count - 1)->exists)
        say_standing(words, history, history->count, client);
    else if (gone == NOWHERE)
        say(words, "there was no lock, and %s slept",
            history->record->clients[client]);
    else {
        say_freed(words, history, gone);
        say_silence(words, history, gone, client);
    }
}

void say_order(struct words *words, const struct history *history, int client,
               int waiter) {
    const struct record *record = history->record;
    const char *name = record->clients[client];
    size_t grant = history_grant(history, client), gone = NOWHERE;

    if (grant == NOWHERE) {
        say(words, "%s got in without asking a server", name);
        return;
    }
    for (size_t i = grant; i-- > 0 && gone == NOWHERE;)
        if (history->moments[i].change == GONE)
            gone = i;
    if (gone != NOWHERE) {
        say_freed(words, history, gone);
        say(words, ", and ");
    }
    say_request(words, "", record, &record->entries[grant]);
    say_at(words, " ran at ", record->entries[grant].time_ns);
    say(words, ", before anything that %s sent", record->clients[waiter]);
}

// "B, C and D"
static void say_names(struct words *words, const struct record *record,
                      const int *clients, int count) {
    for (int i = 0; i < count; i++)
        say(words, "%s%s", i == 0 ? "" : i == count - 1 ? " and " : ", ",
            record->clients[clients[i]]);
}

void say_herd(struct words *words, const struct history *history) {
    const struct record *record = history->record;
    int clients[JUDGE_CLIENTS], count = 0;
    size_t gone = freed(history), from = gone == NOWHERE ? 0 : gone;

    for (size_t i = from + 1; i < history->count; i++) {
        const struct entry *entry = &record->entries[i];
        bool known = entry->kind != EVENT_REQUEST;
        for (int n = 0; n < count; n++)
            known = known || clients[n] == entry->client;
        if (!known)
            clients[count++] = entry->client;
    }
    if (gone != NOWHERE) {
        say_freed(words, history, gone);
        say(words, ". ");
    }
    say_names(words, record, clients, count);
    say(words, " each sent a command after that, and only one of them could "
        "get the lock");
}

void say_leak(struct words *words, const struct history *history, int client) {
    const struct record *record = history->record;
    int last = 0;

    for (size_t i = 0; i < history->count; i++) {
        const struct entry *entry = &record->entries[i];
        if (entry->kind != EVENT_REQUEST || entry->client != client ||
            entry->connection <= last)
            continue;
        say(words, last == 0 ? "%s's connections are for " : "; ",
            record->clients[client]);
        last = entry->connection;
        say_command(words, entry->request);
        say(words, " (%d)", last);
    }
}

// How often the client has sent the command of this entry.
static int count_same(const struct history *history, size_t sent) {
    const struct entry *last = &history->record->entries[sent];
    int times = 0;

    for (size_t i = 0; i <= sent; i++) {
        const struct entry *entry = &history->record->entries[i];
        times += entry->kind == EVENT_REQUEST &&
                 entry->client == last->client &&
                 strcmp(entry->request, last->request) == 0;
    }
    return times;
}

void say_endless(struct words *words, const struct history *history,
                 int client) {
    enum { OFTEN = 10 };
    const struct record *record = history->record;
    const char *name = record->clients[client];
    size_t end = history->count - 1;
    size_t sent = history_last(history, end, client, EVENT_REQUEST);
    size_t asked = history_last(history, end, client, EVENT_ASKED);
    size_t woke = history_last(history, end, client, EVENT_WOKE);
    int times = sent == NOWHERE ? 0 : count_same(history, sent);

    if (times > OFTEN) {
        say(words, "%s has sent ", name);
        say_command(words, record->entries[sent].request);
        say(words, " %d times", times);
    } else if (woke != NOWHERE && (asked == NOWHERE || woke > asked)) {
        say(words, "%s's timers ring without a pause", name);
    } else {
        say(words, asked == NOWHERE
                       ? "%s is at work before it is asked for anything"
                       : "%s waits for no message and for no timer", name);
        return;
    }
    say_at(words, ", last at ", record->entries[end].time_ns);
    say(words, ". A retry or a watchdog has to wait between two commands");
}
