#include "cause_kept.h"

#include "base/units.h"
#include "cause_hold.h"
#include "cause_masters.h"
#include "cause_words.h"

#include <stdlib.h>
#include <string.h>

// --- facts -------------------------------------------------------------------

static const struct entry *entry_of(const struct history *history, size_t i) {
    return &history->record->entries[i];
}

static const char *name_of(const struct history *history, int client) {
    return history->record->clients[client];
}

// Is this operation about this lock?
static bool is_about(const struct history *history,
                     const struct entry *entry) {
    return entry->operation != OPERATION_HELD &&
           entry->lock_number == history->lock;
}

// Is the client inside before entry `i`, as the judge counts?
static bool is_inside(const struct history *history, size_t i, int client) {
    bool inside = false;

    for (size_t j = 0; j < i; j++) {
        const struct entry *entry = entry_of(history, j);
        if (entry->client != client)
            continue;
        if (event_ends_client(entry->kind) || entry->kind == EVENT_HUNG ||
            entry->kind == EVENT_WORK_DONE)
            inside = false;
        else if (entry->kind == EVENT_ASKED && is_about(history, entry) &&
                 entry->operation == OPERATION_LEAVE)
            inside = false;
        else if (entry->kind == EVENT_RESULT && is_about(history, entry))
            inside = entry->operation == OPERATION_ENTER
                         ? entry->result == RESULT_OK || entry->depth > 0
                         : entry->depth > 0;
        else if (entry->kind == EVENT_RESULT && entry->result == RESULT_LOST)
            inside = false; // it knows
    }
    return inside;
}

// Has the process of this client ended before entry `i`, or does it hang?
static bool is_over(const struct history *history, size_t i, int client) {
    for (size_t j = 0; j < i; j++)
        if (entry_of(history, j)->client == client &&
            (event_ends_client(entry_of(history, j)->kind) ||
             entry_of(history, j)->kind == EVENT_HUNG))
            return true;
    return false;
}

// The entry before `i` that made this lock, or wrote it over another one.
static size_t maker(const struct history *history, size_t i) {
    while (i-- > 0)
        if (history->moments[i].change == MADE ||
            (history->moments[i].change == OVERWRITTEN &&
             (i == 0 ||
              history->moments[i].owner != history->moments[i - 1].owner)))
            return i;
    return NOWHERE;
}

// The owner of the lock before entry `i`, or NOBODY. The next client in a queue
// is not known as the owner.
static int owner_before(const struct history *history, size_t i) {
    const struct lock_state *lock = history_before(history, i);
    size_t made = maker(history, i);

    if (i == 0 || (lock->first > 0 && made != NOWHERE &&
                   strcmp(lock->value, history_state(history, made)->value)))
        return NOBODY;
    return history->moments[i - 1].owner;
}

// Is this a watchdog's command for this lock, and not a sign of life? Of two
// locks, nobody knows for which it is.
static bool is_watchdogs(const struct history *history, size_t ran) {
    return !history->record->two_locks &&
           strstr(entry_of(history, ran)->request, history->record->place) &&
           history_operation(history, ran) == NOWHERE;
}

static void say_when(struct words *words, const struct history *history,
                     size_t i) {
    say_at(words, " at ", entry_of(history, i)->time_ns);
}

// "A's "DEL lock" was answered 0 at 31.000"
static void say_answered(struct words *words, const struct history *history,
                         size_t ran) {
    say_request(words, "", history->record, entry_of(history, ran));
    say(words, " was answered %s", entry_of(history, ran)->answer);
    say_when(words, history, ran);
}

// --- the resource ------------------------------------------------------------

// The last word of a request, if it is a number: a fencing token.
static const char *last_number(const char *request) {
    const char *space = strrchr(request, ' ');
    const char *word = space ? space + 1 : request;

    return *word && word[strspn(word, "0123456789")] == '\0' ? word : NULL;
}

