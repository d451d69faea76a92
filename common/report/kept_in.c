#include "kept_in.h"

#include "base/units.h"
#include "cause_hold.h"
#include "kept_facts.h"

#include <string.h>

size_t say_inner_release(struct words *words,
                         const struct history *history) {
    for (size_t i = history->count; i-- > 0;) {
        const struct entry *entry = kept_entry(history, i);
        if (entry->kind != EVENT_RESULT || entry->result != RESULT_OK ||
            entry->operation != OPERATION_LEAVE || entry->depth == 0 ||
            !kept_is_about(history, entry))
            continue;
        size_t asked = history_asked(history, i, entry->client,
                                     OPERATION_LEAVE);
        size_t ran = history_last(history, i, entry->client, EVENT_RAN);
        if (ran == NOWHERE || ran < asked ||
            !history_state(history, ran)->exists)
            continue;
        say(words, "%s's inner release, ", kept_name(history, entry->client));
        say_command(words, kept_entry(history, ran)->request);
        say(words, ", was answered %s", kept_entry(history, ran)->answer);
        say_kept_when(words, history, ran);
        say(words, " and left %s under the key",
            history_state(history, ran)->value);
        return ran;
    }
    return NOWHERE;
}

// The client whose lock ended at `end` could not release it: "A was killed at
// 0.000, its". Otherwise "A's".
static void say_fate(struct words *words, const struct history *history,
                     size_t end, size_t made, int owner) {
    size_t killed = history_last(history, end, owner, EVENT_KILLED);
    size_t hung = history_last(history, end, owner, EVENT_HUNG);
    size_t result = history_result(history, history_operation(history, made));

    if (killed != NOWHERE) {
        say(words, "%s was killed", kept_name(history, owner));
        say_kept_when(words, history, killed);
        say(words, ", its");
    } else if (hung != NOWHERE) {
        say(words, "%s's worker hung", kept_name(history, owner));
        say_kept_when(words, history, hung);
        say(words, ", %s's", kept_name(history, owner));
    } else if (result != NOWHERE && result < end &&
               kept_entry(history, result)->result == RESULT_UNKNOWN) {
        say(words, "%s's attempt ended with \"unknown\"",
            kept_name(history, owner));
        say_kept_when(words, history, result);
        say(words, ", %s's", kept_name(history, owner));
    } else {
        say(words, "%s's", kept_name(history, owner));
    }
}

// "A was killed at 0.000, its lease ended at 30.001": or how else the lock
// ended at `end`.
static void say_end_before(struct words *words, const struct history *history,
                           size_t end) {
    const struct entry *entry = kept_entry(history, end);
    int owner = kept_owner_before(history, end);
    size_t made = kept_maker(history, end);
    bool ran = entry->kind == EVENT_RAN;
    bool others = owner == NOBODY ||
                  (entry->client != owner &&
                   !kept_is_inside(history, end, owner));

    if (owner == NOBODY && kept_is_release(history, end)) {
        say_request(words, "", history->record, entry);
        say(words, " removed its own lock");
        say_kept_when(words, history, end);
    } else if (ran && others) {
        say_change(words, history, end);
    } else if (owner == NOBODY) {
        say(words, "what stood under the key was gone");
    } else if (!ran_out(history, end) || kept_is_inside(history, end, owner) ||
               history_is_stopped(history, end, owner) ||
               history_is_cut_off(history, end, owner)) {
        say_end(words, history, made, end, owner);
    } else {
        say_fate(words, history, end, made, owner);
        say(words, " lease ended");
        if (history->record->replays)
            say_at(words, " at ", lease_end_ms(history, end - 1) * MILLISECOND);
    }
}

// How the client that waited came to ask again after `end`.
static void say_woken(struct words *words, const struct history *history,
                      size_t end, size_t grant, int client) {
    size_t heard = history_last(history, grant, client, EVENT_HEARD);
    size_t woke = history_last(history, grant, client, EVENT_WOKE);

    if (history_operation(history, grant) > end)
        return; // it had not asked before that
    if (heard != NOWHERE && heard > end) {
        say(words, "heard \"%s\"", kept_entry(history, heard)->answer);
        say_kept_when(words, history, heard);
        say(words, " and ");
    } else if (woke != NOWHERE && woke > end) {
        say(words, "woke");
        say_kept_when(words, history, woke);
        say(words, " and ");
    }
}

// The attempt wrote over the lock that stood there: its value was past.
static size_t say_taken_over(struct words *words,
                             const struct history *history, size_t grant) {
    const char *value = history_before(history, grant)->value;
    int client = kept_entry(history, grant)->client;

    say_change(words, history, grant);
    if (is_past(value, history->record, grant, client))
        say(words, ": its value, %s, was a time that was past by %s's clock",
            value, kept_name(history, client));
    return grant;
}

size_t kept_end_before(const struct history *history, size_t grant) {
    while (grant != NOWHERE && grant-- > 0)
        if (history->moments[grant].change == GONE)
            return grant;
    return NOWHERE;
}

size_t say_got_in(struct words *words, const struct history *history,
                  int client) {
    size_t grant = history_grant(history, client);

    if (!asks_server(history, client)) {
        say_no_server(words, history, client);
        return history_result(history,
                              history_asked(history, history->count, client,
                              OPERATION_ENTER));
    }
    if (grant == NOWHERE)
        return NOWHERE;
    if (history->moments[grant].change == OVERWRITTEN &&
        kept_owner_before(history, grant) != client)
        return say_taken_over(words, history, grant);
    if (history->moments[grant].change != MADE)
        return NOWHERE;
    size_t end = kept_end_before(history, grant);
    if (end == NOWHERE) {
        say_request(words, "no lock stood under the key when ",
                    history->record, kept_entry(history, grant));
        say(words, " ran");
        say_kept_when(words, history, grant);
        return grant;
    }
    say_end_before(words, history, end);
    say(words, ", and %s ", kept_name(history, client));
    say_woken(words, history, end, grant, client);
    say(words, "found the key free");
    return end;
}
