#include "cause_hold.h"

#include "cause_masters.h"

#include <string.h>

size_t end_of_hold(const struct history *history, size_t grant, int client) {
    if (grant == NOWHERE)
        return NOWHERE;
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

// While nobody can look at the server, its entries repeat the last TTL: so the
// lease counts from the first entry that shows this TTL.
int64_t lease_end_ms(const struct history *history, size_t i) {
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

bool ran_out(const struct history *history, size_t end) {
    size_t seen = last_seen(history, end);
    return history_state(history, seen)->ttl_ms >= 0 &&
           history->record->entries[end].time_ns / 1000000 >=
               lease_end_ms(history, seen);
}

bool was_done(const struct history *history, size_t from, size_t to,
              enum choice_kind kind) {
    for (size_t i = from; i < to; i++)
        if (history->record->entries[i].kind == EVENT_SERVER &&
            history->record->entries[i].done == kind)
            return true;
    return false;
}

// The client's command that is on its way to the server at entry `i`; NOWHERE:
// there is none.
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

// Is an answer of the attempt that got the lock still on its way at `end`?
static bool awaits_grant(const struct history *history, size_t grant,
                         size_t end, int client) {
    size_t asked = history_operation(history, grant);
    size_t heard = history_result(history, asked);
    size_t ran = history_last(history, end, client, EVENT_RAN);
    size_t answer = history_last(history, end, client, EVENT_ANSWER);

    return (heard == NOWHERE || heard > end) &&
           (answer == NOWHERE || (ran != NOWHERE && answer < ran));
}

// Was the server, at this time and before entry `end`, in the state that the
// choice `begins` begins and the choice `ends` ends?
static bool server_is(const struct history *history, size_t grant, size_t end,
                      int64_t time_ms, enum choice_kind begins,
                      enum choice_kind ends) {
    bool is = false;

    for (size_t i = grant; i < end; i++) {
        const struct entry *entry = &history->record->entries[i];
        if (entry->kind != EVENT_SERVER || entry->time_ns / 1000000 > time_ms)
            continue;
        is = entry->done == begins || (is && entry->done != ends);
    }
    return is;
}

// " while A was stopped", of the time at which the client's lock ended. Entry
// `end` is the first that shows it.
static void say_meanwhile(struct words *words, const struct history *history,
                          size_t end, size_t grant, int client,
                          int64_t time_ms) {
    const struct record *record = history->record;
    size_t command = on_its_way(history, end, client);
    const char *name = record->clients[client];

    if (server_is(history, grant, end, time_ms, CHOOSE_KILL_SERVER,
                  CHOOSE_START_SERVER))
        say(words, " while the server was down");
    else if (server_is(history, grant, end, time_ms, CHOOSE_STOP_SERVER,
                       CHOOSE_CONTINUE_SERVER))
        say(words, " while the server was stopped");
    else if (awaits_grant(history, grant, end, client))
        say(words, " while the answer that granted it was on its way to %s",
            name);
    else if (history_is_stopped(history, end, client))
        say(words, " while %s was stopped", name);
    else if (history_is_cut_off(history, end, client))
        say(words, " while %s was cut off from the server", name);
    else if (command != NOWHERE) {
        say_request(words, " while ", record, &record->entries[command]);
        say(words, " was on its way");
    } else if (history_last(history, end, client, EVENT_WORK_DONE) ==
               NOWHERE)
        say(words, " while %s was still at work", name);
}

// "; A's … had cut it to 1 s"
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
        say_request(words, "; ", record, entry);
        say(words, " had cut it to ");
        say_span(words, now->ttl_ms);
        return;
    }
}