// The last write before `i` that the resource took with a fencing token.
static size_t last_fenced(const struct history *history, size_t i) {
    while (i-- > 0)
        if (entry_of(history, i)->kind == EVENT_RAN &&
            entry_of(history, i)->write == WRITE_FENCED)
            return i;
    return NOWHERE;
}

static size_t say_refused_write(struct words *words,
                                const struct history *history) {
    size_t i = history->count;

    while (i-- > 0 && (entry_of(history, i)->kind != EVENT_RAN ||
                       entry_of(history, i)->write != WRITE_REFUSED))
        ;
    if (i == NOWHERE)
        return NOWHERE;
    size_t taken = last_fenced(history, i);
    say_request(words, "the resource refused ", history->record,
                entry_of(history, i));
    say_when(words, history, i);
    if (taken == NOWHERE)
        return i;
    const char *late = last_number(entry_of(history, i)->request);
    const char *seen = last_number(entry_of(history, taken)->request);
    if (late && seen)
        say(words, ": its number is %s, and the resource had seen %s", late,
            seen);
    return i;
}

// --- a command that leaves a lock alone --------------------------------------

// Is this a command with which its client releases the lock?
static bool is_release(const struct history *history, size_t ran) {
    size_t asked = entry_of(history, ran)->kind == EVENT_RAN
                       ? history_operation(history, ran) : NOWHERE;

    return asked != NOWHERE &&
           entry_of(history, asked)->operation == OPERATION_LEAVE &&
           entry_of(history, asked)->lock_number == history->lock;
}

// Is this a command of a release, or of a watchdog, behind which the client
// sent no other command for it?
static bool ends_work_on_lock(const struct history *history, size_t ran) {
    size_t asked = history_operation(history, ran);

    if (asked == NOWHERE)
        return is_watchdogs(history, ran);
    if (!is_release(history, ran))
        return false;
    for (size_t i = ran + 1; i < history->count; i++)
        if (entry_of(history, i)->kind == EVENT_RAN &&
            entry_of(history, i)->client == entry_of(history, ran)->client &&
            history_operation(history, i) == asked)
            return false;
    return true;
}

// The command at `ran` has met a lock that its client did not mean: another's,
// or a later one of its own. It has left that lock as it was.
static bool left_alone(const struct history *history, size_t ran) {
    const struct entry *command = entry_of(history, ran);
    int owner = owner_before(history, ran);

    if (command->kind != EVENT_RAN || !command->answer ||
        history->moments[ran].change != UNCHANGED || owner == NOBODY ||
        !history_before(history, ran)->exists ||
        command->write != WRITE_NONE || !ends_work_on_lock(history, ran))
        return false;
    size_t made = maker(history, ran);
    return owner != command->client ||
           (made != NOWHERE && history_sent(history, ran) < made);
}

static size_t say_left_alone(struct words *words,
                             const struct history *history) {
    size_t i = history->count;

    while (i-- > 0 && !left_alone(history, i))
        ;
    if (i == NOWHERE)
        return NOWHERE;
    const struct entry *command = entry_of(history, i);
    int owner = owner_before(history, i);
    size_t sent = history_sent(history, i);
    if (owner == command->client) {
        say_request(words, "", history->record, command);
        say_at(words, ", sent at ", entry_of(history, sent)->time_ns);
        say(words, " before %s got the lock again, was answered %s",
            name_of(history, owner), command->answer);
        say_when(words, history, i);
        say(words, " and left the new lock as it was");
        return i;
    }
    say(words, history_operation(history, i) == NOWHERE ? "%s's watchdog's "
                                                        : "%s's release, ",
        name_of(history, command->client));
    say_command(words, command->request);
    say(words, history_operation(history, i) == NOWHERE
                   ? " was answered %s" : ", was answered %s", command->answer);
    say_when(words, history, i);
    say(words, " and left %s's lock as it was", name_of(history, owner));
    return i;
}

