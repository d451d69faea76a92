#include "cause_kept.h"

#include "base/units.h"
#include "cause_hold.h"
#include "cause_masters.h"
#include "cause_words.h"
#include "kept_facts.h"
#include "kept_in.h"

#include <stdlib.h>
#include <string.h>

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
        if (kept_entry(history, i)->kind == EVENT_RAN &&
            kept_entry(history, i)->write == WRITE_FENCED)
            return i;
    return NOWHERE;
}

static size_t say_refused_write(struct words *words,
                                const struct history *history) {
    size_t i = history->count;

    while (i-- > 0 && (kept_entry(history, i)->kind != EVENT_RAN ||
                       kept_entry(history, i)->write != WRITE_REFUSED))
        ;
    if (i == NOWHERE)
        return NOWHERE;
    size_t taken = last_fenced(history, i);
    say_request(words, "the resource refused ", history->record,
                kept_entry(history, i));
    say_kept_when(words, history, i);
    if (taken == NOWHERE)
        return i;
    const char *late = last_number(kept_entry(history, i)->request);
    const char *seen = last_number(kept_entry(history, taken)->request);
    if (late && seen)
        say(words, ": its number is %s, and the resource had seen %s", late,
            seen);
    return i;
}

// --- a command that leaves a lock alone --------------------------------------

// Is this a command of a release, or of a watchdog, behind which the client
// sent no other command for it?
static bool ends_work_on_lock(const struct history *history, size_t ran) {
    size_t asked = history_operation(history, ran);

    if (asked == NOWHERE)
        return kept_is_watchdogs(history, ran);
    if (!kept_is_release(history, ran))
        return false;
    for (size_t i = ran + 1; i < history->count; i++)
        if (kept_entry(history, i)->kind == EVENT_RAN &&
            kept_entry(history, i)->client ==
                kept_entry(history, ran)->client &&
            history_operation(history, i) == asked)
            return false;
    return true;
}

// The command at `ran` has met a lock that its client did not mean: another's,
// or a later one of its own. It has left that lock as it was.
static bool left_alone(const struct history *history, size_t ran) {
    const struct entry *command = kept_entry(history, ran);
    int owner = kept_owner_before(history, ran);

    if (command->kind != EVENT_RAN || !command->answer ||
        history->moments[ran].change != UNCHANGED || owner == NOBODY ||
        !history_before(history, ran)->exists ||
        command->write != WRITE_NONE || !ends_work_on_lock(history, ran))
        return false;
    size_t made = kept_maker(history, ran);
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
    const struct entry *command = kept_entry(history, i);
    int owner = kept_owner_before(history, i);
    size_t sent = history_sent(history, i);
    if (owner == command->client) {
        say_request(words, "", history->record, command);
        say_at(words, ", sent at ", kept_entry(history, sent)->time_ns);
        say(words, " before %s got the lock again, was answered %s",
            kept_name(history, owner), command->answer);
        say_kept_when(words, history, i);
        say(words, " and left the new lock as it was");
        return i;
    }
    say(words, history_operation(history, i) == NOWHERE ? "%s's watchdog's "
                                                        : "%s's release, ",
        kept_name(history, command->client));
    say_command(words, command->request);
    say(words, history_operation(history, i) == NOWHERE
                   ? " was answered %s" : ", was answered %s", command->answer);
    say_kept_when(words, history, i);
    say(words, " and left %s's lock as it was", kept_name(history, owner));
    return i;
}

// A renewal that came after the lock had ended, and made no new one.
static size_t say_no_phantom(struct words *words,
                             const struct history *history) {
    for (size_t i = history->count; i-- > 0;) {
        const struct entry *command = kept_entry(history, i);
        if (command->kind != EVENT_RAN || !command->answer ||
            history_before(history, i)->exists ||
            history_state(history, i)->exists ||
            !kept_is_watchdogs(history, i))
            continue;
        say(words, "%s's watchdog's ", kept_name(history, command->client));
        say_command(words, command->request);
        say(words, " found no lock");
        say_kept_when(words, history, i);
        say(words, " and made none");
        return i;
    }
    return NOWHERE;
}

// --- an attempt that is refused ----------------------------------------------

