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

void judge_add_client(struct judge *judge, const char *name) {
    judge->clients[judge->client_count++].name = name;
}

static void find(struct judge *judge, enum verdict verdict,
                 const char *sentence) {
    if (judge->verdict != VERDICT_HOLDS)
        return;
    judge->verdict = verdict;
    snprintf(judge->sentence, sizeof judge->sentence, "%s", sentence);
}

// "A and B are both inside."
static void check_exclusion(struct judge *judge, int lock) {
    char sentence[sizeof judge->sentence] = "";
    int inside = 0;

    for (int i = 0; i < judge->client_count; i++)
        inside += judge->clients[i].inside[lock];
    if (inside < 2)
        return;
    for (int i = 0, named = 0; i < judge->client_count; i++) {
        size_t used = strlen(sentence);
        if (!judge->clients[i].inside[lock])
            continue;
        named++;
        snprintf(sentence + used, sizeof sentence - used, "%s%s",
                 named == 1 ? "" : named == inside ? " and " : ", ",
                 judge->clients[i].name);
    }
    size_t used = strlen(sentence);
    snprintf(sentence + used, sizeof sentence - used, " are %s inside.",
             inside == 2 ? "both" : "all");
    find(judge, VERDICT_BROKEN, sentence);
}

static void hear_result(struct judge *judge, const struct event *event) {
    bool *inside = &judge->clients[event->client].inside[event->lock_number];

    if (event->operation == OPERATION_ENTER)
        judge->clients[event->client].got_in = event->result == RESULT_OK;
    if (event->operation == OPERATION_HELD)
        judge->clients[event->client].believes = event->result == RESULT_OK;
    if (event->operation == OPERATION_ENTER && event->result == RESULT_OK) {
        *inside = true;
        judge->clients[event->client].entry = ++judge->entries;
    } else if (event->result == RESULT_LOST) {
        *inside = false;
    }
}

// A write has reached what the lock protects.
static void check_write(struct judge *judge, int writer) {
    char sentence[sizeof judge->sentence];

    for (int i = 0; i < judge->client_count; i++) {
        if (judge->clients[i].entry <= judge->clients[writer].entry)
            continue;
        snprintf(sentence, sizeof sentence,
                 "%s's write is accepted after %s has got in.",
                 judge->clients[writer].name, judge->clients[i].name);
        find(judge, VERDICT_BROKEN, sentence);
    }
}

static void put_outside(struct judge *judge, int client) {
    for (int lock = 0; lock < JUDGE_LOCKS; lock++)
        judge->clients[client].inside[lock] = false;
}

void judge_watch(struct judge *judge, const struct event *event) {
    if (event->client < 0)
        return;
    switch (event->kind) {
    case EVENT_RESULT:
        hear_result(judge, event);
        break;
    case EVENT_ASKED: // who leaves for the last time is done with its work
        if (event->operation == OPERATION_LEAVE && event->depth <= 1)
            judge->clients[event->client].inside[event->lock_number] = false;
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
             judge->clients[client].name, when);
    if (!judge->clients[client].got_in)
        find(judge, VERDICT_BROKEN, sentence);
}

void judge_require_knowledge(struct judge *judge, int client) {
    char sentence[sizeof judge->sentence];

    snprintf(sentence, sizeof sentence,
             "%s does not know that its lock is lost.",
             judge->clients[client].name);
    if (judge->clients[client].believes)
        find(judge, VERDICT_BROKEN, sentence);
}

void judge_cannot_happen(struct judge *judge, const char *why) {
    find(judge, VERDICT_CANNOT_HAPPEN, why);
}