// A renewal that came after the lock had ended, and made no new one.
static size_t say_no_phantom(struct words *words,
                             const struct history *history) {
    for (size_t i = history->count; i-- > 0;) {
        const struct entry *command = entry_of(history, i);
        if (command->kind != EVENT_RAN || !command->answer ||
            history_before(history, i)->exists ||
            history_state(history, i)->exists ||
            !is_watchdogs(history, i))
            continue;
        say(words, "%s's watchdog's ", name_of(history, command->client));
        say_command(words, command->request);
        say(words, " found no lock");
        say_when(words, history, i);
        say(words, " and made none");
        return i;
    }
    return NOWHERE;
}

// --- an attempt that is refused ----------------------------------------------

// Did another client's watchdog write over the owner's lock?
static bool is_spoiled(const struct history *history, size_t ran) {
    size_t made = maker(history, ran);

    for (size_t i = ran; made != NOWHERE && i-- > made;)
        if (history->moments[i].change == OVERWRITTEN &&
            entry_of(history, i)->client != owner_before(history, ran) &&
            history_operation(history, i) == NOWHERE)
            return true;
    return false;
}

// Does this answer say nothing about a lock, such as that to MULTI?
static bool says_nothing(const struct entry *command) {
    return strcmp(command->answer, "OK") == 0 ||
           strcmp(command->answer, "QUEUED") == 0;
}

// Was this command of an attempt refused because of another client's lock? Is
// that client inside; or at least alive, so that it may be inside soon, or has
// not released yet?
static bool met_holder(const struct history *history, size_t ran, int client,
                       bool inside) {
    const struct entry *command = entry_of(history, ran);
    int owner = owner_before(history, ran);
    size_t asked;

    return command->kind == EVENT_RAN && command->answer &&
           !says_nothing(command) &&
           (client == NOBODY || command->client == client) &&
           history_before(history, ran)->exists && owner != NOBODY &&
           owner != command->client && !is_spoiled(history, ran) &&
           (inside ? is_inside(history, ran, owner)
                   : !is_over(history, ran, owner)) &&
           history->moments[ran].owner == owner &&
           (asked = history_operation(history, ran)) != NOWHERE &&
           entry_of(history, asked)->operation == OPERATION_ENTER &&
           entry_of(history, asked)->lock_number == history->lock &&
           history_refused(history, ran);
}

// The first command of this attempt that met the holder.
static size_t first_of_attempt(const struct history *history, size_t ran) {
    size_t first = ran, asked = history_operation(history, ran);

    for (size_t i = ran; i-- > asked;) {
        const struct entry *entry = entry_of(history, i);
        if (entry->client != entry_of(history, ran)->client)
            continue;
        if (entry->kind == EVENT_SLEEPS)
            break;
        if (met_holder(history, i, entry->client, false))
            first = i;
    }
    return first;
}

// The renewal without which the lease would have ended before `ran`; NOWHERE:
// none is needed, or in real time none is sure.
static size_t needed_renewal(const struct history *history, size_t ran) {
    size_t made = maker(history, ran);
    int64_t now_ms = entry_of(history, ran)->time_ns / MILLISECOND;

    if (made == NOWHERE || !history->record->replays)
        return NOWHERE;
    for (size_t i = made + 1; i < ran; i++) {
        const struct lock_state *before = history_before(history, i);
        const struct lock_state *now = history_state(history, i);
        if (entry_of(history, i)->kind == EVENT_RAN &&
            history->moments[i].change == LEASED && before->ttl_ms >= 0 &&
            entry_of(history, i)->client == owner_before(history, i) &&
            history_operation(history, i) == NOWHERE &&
            lease_end_ms(history, i - 1) <= now_ms &&
            (now->ttl_ms < 0 || lease_end_ms(history, i) > now_ms))
            return i;
    }
    return NOWHERE;
}

// Has more than a lease passed since the lock was made, which has none?
static bool is_endless(const struct history *history, size_t ran) {
    const struct lock_state *lock = history_before(history, ran);
    size_t made = maker(history, ran);

    return lock->ttl_ms < 0 && !lock->with_holder && !lock->with_connection &&
           made != NOWHERE &&
           entry_of(history, ran)->time_ns - entry_of(history, made)->time_ns >
               history->record->lease_ms * MILLISECOND;
}