static void say_restart(struct words *words, const struct history *history,
                        size_t grant, size_t end, int client) {
    const struct record *record = history->record;
    const char *name = record->clients[client];
    size_t killed = grant;

    while (record->entries[killed].kind != EVENT_SERVER ||
           record->entries[killed].done != CHOOSE_KILL_SERVER)
        killed++;
    say_server_name(words, history, &record->entries[killed]);
    say_at(words, " was killed at ", record->entries[killed].time_ns);
    if (has_masters(history)) {
        if (was_done(history, killed, end, CHOOSE_WIPE_DISK))
            say(words, " and started again with an empty disk");
        say_left(words, history, grant, end, client);
    } else if (record->entries[end].done != CHOOSE_START_SERVER)
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
        if (operator_names(entry->text, record->place)) {
            say(words, "an operator's ");
            say_operator(words, entry->text);
            say(words, " removed %s's lock at ", name);
            say_time(words, entry->time_ns);
        } else {
            say(words, "after an operator's ");
            say_operator(words, entry->text);
            say_at(words, " at ", entry->time_ns);
            say(words, " the server no longer had %s's lock", name);
        }
        return;
    case CHOOSE_SKEW_SERVER:
        say_server_name(words, history, entry);
        say(words, "'s clock was moved by %s at ",
            strstr(entry->text, "by ") + 3);
        say_time(words, entry->time_ns);
        if (has_masters(history))
            say_left(words, history, grant, end, client);
        else
            say(words, ", and %s's lease was over by that clock", name);
        return;
    case CHOOSE_KILL_SERVER:
    case CHOOSE_START_SERVER:
        say_restart(words, history, grant, end, client);
        return;
    default:
        say(words, "%s's lock was gone", name);
        if (history->record->replays) { // else the story's time stood still
            say_at(words, " at ", entry->time_ns);
        }
        return;
    }
}

// The last command before `ran`, in the same operation, that read the lock's
// value; or NOWHERE.
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

void say_knowledge(struct words *words, const struct history *history,
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

void say_command_ended(struct words *words, const struct history *history,
                       size_t grant, size_t end, int victim) {
    const struct record *record = history->record;
    const struct entry *command = &record->entries[end];
    size_t sent = history_sent(history, end);
    size_t asked = history_operation(history, end);
    bool own = command->client == victim;
    bool late = sent < grant || record->entries[sent].time_ns <
                                    command->time_ns;

    say_request(words, "", record, command);
    if (late) {
        say_at(words, ", sent at ", record->entries[sent].time_ns);
        if (sent < grant)
            say(words, " before %s got the lock", record->clients[victim]);
        say_at(words, ", ran at ", command->time_ns);
        say(words, " and");
    }
    say(words, " %s %s%s lock",
        history->moments[end].change == GONE ? "removed" : "overwrote",
        own ? "its own" : record->clients[victim], own ? "" : "'s");
    if (!late) {
        say_at(words, " at ", command->time_ns);
    }
    if (own && asked != NOWHERE && record->entries[asked].depth > 1)
        say(words, ", though %s was inside %d times", record->clients[victim],
            record->entries[asked].depth);
    else if (!own && asked != NOWHERE &&
             record->entries[asked].operation == OPERATION_ENTER)
        say_meanwhile(words, history, end, grant, victim,
                      command->time_ns / 1000000);
}

void say_belief(struct words *words, const struct history *history,
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

void say_end(struct words *words, const struct history *history, size_t grant,
             size_t end, int victim) {
    const struct record *record = history->record;
    size_t seen = last_seen(history, end);

    if (ran_out(history, end)) {
        // In real time nobody saw the instant at which the lease ended.
        int64_t ended_ms = record->replays
                               ? lease_end_ms(history, seen)
                               : record->entries[end].time_ns / 1000000 - 1;
        say(words, "%s's lease ended", record->clients[victim]);
        if (record->replays) {
            say_at(words, " at ", ended_ms * 1000000);
        }
        say_meanwhile(words, history, end, grant, victim, ended_ms);
        say_cut_lease(words, history, seen, grant);
    } else if (record->entries[end].kind == EVENT_RAN) {
        say_command_ended(words, history, grant, end, victim);
    } else {
        say_server(words, history, grant, end, victim);
    }
}
