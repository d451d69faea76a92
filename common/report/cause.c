#include "cause.h"

#include "cause_words.h"
#include "history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- what ended a hold -------------------------------------------------------

// The first entry after `grant` at which the client's lock is no longer there,
// or no longer its own; NOWHERE: it stands. A server that is killed has nothing
// under the key; whether the lock is gone shows when it is back.
static size_t end_of_hold(const struct history *history, size_t grant,
                          int client) {
    for (size_t i = grant + 1; i < history->count; i++) {
        const struct entry *entry = &history->record->entries[i];
        enum change change = history->moments[i].change;
        bool own = entry->kind == EVENT_RAN && entry->client == client;
        if (entry->done == CHOOSE_KILL_SERVER && entry->kind == EVENT_SERVER) {
            while (i + 1 < history->count &&
                   history->record->entries[i].done != CHOOSE_START_SERVER)
                i++;
            if (!history_state(history, i)->exists)
                return i;
            continue;
        }
        if (change == GONE || (change == OVERWRITTEN && !own))
            return i;
    }
    return NOWHERE;
}

// When the lease was over that the lock had at the end of entry `i`. What is
// left of it does not change where nobody could look: it counts from the first
// entry that shows it.
static int64_t lease_end_ms(const struct history *history, size_t i) {
    while (i > 0 && history_before(history, i)->exists &&
           history_before(history, i)->ttl_ms ==
               history_state(history, i)->ttl_ms)
        i--;
    return history->record->entries[i].time_ns / 1000000 +
           history_state(history, i)->ttl_ms + 1;
}

// The last entry before `i` after which the lock was there.
static size_t last_seen(const struct history *history, size_t i) {
    while (i-- > 0)
        if (history_state(history, i)->exists)
            return i;
    return NOWHERE;
}

// Was its lease over when it was found gone?
static bool ran_out(const struct history *history, size_t end) {
    size_t seen = last_seen(history, end);
    return history_state(history, seen)->ttl_ms >= 0 &&
           history->record->entries[end].time_ns / 1000000 >=
               lease_end_ms(history, seen);
}

// Is there something that was done to a server between the two?
static bool was_done(const struct history *history, size_t from, size_t to,
                     enum choice_kind kind) {
    for (size_t i = from; i < to; i++)
        if (history->record->entries[i].kind == EVENT_SERVER &&
            history->record->entries[i].done == kind)
            return true;
    return false;
}

// A command of its own that has been sent and has not run by then.
static size_t on_its_way(const struct history *history, size_t i, int client) {
    size_t sent = history_last(history, i, client, EVENT_REQUEST);

    if (sent == NOWHERE)
        return NOWHERE;
    for (size_t j = sent + 1; j < i; j++) {
        const struct entry *entry = &history->record->entries[j];
        if (entry->client == client && (entry->kind == EVENT_RAN ||
                                        entry->kind == EVENT_CUT))
            return NOWHERE;
    }
    return sent;
}

// ", while A was stopped"
static void say_meanwhile(struct words *words, const struct history *history,
                          size_t end, size_t grant, int client) {
    const struct record *record = history->record;
    size_t asked = history_operation(history, grant);
    size_t heard = asked == NOWHERE ? NOWHERE : history_result(history, asked);
    size_t command = on_its_way(history, end, client);
    const char *name = record->clients[client];

    if (was_done(history, grant, end, CHOOSE_KILL_SERVER))
        say(words, " while the server was down");
    else if (was_done(history, grant, end + 1, CHOOSE_STOP_SERVER))
        say(words, " while the server was stopped");
    else if (heard == NOWHERE || heard > end)
        say(words, " while the answer that granted it was on its way to %s",
            name);
    else if (history_is_stopped(history, end, client))
        say(words, " while %s was stopped", name);
    else if (history_is_cut_off(history, end, client))
        say(words, " while %s was cut off from the server", name);
    else if (command != NOWHERE) {
        say(words, " while %s's ", name);
        say_command(words, record->entries[command].request);
        say(words, " was on its way");
    } else if (history_last(history, end, client, EVENT_WORK_DONE) ==
               NOWHERE)
        say(words, " while %s was still at work", name);
}

