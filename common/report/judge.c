#include "judge.h"

#include <stdio.h>
#include <string.h>

const char *verdict_word(enum verdict verdict) {
    static const char *const words[] = {
        [VERDICT_HOLDS] = "HOLDS",
        [VERDICT_BROKEN] = "BROKEN",
        [VERDICT_CANNOT_HAPPEN] = "CANNOT HAPPEN",
    };
    return words[verdict];
}

void judge_open(struct judge *judge) {
    memset(judge, 0, sizeof *judge);
    judge->view.owner = NOBODY;
}

void judge_add_client(struct judge *judge, const char *name) {
    judge->names[judge->client_count++] = name;
}

static void conclude(struct judge *judge, enum verdict verdict,
                     const char *sentence) {
    if (judge->verdict != VERDICT_HOLDS)
        return;
    judge->verdict = verdict;
    snprintf(judge->sentence, sizeof judge->sentence, "%s", sentence);
}

static void find(struct judge *judge, enum property property,
                 const char *sentence) {
    judge->found |= 1u << property;
    conclude(judge, VERDICT_BROKEN, sentence);
}

static const char *name_of(const struct judge *judge, int client) {
    return judge->names[client];
}

// "A and B are both inside."
static void check_exclusion(struct judge *judge, int lock) {
    char sentence[sizeof judge->sentence] = "";
    int inside = 0;

    if (judge->writes_only)
        return;
    for (int i = 0; i < judge->client_count; i++)
        inside += judge->view.clients[i].inside[lock];
    if (inside < 2)
        return;
    for (int i = 0, named = 0; i < judge->client_count; i++) {
        size_t used = strlen(sentence);
        if (!judge->view.clients[i].inside[lock])
            continue;
        named++;
        snprintf(sentence + used, sizeof sentence - used, "%s%s",
                 named == 1 ? "" : named == inside ? " and " : ", ",
                 name_of(judge, i));
    }
    size_t used = strlen(sentence);
    snprintf(sentence + used, sizeof sentence - used, " are %s inside.",
             inside == 2 ? "both" : "all");
    find(judge, PROPERTY_EXCLUSION, sentence);
}

static void hear_result(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    bool *inside = &view->clients[event->client].inside[event->lock_number];

    if (event->operation == OPERATION_ENTER) {
        view->clients[event->client].tried = true;
        view->clients[event->client].got_in = event->result == RESULT_OK;
    }
    if (event->operation == OPERATION_HELD)
        view->clients[event->client].believes = event->result != RESULT_LOST;
    if (event->operation == OPERATION_ENTER && event->result == RESULT_OK) {
        *inside = true;
        view->clients[event->client].entry = ++view->entries;
    } else if (event->result == RESULT_LOST) {
        *inside = false;
    }
}

// A write has reached what the lock protects.
static void check_write(struct judge *judge, int writer) {
    char sentence[sizeof judge->sentence];

    for (int i = 0; i < judge->client_count; i++) {
        if (judge->view.clients[i].entry <= judge->view.clients[writer].entry)
            continue;
        snprintf(sentence, sizeof sentence,
                 "%s's write is accepted after %s has got in.",
                 name_of(judge, writer), name_of(judge, i));
        find(judge, PROPERTY_RESOURCE, sentence);
    }
}

static void put_outside(struct judge *judge, int client) {
    for (int lock = 0; lock < JUDGE_LOCKS; lock++)
        judge->view.clients[client].inside[lock] = false;
}

// --- what leads to a loss ----------------------------------------------------

static void accuse(struct judge *judge, enum property property, int client,
                   const char *what) {
    char sentence[sizeof judge->sentence];

    if (!judge->strict)
        return;
    snprintf(sentence, sizeof sentence, "%s%s", name_of(judge, client), what);
    find(judge, property, sentence);
}

static bool same_lock(const struct lock_state *one,
                      const struct lock_state *other) {
    return one->exists == other->exists &&
           (!one->exists || (one->ttl_ms == other->ttl_ms &&
                             strcmp(one->value, other->value) == 0));
}