// The last command that was refused like this.
static size_t last_refused(const struct history *history, int client,
                           bool inside) {
    size_t i = history->count;

    while (i-- > 0 && !met_holder(history, i, client, inside))
        ;
    return i;
}

static size_t say_kept_out(struct words *words, const struct history *history,
                           int client) {
    size_t i = last_refused(history, client, true);

    if (i == NOWHERE)
        i = last_refused(history, client, false);
    if (i == NOWHERE)
        return NOWHERE;
    i = first_of_attempt(history, i);
    int owner = owner_before(history, i);
    size_t renewed = needed_renewal(history, i);
    if (renewed != NOWHERE) {
        say(words, "%s's watchdog renewed the lease with ",
            name_of(history, owner));
        say_command(words, entry_of(history, renewed)->request);
        say_when(words, history, renewed);
        say(words, ", so it had not ended when %s asked",
            name_of(history, entry_of(history, i)->client));
        say_when(words, history, i);
        return renewed;
    }
    say_answered(words, history, i);
    say(words, is_endless(history, i)
                   ? ": %s's lock stood there, and no lease ends it"
                   : ": %s's lock stood there", name_of(history, owner));
    return i;
}

// --- a client that knows -----------------------------------------------------

// Did another client get in after entry `i` of this client's, or was it inside?
static bool another_gets_in(const struct history *history, size_t i,
                            int client) {
    for (int other = 0; other < history->record->client_count; other++)
        if (other != client &&
            (is_inside(history, i, other) ||
             is_inside(history, history->count, other)))
            return true;
    return false;
}

// The watchdog's command before `i` by which the client learnt of its loss.
static size_t news_of_loss(const struct history *history, size_t i,
                           int client) {
    size_t ran = history_last(history, i, client, EVENT_RAN);

    return ran != NOWHERE && entry_of(history, ran)->answer &&
                   history->moments[ran].change == UNCHANGED &&
                   owner_before(history, ran) != client &&
                   is_watchdogs(history, ran)
               ? ran : NOWHERE;
}

static size_t say_known(struct words *words, const struct history *history,
                        int client) {
    for (size_t i = history->count; i-- > 0;) {
        const struct entry *entry = entry_of(history, i);
        if (entry->kind != EVENT_RESULT || entry->result != RESULT_LOST ||
            entry->operation != OPERATION_HELD ||
            (client != NOBODY ? entry->client != client
                              : !another_gets_in(history, i, entry->client)))
            continue;
        size_t news = news_of_loss(history, i, entry->client);
        if (news != NOWHERE) {
            say_answered(words, history, news);
            say(words, ", and ");
        }
        size_t asked = history_last(history, i, entry->client, EVENT_ASKED);
        size_t sent = history_last(history, i, entry->client, EVENT_REQUEST);
        say(words, "%s was asked", name_of(history, entry->client));
        say_when(words, history, i);
        say(words, news == NOWHERE && (sent == NOWHERE || sent < asked)
                       ? " and knew without asking a server that its lock was "
                         "lost" : " and knew that its lock was lost");
        return i;
    }
    return NOWHERE;
}

// The attempt got the lock, and its client heard of that too late.
static size_t say_heard_too_late(struct words *words,
                                 const struct history *history) {
    for (size_t i = history->count; i-- > 0;) {
        const struct entry *entry = entry_of(history, i);
        if (entry->kind != EVENT_RESULT || entry->result != RESULT_LOST ||
            entry->operation != OPERATION_ENTER || !is_about(history, entry))
            continue;
        size_t asked = history_asked(history, i, entry->client,
                                     OPERATION_ENTER);
        size_t made = i;
        while (made > asked && (entry_of(history, made)->kind != EVENT_RAN ||
                                history->moments[made].owner != entry->client ||
                                history->moments[made].change == UNCHANGED))
            made--;
        size_t end = end_of_hold(history, made, entry->client);
        if (made == asked || end == NOWHERE || end > i)
            continue;
        say_end(words, history, made, end, entry->client);
        say(words, ", and %s did not go in when it heard of its grant",
            name_of(history, entry->client));
        say_when(words, history, i);
        return i;
    }
    return NOWHERE;
}