// ", which its own … had cut to 1 s"
static void say_cut_lease(struct words *words, const struct history *history,
                          size_t seen, size_t grant) {
    const struct record *record = history->record;

    for (size_t i = seen; i + 1 > grant; i--) {
        const struct lock_state *before = history_before(history, i);
        const struct lock_state *now = history_state(history, i);
        const struct entry *entry = &record->entries[i];
        if (entry->kind != EVENT_RAN || !before->exists || before->ttl_ms < 0 ||
            now->ttl_ms < 0 || now->ttl_ms >= before->ttl_ms)
            continue;
        say(words, "; %s's ", record->clients[entry->client]);
        say_command(words, entry->request);
        say(words, " had cut it to ");
        say_span(words, now->ttl_ms);
        return;
    }
}

static void say_restart(struct words *words, const struct history *history,
                        size_t grant, size_t end, const char *name) {
    const struct record *record = history->record;
    size_t killed = grant;

    while (record->entries[killed].kind != EVENT_SERVER ||
           record->entries[killed].done != CHOOSE_KILL_SERVER)
        killed++;
    say(words, "the server was killed at ");
    say_time(words, record->entries[killed].time_ns);
    if (record->entries[end].done != CHOOSE_START_SERVER)
        say(words, ", and %s's lock with it", name);
    else if (was_done(history, killed, end, CHOOSE_WIPE_DISK))
        say(words, " and started again with an empty disk, without %s's lock",
            name);
    else if (was_done(history, killed, end, CHOOSE_LOSE_UNSYNCED))
        say(words, " before %s's lock was safe on its disk, and started "
            "again without it", name);
    else
        say(words, " and started again without %s's lock", name);
}

static void say_server(struct words *words, const struct history *history,
                       size_t grant, size_t end, int client) {
    const struct record *record = history->record;
    const struct entry *entry = &record->entries[end];
    const char *name = record->clients[client];

    switch (entry->done) {
    case CHOOSE_OPERATE:
    case CHOOSE_OPERATE_IN_VAIN:
        if (operator_names(entry->text, record->key)) {
            say(words, "an operator's ");
            say_operator(words, entry->text);
            say(words, " removed %s's lock at ", name);
            say_time(words, entry->time_ns);
        } else {
            say(words, "after an operator's ");
            say_operator(words, entry->text);
            say(words, " at ");
            say_time(words, entry->time_ns);
            say(words, " the server no longer had %s's lock", name);
        }
        return;
    case CHOOSE_SKEW_SERVER:
        say(words, "the server's clock was moved by %s at ",
            strstr(entry->text, "by ") + 3);
        say_time(words, entry->time_ns);
        say(words, ", and %s's lease was over by that clock", name);
        return;
    case CHOOSE_KILL_SERVER:
    case CHOOSE_START_SERVER:
        say_restart(words, history, grant, end, name);
        return;
    default:
        say(words, "%s's lock was gone at ", name);
        say_time(words, entry->time_ns);
        return;
    }
}

// The last read before `ran` in the same operation that showed the lock's
// value, and left it as it was.
static size_t reading(const struct history *history, size_t ran) {
    size_t asked = history_operation(history, ran);
    const struct entry *command = &history->record->entries[ran];

    for (size_t i = ran; asked != NOWHERE && i-- > asked;) {
        const struct entry *entry = &history->record->entries[i];
        if (entry->kind == EVENT_RAN && entry->client == command->client &&
            history->moments[i].change == UNCHANGED && entry->answer &&
            history_state(history, i)->exists &&
            strcmp(entry->answer, history_state(history, i)->value) == 0)
            return i;
    }
    return NOWHERE;
}

// Did the client's last hold have this value?
static bool was_own(const struct history *history, int client,
                    const char *value) {
    size_t grant = history_grant(history, client);
    return grant != NOWHERE &&
           strcmp(history_state(history, grant)->value, value) == 0;
}

// What the client's command could know of whose lock it hit.
static void say_knowledge(struct words *words, const struct history *history,
                          size_t ran, size_t grant, int victim) {
    const struct record *record = history->record;
    const struct entry *command = &record->entries[ran];
    const char *actor = record->clients[command->client];
    const char *value = history_before(history, ran)->value;
    size_t read = reading(history, ran);

    if (read != NOWHERE) {
        say(words, ". Its ");
        say_command(words, record->entries[read].request);
        say(words, " had shown %s the value %s", actor,
            history_state(history, read)->value);
        if (read < grant)
            say(words, ", and then %s got the lock", record->clients[victim]);
        else if (is_past(history_state(history, read)->value, record, read,
                         command->client))
            say(words, ", a time that was past by %s's clock", actor);
        else
            say(words, ", which is %s's%s", record->clients[victim],
                was_own(history, command->client, value)
                    ? " and was its own before" : "");
    } else if (names_value(command->request, value)) {
        say(words, ". The command names %.*s, and so does %s's lock",
            (int)strcspn(value, "="), value, record->clients[victim]);
    } else if (is_bare(command->request)) {
        say(words, ". The command does not say whose lock it means");
    }
}