// Did another client's watchdog write over the owner's lock?
static bool is_spoiled(const struct history *history, size_t ran) {
    size_t made = kept_maker(history, ran);

    for (size_t i = ran; made != NOWHERE && i-- > made;)
        if (history->moments[i].change == OVERWRITTEN &&
            kept_entry(history, i)->client != kept_owner_before(history, ran) &&
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
    const struct entry *command = kept_entry(history, ran);
    int owner = kept_owner_before(history, ran);
    size_t asked;

    return command->kind == EVENT_RAN && command->answer &&
           !says_nothing(command) &&
           (client == NOBODY || command->client == client) &&
           history_before(history, ran)->exists && owner != NOBODY &&
           owner != command->client && !is_spoiled(history, ran) &&
           (inside ? kept_is_inside(history, ran, owner)
                   : !kept_is_over(history, ran, owner)) &&
           history->moments[ran].owner == owner &&
           (asked = history_operation(history, ran)) != NOWHERE &&
           kept_entry(history, asked)->operation == OPERATION_ENTER &&
           kept_entry(history, asked)->lock_number == history->lock &&
           history_refused(history, ran);
}

// The first command of this attempt that met the holder.
static size_t first_of_attempt(const struct history *history, size_t ran) {
    size_t first = ran, asked = history_operation(history, ran);

    for (size_t i = ran; i-- > asked;) {
        const struct entry *entry = kept_entry(history, i);
        if (entry->client != kept_entry(history, ran)->client)
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
    size_t made = kept_maker(history, ran);
    int64_t now_ms = kept_entry(history, ran)->time_ns / MILLISECOND;

    if (made == NOWHERE || !history->record->replays)
        return NOWHERE;
    for (size_t i = made + 1; i < ran; i++) {
        const struct lock_state *before = history_before(history, i);
        const struct lock_state *now = history_state(history, i);
        if (kept_entry(history, i)->kind == EVENT_RAN &&
            history->moments[i].change == LEASED && before->ttl_ms >= 0 &&
            kept_entry(history, i)->client == kept_owner_before(history, i) &&
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
    size_t made = kept_maker(history, ran);

    return lock->ttl_ms < 0 && !lock->with_holder && !lock->with_connection &&
           made != NOWHERE &&
           kept_entry(history, ran)->time_ns -
                   kept_entry(history, made)->time_ns >
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
    int owner = kept_owner_before(history, i);
    size_t renewed = needed_renewal(history, i);
    if (renewed != NOWHERE) {
        say(words, "%s's watchdog renewed the lease with ",
            kept_name(history, owner));
        say_command(words, kept_entry(history, renewed)->request);
        say_kept_when(words, history, renewed);
        say(words, ", so it had not ended when %s asked",
            kept_name(history, kept_entry(history, i)->client));
        say_kept_when(words, history, i);
        return renewed;
    }
    say_kept_answered(words, history, i);
    say(words, is_endless(history, i)
                   ? ": %s's lock stood there, and no lease ends it"
                   : ": %s's lock stood there", kept_name(history, owner));
    return i;
}

// --- a client that knows -----------------------------------------------------

// Did another client get in after entry `i` of this client's, or was it inside?
static bool another_gets_in(const struct history *history, size_t i,
                            int client) {
    for (int other = 0; other < history->record->client_count; other++)
        if (other != client &&
            (kept_is_inside(history, i, other) ||
             kept_is_inside(history, history->count, other)))
            return true;
    return false;
}

// The watchdog's command before `i` by which the client learnt of its loss.
static size_t news_of_loss(const struct history *history, size_t i,
                           int client) {
    size_t ran = history_last(history, i, client, EVENT_RAN);

    return ran != NOWHERE && kept_entry(history, ran)->answer &&
                   history->moments[ran].change == UNCHANGED &&
                   kept_owner_before(history, ran) != client &&
                   kept_is_watchdogs(history, ran)
               ? ran : NOWHERE;
}

static size_t say_known(struct words *words, const struct history *history,
                        int client) {
    for (size_t i = history->count; i-- > 0;) {
        const struct entry *entry = kept_entry(history, i);
        if (entry->kind != EVENT_RESULT || entry->result != RESULT_LOST ||
            entry->operation != OPERATION_HELD ||
            (client != NOBODY ? entry->client != client
                              : !another_gets_in(history, i, entry->client)))
            continue;
        size_t news = news_of_loss(history, i, entry->client);
        if (news != NOWHERE) {
            say_kept_answered(words, history, news);
            say(words, ", and ");
        }
        size_t asked = history_last(history, i, entry->client, EVENT_ASKED);
        size_t sent = history_last(history, i, entry->client, EVENT_REQUEST);
        say(words, "%s was asked", kept_name(history, entry->client));
        say_kept_when(words, history, i);
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
        const struct entry *entry = kept_entry(history, i);
        if (entry->kind != EVENT_RESULT || entry->result != RESULT_LOST ||
            entry->operation != OPERATION_ENTER ||
            !kept_is_about(history, entry))
            continue;
        size_t asked = history_asked(history, i, entry->client,
                                     OPERATION_ENTER);
        size_t made = i;
        while (made > asked && (kept_entry(history, made)->kind != EVENT_RAN ||
                                history->moments[made].owner != entry->client ||
                                history->moments[made].change == UNCHANGED))
            made--;
        size_t end = end_of_hold(history, made, entry->client);
        if (made == asked || end == NOWHERE || end > i)
            continue;
        say_end(words, history, made, end, entry->client);
        say(words, ", and %s did not go in when it heard of its grant",
            kept_name(history, entry->client));
        say_kept_when(words, history, i);
        return i;
    }
    return NOWHERE;
}

// --- the other program's key -------------------------------------------------

static size_t say_key_left(struct words *words,
                           const struct history *history) {
    for (size_t i = history->count; i-- > 0;) {
        const struct entry *command = kept_entry(history, i);
        if (command->kind != EVENT_RAN || command->client < 0 ||
            !command->answer || !history_before(history, i)->exists)
            continue;
        if (history->moments[i].change != UNCHANGED)
            return NOWHERE;
        say_kept_answered(words, history, i);
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
        const struct entry *entry = kept_entry(history, i);
        if (entry->kind == EVENT_RESULT &&
            entry->operation == OPERATION_ENTER &&
            entry->result == RESULT_OK && kept_is_about(history, entry))
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
        kept_end_before(history, history_grant(history, client)) != NOWHERE)
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