// --- a client that gets in ---------------------------------------------------

// The inner release of a client that was inside more than once.
static size_t say_inner_release(struct words *words,
                                const struct history *history) {
    for (size_t i = history->count; i-- > 0;) {
        const struct entry *entry = entry_of(history, i);
        if (entry->kind != EVENT_RESULT || entry->result != RESULT_OK ||
            entry->operation != OPERATION_LEAVE || entry->depth == 0 ||
            !is_about(history, entry))
            continue;
        size_t asked = history_asked(history, i, entry->client,
                                     OPERATION_LEAVE);
        size_t ran = history_last(history, i, entry->client, EVENT_RAN);
        if (ran == NOWHERE || ran < asked ||
            !history_state(history, ran)->exists)
            continue;
        say(words, "%s's inner release, ", name_of(history, entry->client));
        say_command(words, entry_of(history, ran)->request);
        say(words, ", was answered %s", entry_of(history, ran)->answer);
        say_when(words, history, ran);
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
        say(words, "%s was killed", name_of(history, owner));
        say_when(words, history, killed);
        say(words, ", its");
    } else if (hung != NOWHERE) {
        say(words, "%s's worker hung", name_of(history, owner));
        say_when(words, history, hung);
        say(words, ", %s's", name_of(history, owner));
    } else if (result != NOWHERE && result < end &&
               entry_of(history, result)->result == RESULT_UNKNOWN) {
        say(words, "%s's attempt ended with \"unknown\"",
            name_of(history, owner));
        say_when(words, history, result);
        say(words, ", %s's", name_of(history, owner));
    } else {
        say(words, "%s's", name_of(history, owner));
    }
}

// "A was killed at 0.000, its lease ended at 30.001": or how else the lock
// ended at `end`.
static void say_end_before(struct words *words, const struct history *history,
                           size_t end) {
    const struct entry *entry = entry_of(history, end);
    int owner = owner_before(history, end);
    size_t made = maker(history, end);
    bool ran = entry->kind == EVENT_RAN;

    if (owner == NOBODY && is_release(history, end)) {
        say_request(words, "", history->record, entry);
        say(words, " removed its own lock");
        say_when(words, history, end);
    } else if (ran && (owner == NOBODY || (entry->client != owner &&
                                           !is_inside(history, end, owner)))) {
        say_change(words, history, end);
    } else if (owner == NOBODY) {
        say(words, "what stood under the key was gone");
    } else if (!ran_out(history, end) || is_inside(history, end, owner) ||
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
        say(words, "heard \"%s\"", entry_of(history, heard)->answer);
        say_when(words, history, heard);
        say(words, " and ");
    } else if (woke != NOWHERE && woke > end) {
        say(words, "woke");
        say_when(words, history, woke);
        say(words, " and ");
    }
}

// The attempt wrote over the lock that stood there: its value was past.
static size_t say_taken_over(struct words *words,
                             const struct history *history, size_t grant) {
    const char *value = history_before(history, grant)->value;
    int client = entry_of(history, grant)->client;

    say_change(words, history, grant);
    if (is_past(value, history->record, grant, client))
        say(words, ": its value, %s, was a time that was past by %s's clock",
            value, name_of(history, client));
    return grant;
}

// The end of the last lock before `grant`; NOWHERE: there was none, or there is
// no grant.
static size_t end_before(const struct history *history, size_t grant) {
    while (grant != NOWHERE && grant-- > 0)
        if (history->moments[grant].change == GONE)
            return grant;
    return NOWHERE;
}

// The lock that had stood in the client's way ended; or there was none.
static size_t say_got_in(struct words *words, const struct history *history,
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
        owner_before(history, grant) != client)
        return say_taken_over(words, history, grant);
    if (history->moments[grant].change != MADE)
        return NOWHERE;
    size_t end = end_before(history, grant);
    if (end == NOWHERE) {
        say_request(words, "no lock stood under the key when ",
                    history->record, entry_of(history, grant));
        say(words, " ran");
        say_when(words, history, grant);
        return grant;
    }
    say_end_before(words, history, end);
    say(words, ", and %s ", name_of(history, client));
    say_woken(words, history, end, grant, client);
    say(words, "found the key free");
    return end;
}

