#include "cause.h"

#include "cause_hold.h"
#include "cause_masters.h"
#include "cause_words.h"
#include "history.h"

// --- exclusion ---------------------------------------------------------------

bool asks_server(const struct history *history, int client) {
    size_t asked = history_asked(history, history->count, client,
                                 OPERATION_ENTER);
    size_t end = history_result(history, asked);
    size_t sent = history_last(history, end == NOWHERE ? history->count : end,
                               client, EVENT_REQUEST);

    return asked != NOWHERE && sent != NOWHERE && sent > asked;
}

void say_no_server(struct words *words, const struct history *history,
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

// The client is inside, and nothing that it has done explains it.
static void say_no_grant(struct words *words, const struct history *history,
                         int client) {
    const struct record *record = history->record;
    size_t asked = history_asked(history, history->count, client,
                                 OPERATION_ENTER);
    size_t end = history_result(history, asked);
    const struct lock_state *lock =
        end == NOWHERE ? NULL : history_before(history, end);

    if (lock && lock->first > 0)
        say(words, "%s was let in while %s was the first in the queue",
            record->clients[client], lock->value);
    else
        say(words, "%s was let in by an attempt that changed nothing under "
            "the key %s", record->clients[client], record->place);
}

// The value that was written over the lock at `end` did not stay until
// `second`: this command removed it.
static void say_removed_after(struct words *words,
                              const struct history *history, size_t end,
                              size_t second) {
    const struct entry *entries = history->record->entries;

    if (history->moments[end].change != OVERWRITTEN)
        return;
    for (size_t i = end + 1; i < second; i++)
        if (history->moments[i].change == GONE &&
            entries[i].kind == EVENT_RAN) {
            say_request(words, ". Then ", history->record, &entries[i]);
            say_at(words, " removed the lock at ", entries[i].time_ns);
            return;
        }
}

// The grant at `second` came although the holder of the one at `first` had not
// left.
static void say_overlap(struct words *words, const struct history *history,
                        size_t first, size_t second) {
    const struct record *record = history->record;
    int victim = record->entries[first].client;
    int next = record->entries[second].client;
    size_t end = end_of_hold(history, first, victim);
    if (end == NOWHERE || end > second) {
        say_request(words, "", record, &record->entries[second]);
        say_at(words, " let it in at ", record->entries[second].time_ns);
        say(words, " though %s's lock stood there", record->clients[victim]);
        return;
    }
    say_end(words, history, first, end, victim);
    say_removed_after(words, history, end, second);
    // A command that `next` has only sent by then has not ended the lock.
    if (!history_before(history, second)->exists && end != second &&
        (record->entries[end].client != next ||
         record->entries[end].kind == EVENT_REQUEST))
        say(words, has_masters(history) ? ", and %s got a majority"
                                        : ", and %s found the key free",
            record->clients[next]);
    if (record->entries[end].kind == EVENT_RAN &&
        record->entries[end].client != victim && !ran_out(history, end))
        say_knowledge(words, history, end, first, victim);
    say_belief(words, history, end, victim);
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
        say_no_grant(words, history, first == NOWHERE ? one : other);
        return;
    }
    if (second < first) {
        size_t swapped = first;
        first = second;
        second = swapped;
    }
    if (history_server(history, first, record->entries[first].client) !=
        history_server(history, second, record->entries[second].client)) {
        say_two_servers(words, history, first, second);
        return;
    }
    say_overlap(words, history, first, second);
}

// --- a holder's knowledge, and its writes ------------------------------------

// "A's … was answered 1 at 10.000"
static void say_answered(struct words *words, const struct history *history,
                         size_t ran) {
    const struct entry *command = &history->record->entries[ran];

    say_request(words, "", history->record, command);
    say(words, " was answered %s at ", command->answer);
    say_time(words, command->time_ns);
}

static void say_answer(struct words *words, const struct history *history,
                       size_t ran) {
    say(words, ". ");
    say_answered(words, history, ran);
}