// "A's "DEL lock", sent at 29.000, ran at 60.000 and removed B's lock …"
static void say_command_ended(struct words *words,
                              const struct history *history, size_t grant,
                              size_t end, int victim) {
    const struct record *record = history->record;
    const struct entry *command = &record->entries[end];
    size_t sent = history_sent(history, end);
    size_t asked = history_operation(history, end);
    bool own = command->client == victim;
    bool late = sent < grant || record->entries[sent].time_ns <
                                    command->time_ns;

    say(words, "%s's ", record->clients[command->client]);
    say_command(words, command->request);
    if (late) {
        say(words, ", sent at ");
        say_time(words, record->entries[sent].time_ns);
        if (sent < grant)
            say(words, " before %s got the lock, ran at ",
                record->clients[victim]);
        else
            say(words, ", ran at ");
        say_time(words, command->time_ns);
        say(words, " and");
    }
    say(words, " %s %s%s lock",
        history->moments[end].change == GONE ? "removed" : "overwrote",
        own ? "its own" : record->clients[victim], own ? "" : "'s");
    if (!late) {
        say(words, " at ");
        say_time(words, command->time_ns);
    }
    if (own && asked != NOWHERE && record->entries[asked].depth > 1)
        say(words, ", though %s was inside %d times", record->clients[victim],
            record->entries[asked].depth);
    else if (!own && asked != NOWHERE &&
             record->entries[asked].operation == OPERATION_ENTER)
        say_meanwhile(words, history, end, grant, victim);
}

// ", and A, when asked at 31.000, said that it still held the lock"
static void say_belief(struct words *words, const struct history *history,
                       size_t end, int client) {
    const struct record *record = history->record;

    for (size_t i = end + 1; i < history->count; i++) {
        const struct entry *entry = &record->entries[i];
        if (entry->kind == EVENT_RESULT && entry->client == client &&
            entry->operation == OPERATION_HELD && entry->result == RESULT_OK) {
            say(words, ". %s was asked at ", record->clients[client]);
            say_time(words, entry->time_ns);
            say(words, " and said that it still held the lock");
            return;
        }
    }
}

static void say_end(struct words *words, const struct history *history,
                    size_t grant, size_t end, int victim) {
    const struct record *record = history->record;
    size_t seen = last_seen(history, end);

    if (ran_out(history, end)) {
        say(words, "%s's lease ended", record->clients[victim]);
        if (record->replays) { // in real time it is not the story's lease
            say(words, " at ");
            say_time(words, lease_end_ms(history, seen) * 1000000);
        }
        say_meanwhile(words, history, end, grant, victim);
        say_cut_lease(words, history, seen, grant);
    } else if (record->entries[end].kind == EVENT_RAN) {
        say_command_ended(words, history, grant, end, victim);
    } else {
        say_server(words, history, grant, end, victim);
    }
}

// --- exclusion ---------------------------------------------------------------

// Has the client sent anything in its last attempt?
static bool asks_server(const struct history *history, int client) {
    size_t asked = history_asked(history, history->count, client,
                                 OPERATION_ENTER);
    size_t sent = history_last(history, history->count, client, EVENT_REQUEST);

    return asked != NOWHERE && sent != NOWHERE && sent > asked;
}

static void say_no_server(struct words *words, const struct history *history,
                          int client) {
    say(words, "%s went in without asking a server: what a process keeps in "
        "its own memory keeps no other process out",
        history->record->clients[client]);
}

static void say_two_servers(struct words *words, const struct history *history,
                            size_t first, size_t second) {
    const struct record *record = history->record;
    int victim = record->entries[first].client;
    int other = record->entries[second].client;
    int old = history_server(history, first, victim);

    say(words, "server %d gave the lock to %s", old + 1,
        record->clients[victim]);
    if (was_done(history, first, second, CHOOSE_KILL_SERVER))
        say(words, " and was killed, and server %d, which had not heard of "
            "that, gave it", history_server(history, second, other) + 1);
    else
        say(words, ", and server %d, a master of its own, gave it",
            history_server(history, second, other) + 1);
    say(words, " to %s", record->clients[other]);
}