// --- the other program's key -------------------------------------------------

static size_t say_key_left(struct words *words,
                           const struct history *history) {
    for (size_t i = history->count; i-- > 0;) {
        const struct entry *command = entry_of(history, i);
        if (command->kind != EVENT_RAN || command->client < 0 ||
            !command->answer || !history_before(history, i)->exists)
            continue;
        if (history->moments[i].change != UNCHANGED)
            return NOWHERE;
        say_answered(words, history, i);
        say(words, " and left %s under the key",
            history_state(history, i)->value);
        return i;
    }
    return NOWHERE;
}

// --- which of them -----------------------------------------------------------

// The client that got in last, or NOBODY.
static int last_to_get_in(const struct history *history) {
    for (size_t i = history->count; i-- > 0;) {
        const struct entry *entry = entry_of(history, i);
        if (entry->kind == EVENT_RESULT &&
            entry->operation == OPERATION_ENTER &&
            entry->result == RESULT_OK && is_about(history, entry))
            return entry->client;
    }
    return NOBODY;
}

// A story that asks for nothing: no two clients may be inside.
static size_t say_exclusion(struct words *words,
                            const struct history *history) {
    size_t found = say_heard_too_late(words, history);

    if (found == NOWHERE)
        found = say_kept_out(words, history, NOBODY);
    if (found == NOWHERE)
        found = say_known(words, history, NOBODY);
    if (found == NOWHERE)
        found = say_inner_release(words, history);
    int client = last_to_get_in(history);
    if (found == NOWHERE && client != NOBODY &&
        end_before(history, history_grant(history, client)) != NOWHERE)
        found = say_got_in(words, history, client);
    return found;
}

static size_t say_kept(struct words *words, const struct history *history,
                       const struct lost_property *met) {
    size_t found = met->property == PROPERTY_KEY
                       ? say_key_left(words, history) : NOWHERE;

    if (found == NOWHERE)
        found = say_refused_write(words, history);
    if (found == NOWHERE && met->property == PROPERTY_KNOWLEDGE)
        found = say_known(words, history, met->client);
    if (found == NOWHERE)
        found = say_left_alone(words, history);
    if (found == NOWHERE)
        found = say_no_phantom(words, history);
    if (found != NOWHERE)
        return found;
    switch (met->property) {
    case PROPERTY_EXCLUSION:
        return say_kept_out(words, history, met->client);
    case PROPERTY_ENTRY:
        found = say_inner_release(words, history);
        return found != NOWHERE ? found
                                : say_got_in(words, history, met->client);
    case PROPERTY_KNOWLEDGE:
    case PROPERTY_KEY:
        return NOWHERE;
    default:
        return say_exclusion(words, history);
    }
}

// The lock that the story asked for: that of the client's last attempt.
static int lock_of(const struct record *record,
                   const struct lost_property *met) {
    struct lost_property entry = *met;

    entry.property = PROPERTY_ENTRY;
    return met->property == PROPERTY_ENTRY ||
                   met->property == PROPERTY_EXCLUSION
               ? cause_lock(record, &entry) : 0;
}

char *cause_kept(const struct record *record, const struct lost_property *met,
                 size_t *entry) {
    struct history history;
    struct words words;
    size_t count = met->property == PROPERTIES ? record->entry_count
                                               : met->at + 1;

    if (record->masters > 1)
        return NULL;
    if (count > record->entry_count)
        count = record->entry_count;
    history_open(&history, record, lock_of(record, met), count);
    words_open(&words);
    *entry = say_kept(&words, &history, met);
    history_close(&history);
    char *text = words_close(&words);
    if (*entry != NOWHERE)
        return text;
    free(text);
    return NULL;
}