static void say_ignorance(struct words *words, const struct history *history,
                          size_t end, int client) {
    const struct record *record = history->record;
    const char *name = record->clients[client];
    size_t ran = history_last(history, history->count, client, EVENT_RAN);

    if (ran == NOWHERE || ran <= end) {
        say(words, ", and %s has asked the server nothing since", name);
        return;
    }
    say_answer(words, history, ran);
    say(words, ", and %s still said that it held the lock", name);
}

static void say_knowledge_lost(struct words *words,
                               const struct history *history, int client) {
    size_t grant = history_grant(history, client);
    size_t end = end_of_hold(history, grant, client);

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

// The first write of this client that the resource has taken since then, and
// before `i`.
static size_t taken_write(const struct history *history, size_t since, size_t i,
                          int client) {
    for (size_t at = since; at < i; at++) {
        const struct entry *entry = &history->record->entries[at];
        if (entry->kind == EVENT_RAN && entry->client == client &&
            write_is_taken(entry->write))
            return at;
    }
    return NOWHERE;
}

// Why the number in a write did not help: the resource took the write.
static void say_number(struct words *words, const struct history *history,
                       size_t ran, int next, size_t entered) {
    const struct record *record = history->record;
    size_t other = taken_write(history, entered, ran, next);
    bool apart = history_asked(history, ran, record->entries[ran].client,
                               OPERATION_WRITE_APART) != NOWHERE;

    if (other == NOWHERE) {
        say(words, ", before %s had written anything: the resource had seen no "
            "higher number", record->clients[next]);
        return;
    }
    say(words, apart ? ", after %s's "
                     : ", and its number is not lower than that of %s's ",
        record->clients[next]);
    say_command(words, record->entries[other].request);
    say_at(words, " at ", record->entries[other].time_ns);
    if (apart)
        say(words, ". The resource had checked %s's number before that, and "
            "does not check it again",
            record->clients[record->entries[ran].client]);
}

static void say_refusal(struct words *words, const struct history *history) {
    const struct entry *ran = &history->record->entries[history->count - 1];

    say(words, "the resource had been written under a higher number: ");
    say_request(words, "", history->record, ran);
    say(words, " was answered %s at ", ran->answer);
    say_time(words, ran->time_ns);
}

static void say_resource(struct words *words, const struct history *history,
                         int writer, int next) {
    const struct record *record = history->record;
    size_t ran = history->count - 1, sent = history_sent(history, ran);
    size_t grant = history_grant(history, writer);
    size_t entered = history_asked(history, history->count, next,
                                   OPERATION_ENTER);
    size_t end = end_of_hold(history, grant, writer);

    if (sent > entered && end != NOWHERE) {
        say_end(words, history, grant, end, writer);
        say(words, ". ");
    } else if (sent > entered && !asks_server(history, next)) {
        say_no_server(words, history, next);
        say(words, ". ");
    }
    say_request(words, "", record, &record->entries[ran]);
    say_at(words, ", sent at ", record->entries[sent].time_ns);
    if (sent < entered)
        say(words, " before %s got in", record->clients[next]);
    say_at(words, ", reached the resource at ", record->entries[ran].time_ns);
    if (record->entries[ran].write == WRITE_TAKEN)
        say(words, ", and nothing in it says which hold of the lock it belongs "
            "to");
    else
        say_number(words, history, ran, next, entered);
}

// How the client's lock ended, or became another's.
static void say_lost_hold(struct words *words, const struct history *history,
                          int client) {
    const char *name = history->record->clients[client];
    size_t grant = history_grant(history, client);
    size_t end = end_of_hold(history, grant, client);

    if (grant == NOWHERE)
        say(words, "%s had put nothing under the key", name);
    else if (end == NOWHERE)
        say(words, "the lock on the server is not %s's", name);
    else
        say_end(words, history, grant, end, client);
}

// The client said at `end` that its lock is lost, and it was not.
static void say_false_alarm(struct words *words, const struct history *history,
                            size_t end) {
    int64_t ttl_ms = history_state(history, end)->ttl_ms;
    size_t ran = end;

    while (ran > 0 && (history->record->entries[ran].kind != EVENT_RAN ||
                       history->moments[ran].change == UNCHANGED))
        ran--;
    if (history->moments[ran].change != UNCHANGED)
        say_change(words, history, ran);
    say(words, ", and nobody has touched the lock since");
    if (ttl_ms >= 0) {
        say_at(words, ": at ", history->record->entries[end].time_ns);
        say(words, " there are ");
        say_span(words, ttl_ms);
        say(words, " left");
    }
}

// The change by which the client took the lock, though its attempt was answered
// with "busy" or "error".
static void say_own_grant(struct words *words, const struct history *history,
                          int client) {
    size_t i = history->count;

    while (i > 0 && (history->record->entries[i - 1].client != client ||
                     history->moments[i - 1].change == UNCHANGED ||
                     history->moments[i - 1].owner != client))
        i--;
    if (i > 0)
        say_change(words, history, i - 1);
}

// The last command of the operation that ended at `end`, as it ran or was lost.
// NOWHERE: there is none.
static size_t last_command(const struct history *history, size_t end,
                           enum event_kind kind) {
    const struct entry *result = &history->record->entries[end];
    size_t asked =
        history_asked(history, end, result->client, result->operation);
    size_t command = history_last(history, end, result->client, kind);

    return command != NOWHERE && asked != NOWHERE && command > asked ? command
                                                                     : NOWHERE;
}

// The client's result contradicts every answer that the server gave it.
static void say_no_meaning(struct words *words, const struct history *history,
                           size_t end) {
    const struct record *record = history->record;
    size_t ran = last_command(history, end, EVENT_RAN);
    size_t cut = last_command(history, end, EVENT_CUT);

    if (ran != NOWHERE) {
        say_answered(words, history, ran);
    } else if (cut != NOWHERE) {
        say_request(words, "", record, &record->entries[cut]);
        say_at(words, " was lost on its way at ", record->entries[cut].time_ns);
    } else {
        say(words, "%s had sent nothing",
            record->clients[record->entries[end].client]);
    }
}

// Does the result say nothing, or nothing about a release?
static bool has_no_meaning(const struct entry *end) {
    return end->result == RESULT_UNKNOWN || end->result == RESULT_ERROR ||
           (end->result == RESULT_BUSY && end->operation == OPERATION_LEAVE);
}

// The result of the client's last operation, and the truth.
static void say_told(struct words *words, const struct history *history,
                     int client) {
    size_t ran = history_last(history, history->count, client, EVENT_RAN);
    size_t end = history_last(history, history->count, client, EVENT_RESULT);
    const struct entry *last =
        end == NOWHERE ? NULL : &history->record->entries[end];
    bool own = last && history->moments[end].owner == client;

    if (history_last(history, history->count, client, EVENT_CRASHED) !=
        NOWHERE) {
        say(words, "a process that has crashed releases nothing that it has "
            "taken");
        return;
    }
    if (own && last->result == RESULT_LOST &&
        history_state(history, end)->exists) {
        say_false_alarm(words, history, end);
    } else if (own && last->operation == OPERATION_ENTER &&
               (last->result == RESULT_BUSY || last->result == RESULT_ERROR)) {
        say_own_grant(words, history, client);
    } else if (last && has_no_meaning(last)) {
        say_no_meaning(words, history, end);
    } else {
        say_lost_hold(words, history, client);
        if (ran != NOWHERE)
            say_answer(words, history, ran);
    }
}

// The client, which was inside, got in once more when its old hold was over.
// False if that is not how it got in.
static bool say_old_hold(struct words *words, const struct history *history,
                         int client) {
    size_t asked = history_asked(history, history->count, client,
                                 OPERATION_ENTER);
    size_t ran = history_last(history, history->count, client, EVENT_RAN);

    if (asked == NOWHERE || history->record->entries[asked].depth == 0 ||
        ran == NOWHERE || ran < asked)
        return false;
    struct history until = *history;
    until.count = asked;
    size_t grant = history_grant(&until, client);
    size_t end = end_of_hold(&until, grant, client);
    if (end == NOWHERE)
        return false;
    say_end(words, &until, grant, end, client);
    say_answer(words, history, ran);
    return true;
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

// The change that the client's last operation of this kind made to the lock.
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

// The holder before this client, which got in and should not have.
static int other_holder(const struct history *history, int client) {
    const struct record *record = history->record;
    size_t asked = history_asked(history, history->count, client,
                                 OPERATION_ENTER);
    size_t end = history_result(history, asked);
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

// The client's last command waits in a server, or waited there when its
// connection broke. False if it is neither.
static bool say_unanswered(struct words *words, const struct history *history,
                           int client) {
    const struct record *record = history->record;
    size_t waits = history_last(history, history->count, client, EVENT_WAITS);
    size_t ran = history_last(history, history->count, client, EVENT_RAN);
    size_t cut = history_last(history, history->count, client, EVENT_CUT);
    size_t sent = history_last(history, history->count, client, EVENT_REQUEST);

    if (waits == NOWHERE || (ran != NOWHERE && waits < ran))
        return false;
    if (cut != NOWHERE && cut > waits && sent < cut &&
        record->entries[cut].connection == record->entries[waits].connection) {
        say(words, "the connection broke on which %s waited, at ",
            record->clients[client]);
        say_time(words, record->entries[cut].time_ns);
        say(words, ", and %s has not tried again", record->clients[client]);
        return true;
    }
    say_request(words, "the server keeps ", record, &record->entries[waits]);
    say_at(words, ", sent at ",
           record->entries[history_sent(history, waits)].time_ns);
    return true;
}

// This client got in where it should not, or did not get in where it should.
static void say_entry_lost(struct words *words, const struct history *history,
                           int client) {
    int holder = other_holder(history, client);

    if (say_old_hold(words, history, client) ||
        say_unanswered(words, history, client))
        return;
    if (holder != NOBODY)
        say_exclusion(words, history, holder, client);
    else
        say_entry(words, history, client);
}

static void say_loss(struct words *words, const struct history *history,
                     enum property property, int client, int other) {
    switch (property) {
    case PROPERTY_EXCLUSION:
        say_exclusion(words, history, other, client);
        break;
    case PROPERTY_ENTRY:     say_entry_lost(words, history, client); break;
    case PROPERTY_KNOWLEDGE: say_knowledge_lost(words, history, client); break;
    case PROPERTY_RESOURCE:
        if (other == NOBODY)
            say_refusal(words, history);
        else
            say_resource(words, history, client, other);
        break;
    case PROPERTY_LOSER:
        say_own_change(words, history, client, OPERATION_ENTER);
        break;
    case PROPERTY_FOREIGN:   say_foreign(words, history, other); break;
    case PROPERTY_COUNT:
        say_own_change(words, history, client, OPERATION_LEAVE);
        break;
    case PROPERTY_KEPT:      say_lost_hold(words, history, client); break;
    case PROPERTY_TOLD:      say_told(words, history, client); break;
    case PROPERTY_BOUNDED:   say_entry(words, history, client); break;
    case PROPERTY_WAKEUP:    say_wakeup(words, history, client); break;
    case PROPERTY_ORDER:     say_order(words, history, client, other); break;
    case PROPERTY_HERD:      say_herd(words, history); break;
    case PROPERTY_LEAK:      say_leak(words, history, client); break;
    case PROPERTY_PROGRESS:  say_endless(words, history, client); break;
    default:                 say_key(words, history); break;
    }
}

char *cause_find(const struct record *record,
                 const struct lost_property *lost) {
    struct history history;
    struct words words;

    size_t count = lost->at + 1 < record->entry_count ? lost->at + 1
                                                      : record->entry_count;
    history_open(&history, record, cause_lock(record, lost), count);
    words_open(&words);
    say_loss(&words, &history, lost->property, lost->client, lost->other);
    history_close(&history);
    return words_close(&words);
}

const char *cause_beginning(const struct record *record) {
    return record->verdict == VERDICT_HOLDS ? "Held because " : "Lost because ";
}