static void say_exclusion(struct words *words, const struct history *history,
                          int one, int other) {
    const struct record *record = history->record;
    size_t first = history_grant(history, one);
    size_t second = history_grant(history, other);

    if (!asks_server(history, other) || !asks_server(history, one)) {
        say_no_server(words, history,
                      asks_server(history, other) ? one : other);
        return;
    }
    if (first == NOWHERE || second == NOWHERE) {
        say(words, "%s was let in by an attempt that changed nothing under "
            "the key %s", record->clients[first == NOWHERE ? one : other],
            record->key);
        return;
    }
    if (second < first) {
        size_t swapped = first;
        first = second;
        second = swapped;
    }
    int victim = record->entries[first].client;
    int next = record->entries[second].client;
    if (history_server(history, first, victim) !=
        history_server(history, second, next)) {
        say_two_servers(words, history, first, second);
        return;
    }
    size_t end = end_of_hold(history, first, victim);
    if (end == NOWHERE || end > second) {
        say(words, "%s's ", record->clients[next]);
        say_command(words, record->entries[second].request);
        say(words, " let it in at ");
        say_time(words, record->entries[second].time_ns);
        say(words, " though %s's lock stood there", record->clients[victim]);
        return;
    }
    say_end(words, history, first, end, victim);
    if (!history_before(history, second)->exists && end != second &&
        record->entries[end].client != next)
        say(words, ", and %s found the key free", record->clients[next]);
    if (record->entries[end].kind == EVENT_RAN &&
        record->entries[end].client != victim && !ran_out(history, end))
        say_knowledge(words, history, end, first, victim);
    say_belief(words, history, end, victim);
}

// --- what a holder knows, and what it writes ---------------------------------

static void say_ignorance(struct words *words, const struct history *history,
                          size_t end, int client) {
    const struct record *record = history->record;
    const char *name = record->clients[client];
    size_t ran = history_last(history, history->count, client, EVENT_RAN);

    if (ran == NOWHERE || ran <= end) {
        say(words, ", and %s has asked the server nothing since", name);
        return;
    }
    say(words, ". %s's ", name);
    say_command(words, record->entries[ran].request);
    say(words, " was answered %s at ", record->entries[ran].answer);
    say_time(words, record->entries[ran].time_ns);
    say(words, ", and %s still said that it held the lock", name);
}

static void say_knowledge_lost(struct words *words,
                               const struct history *history, int client) {
    size_t grant = history_grant(history, client);
    size_t end = grant == NOWHERE ? NOWHERE
                                  : end_of_hold(history, grant, client);

    if (grant == NOWHERE) {
        say(words, "%s has nothing under the key, and asks no server whether "
            "it still holds the lock", history->record->clients[client]);
    } else if (end == NOWHERE) {
        say(words, "%s's lock was not as the story has it",
            history->record->clients[client]);
    } else {
        say_end(words, history, grant, end, client);
        say_ignorance(words, history, end, client);
    }
}

static void say_resource(struct words *words, const struct history *history,
                         int writer, int next) {
    const struct record *record = history->record;
    size_t ran = history->count - 1, sent = history_sent(history, ran);
    size_t grant = history_grant(history, writer);
    size_t entered = history_asked(history, history->count, next,
                                   OPERATION_ENTER);
    size_t end = grant == NOWHERE ? NOWHERE
                                  : end_of_hold(history, grant, writer);

    if (sent > entered && end != NOWHERE) {
        say_end(words, history, grant, end, writer);
        say(words, ". ");
    } else if (sent > entered && !asks_server(history, next)) {
        say_no_server(words, history, next);
        say(words, ". ");
    }
    say(words, "%s's ", record->clients[writer]);
    say_command(words, record->entries[ran].request);
    say(words, ", sent at ");
    say_time(words, record->entries[sent].time_ns);
    if (sent < entered)
        say(words, " before %s got in", record->clients[next]);
    say(words, ", reached the resource at ");
    say_time(words, record->entries[ran].time_ns);
    say(words, ", and nothing in it says which hold of the lock it belongs to");
}

// Its lock is gone, or is no longer its own.
static void say_lost_hold(struct words *words, const struct history *history,
                          int client) {
    const char *name = history->record->clients[client];
    size_t grant = history_grant(history, client);
    size_t end = grant == NOWHERE ? NOWHERE
                                  : end_of_hold(history, grant, client);

    if (grant == NOWHERE)
        say(words, "%s has put nothing under the key", name);
    else if (end == NOWHERE)
        say(words, "the lock on the server is not %s's", name);
    else
        say_end(words, history, grant, end, client);
}