// A command has changed the lock: whose was it?
static void see_change(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int actor = event->client, owner = view->owner;
    char what[64];

    if (view->clients[actor].acquires) {
        // To its own lock an owner may do what it likes, also its watchdog.
        view->clients[actor].changed |=
            owner != actor || !view->clients[actor].inside[0];
        view->owner = actor;
        return;
    }
    if (owner != NOBODY && owner != actor && view->clients[owner].inside[0]) {
        snprintf(what, sizeof what, "'s %s changes the lock of %s, who is "
                 "inside.", view->clients[actor].releases ? "release"
                                                          : "renewal",
                 name_of(judge, owner));
        accuse(judge, PROPERTY_FOREIGN, actor, what);
    }
    if (owner == actor && view->clients[actor].releases &&
        view->clients[actor].depth > 1 && !event->lock.exists)
        accuse(judge, PROPERTY_COUNT, actor,
               " leaves once of twice, and the lock is gone.");
}

static void begin_operation(struct view *view, const struct event *event) {
    if (event->lock_number > 0)
        return;
    view->clients[event->client].acquires = event->operation == OPERATION_ENTER;
    view->clients[event->client].releases = event->operation == OPERATION_LEAVE;
    view->clients[event->client].changed = false;
    view->clients[event->client].depth = event->depth;
}

static void end_operation(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int actor = event->client;

    if (event->operation == OPERATION_ENTER && view->clients[actor].changed &&
        event->result == RESULT_BUSY)
        accuse(judge, PROPERTY_LOSER, actor,
               " is told busy and has changed the lock.");
    if (event->operation == OPERATION_LEAVE && event->result == RESULT_OK &&
        event->depth == 0 && view->owner == actor && event->lock.exists)
        accuse(judge, PROPERTY_COUNT, actor,
               " has left for the last time, and the lock is still there.");
    if (event->operation != OPERATION_HELD) {
        view->clients[actor].acquires = false;
        view->clients[actor].releases = false;
    }
}

static void watch_lock(struct judge *judge, const struct event *event) {
    if (event->kind == EVENT_ASKED)
        begin_operation(&judge->view, event);
    if (event->kind == EVENT_RAN && !same_lock(&judge->lock, &event->lock))
        see_change(judge, event);
    if (event->kind == EVENT_RESULT && event->lock_number == 0)
        end_operation(judge, event);
    judge->lock = event->lock;
}

// --- events ------------------------------------------------------------------

void judge_watch(struct judge *judge, const struct event *event) {
    if (event->client < 0) {
        judge->lock = event->lock;
        return;
    }
    watch_lock(judge, event);
    switch (event->kind) {
    case EVENT_RESULT:
        hear_result(judge, event);
        break;
    case EVENT_ASKED: // who leaves for the last time is done with its work
        if (event->operation == OPERATION_LEAVE && event->depth <= 1)
            judge->view.clients[event->client].inside[event->lock_number] =
                false;
        break;
    case EVENT_RAN:
        if (event->resource)
            check_write(judge, event->client);
        break;
    case EVENT_KILLED:
    case EVENT_WORK_DONE:
    case EVENT_HUNG:
        put_outside(judge, event->client);
        break;
    default:
        break;
    }
    for (int lock = 0; lock < JUDGE_LOCKS; lock++)
        check_exclusion(judge, lock);
}

void judge_require_entry(struct judge *judge, int client, const char *when) {
    char sentence[sizeof judge->sentence];

    snprintf(sentence, sizeof sentence, "%s cannot get in %s.",
             name_of(judge, client), when);
    if (!judge->view.clients[client].got_in)
        find(judge, PROPERTY_ENTRY, sentence);
}

void judge_require_refusal(struct judge *judge, int client, const char *when) {
    char sentence[sizeof judge->sentence];

    snprintf(sentence, sizeof sentence, "%s gets in %s.",
             name_of(judge, client), when);
    if (judge->view.clients[client].got_in)
        find(judge, PROPERTY_ENTRY, sentence);
}

void judge_keep(struct judge *judge) {
    judge->kept = judge->lock;
}

void judge_require_kept(struct judge *judge) {
    if (!same_lock(&judge->lock, &judge->kept))
        find(judge, PROPERTY_KEY,
             "what somebody else keeps under the key is not as it was.");
}

void judge_writes_only(struct judge *judge) {
    judge->writes_only = true;
}

void judge_require_knowledge(struct judge *judge, int client) {
    char sentence[sizeof judge->sentence];

    snprintf(sentence, sizeof sentence,
             "%s does not know that its lock is lost.",
             name_of(judge, client));
    if (judge->view.clients[client].believes)
        find(judge, PROPERTY_KNOWLEDGE, sentence);
}

void judge_cannot_happen(struct judge *judge, const char *why) {
    conclude(judge, VERDICT_CANNOT_HAPPEN, why);
}