// What its last operation was told, and what was true.
static void say_told(struct words *words, const struct history *history,
                     int client) {
    const struct record *record = history->record;
    size_t ran = history_last(history, history->count, client, EVENT_RAN);

    say_lost_hold(words, history, client);
    if (ran == NOWHERE)
        return;
    say(words, ". %s's ", record->clients[client]);
    say_command(words, record->entries[ran].request);
    say(words, " was answered %s at ", record->entries[ran].answer);
    say_time(words, record->entries[ran].time_ns);
}

// --- the others --------------------------------------------------------------

static void say_key(struct words *words, const struct history *history) {
    const struct record *record = history->record;

    for (size_t i = history->count; i-- > 0;) {
        const struct entry *entry = &record->entries[i];
        if (entry->kind != EVENT_RAN ||
            history->moments[i].change == UNCHANGED)
            continue;
        say_change(words, history, i);
        return;
    }
    say(words, "the key was changed by the server");
}

// A client was told "busy", or has released, and its command did this.
static void say_own_change(struct words *words, const struct history *history,
                           int client, enum operation operation) {
    size_t asked = history_asked(history, history->count, client, operation);

    for (size_t i = history->count; asked != NOWHERE && i-- > asked;) {
        const struct entry *entry = &history->record->entries[i];
        if (entry->kind == EVENT_RAN && entry->client == client &&
            history->moments[i].change != UNCHANGED) {
            say_change(words, history, i);
            return;
        }
    }
    say(words, "%s's operation left %s under the key",
        history->record->clients[client],
        history_state(history, history->count - 1)->value);
}

static void say_foreign(struct words *words, const struct history *history,
                        int owner) {
    size_t grant = history_grant(history, owner);
    size_t ran = history->count - 1;

    if (grant != NOWHERE && (history->moments[ran].change == GONE ||
                             history->moments[ran].change == OVERWRITTEN))
        say_command_ended(words, history, grant, ran, owner);
    else
        say_change(words, history, ran);
    if (grant != NOWHERE)
        say_knowledge(words, history, ran, grant, owner);
}

// Who had the lock before this client, which got in and should not have.
static int other_holder(const struct history *history, int client) {
    const struct record *record = history->record;
    size_t asked = history_asked(history, history->count, client,
                                 OPERATION_ENTER);
    size_t end = asked == NOWHERE ? NOWHERE : history_result(history, asked);
    size_t latest = NOWHERE;

    if (end == NOWHERE || record->entries[end].result != RESULT_OK)
        return NOBODY;
    for (int i = 0; i < record->client_count; i++) {
        size_t grant = history_grant(history, i);
        if (i != client && grant != NOWHERE &&
            (latest == NOWHERE || grant > latest))
            latest = grant;
    }
    return latest == NOWHERE ? NOBODY : record->entries[latest].client;
}

char *cause_find(const struct record *record,
                 const struct lost_property *lost) {
    struct history history;
    struct words words;

    size_t count = lost->at + 1 < record->entry_count ? lost->at + 1
                                                      : record->entry_count;
    history_open(&history, record, cause_lock(record, lost), count);
    words_open(&words);
    switch (lost->property) {
    case PROPERTY_EXCLUSION:
        say_exclusion(&words, &history, lost->other, lost->client);
        break;
    case PROPERTY_ENTRY:
        if (other_holder(&history, lost->client) != NOBODY)
            say_exclusion(&words, &history,
                          other_holder(&history, lost->client), lost->client);
        else
            say_entry(&words, &history, lost->client);
        break;
    case PROPERTY_KNOWLEDGE:
        say_knowledge_lost(&words, &history, lost->client);
        break;
    case PROPERTY_KEPT:
        say_lost_hold(&words, &history, lost->client);
        break;
    case PROPERTY_BOUNDED:
        say_entry(&words, &history, lost->client);
        break;
    case PROPERTY_TOLD:
        say_told(&words, &history, lost->client);
        break;
    case PROPERTY_RESOURCE:
        say_resource(&words, &history, lost->client, lost->other);
        break;
    case PROPERTY_LOSER:
        say_own_change(&words, &history, lost->client, OPERATION_ENTER);
        break;
    case PROPERTY_FOREIGN:
        say_foreign(&words, &history, lost->other);
        break;
    case PROPERTY_COUNT:
        say_own_change(&words, &history, lost->client, OPERATION_LEAVE);
        break;
    default:
        say_key(&words, &history);
        break;
    }
    history_close(&history);
    return words_close(&words);
}
