#include "judge.h"

#include "judge_parts.h"

#include "base/units.h"
#include "world/depth.h"

#include <stdio.h>
#include <string.h>

const char *verdict_word(enum verdict verdict) {
    static const char *const words[] = {
        [VERDICT_HOLDS] = "HOLDS",
        [VERDICT_BROKEN] = "BROKEN",
        [VERDICT_CANNOT_HAPPEN] = "CANNOT HAPPEN",
        [VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
    };
    return words[verdict];
}

int verdict_status(enum verdict verdict) {
    static const int statuses[] = {
        [VERDICT_HOLDS] = 0,
        [VERDICT_BROKEN] = 1,
        [VERDICT_CANNOT_HAPPEN] = 0,
        [VERDICT_INCONCLUSIVE] = 3,
    };
    return statuses[verdict];
}

void judge_open(struct judge *judge) {
    memset(judge, 0, sizeof *judge);
    judge->lease_ns = LEASE;
    judge_open_view(&judge->view);
}

void judge_add_client(struct judge *judge, const char *name) {
    judge->operations[judge->client_count].grant.ok_ns = -1;
    judge->names[judge->client_count++] = name;
}

static void conclude(struct judge *judge, enum verdict verdict,
                     const char *sentence) {
    judge->verdict = verdict;
    snprintf(judge->sentence, sizeof judge->sentence, "%s", sentence);
}

void judge_find(struct judge *judge, struct lost_property lost,
                const char *sentence) {
    bool conclusive = lost.property != PROPERTY_ENTRY &&
                      lost.property != PROPERTY_KNOWLEDGE &&
                      lost.property != PROPERTY_WAKEUP &&
                      lost.property != PROPERTY_TOLD;

    judge->found |= 1u << lost.property;
    if (judge->gave_up)
        return;
    if (judge->verdict != VERDICT_HOLDS &&
        (judge->verdict != VERDICT_INCONCLUSIVE || !conclusive))
        return;
    judge->lost = lost;
    judge->lost.at = judge->watched > 0 ? judge->watched - 1 : 0;
    conclude(judge, VERDICT_BROKEN, sentence);
}

void judge_find_more(struct judge *judge, struct lost_property lost,
                     const char *sentence) {
    if (judge->verdict == VERDICT_BROKEN &&
        judge->lost.property == lost.property)
        judge->verdict = VERDICT_HOLDS; // until the next line
    judge_find(judge, lost, sentence);
}

const char *judge_name(const struct judge *judge, int client) {
    return judge->names[client];
}

// --- exclusion ---------------------------------------------------------------

int judge_count_inside(const struct judge *judge, int lock) {
    int inside = 0;

    for (int i = 0; i < judge->client_count; i++)
        inside += judge->view.clients[i].inside[lock];
    return inside;
}

// Of those whose being inside matters.
static int count_inside(const struct judge *judge, int lock) {
    return judge->writes_only ? 0 : judge_count_inside(judge, lock);
}

// "A and B are both inside."
static void lose_exclusion(struct judge *judge, int lock) {
    char sentence[sizeof judge->sentence] = "";
    int inside = count_inside(judge, lock), first = NOBODY, last = NOBODY;

    for (int i = 0, named = 0; i < judge->client_count; i++) {
        size_t used = strlen(sentence);
        if (!judge->view.clients[i].inside[lock])
            continue;
        named++;
        first = first == NOBODY ? i : first;
        last = i;
        snprintf(sentence + used, sizeof sentence - used, "%s%s",
                 named == 1 ? "" : named == inside ? " and " : ", ",
                 judge_name(judge, i));
    }
    size_t used = strlen(sentence);
    snprintf(sentence + used, sizeof sentence - used, " are %s inside.",
             inside == 2 ? "both" : "all");
    judge_find(judge,
         (struct lost_property){PROPERTY_EXCLUSION, last, first, lock, 0},
         sentence);
}

// Two clients are inside. Is there one that the judge still has to ask?
static bool is_in_doubt(const struct judge *judge, int lock) {
    for (int i = 0; i < judge->client_count; i++)
        if (judge->view.clients[i].inside[lock] &&
            !judge->view.clients[i].confirmed[lock] &&
            !judge->view.clients[i].stopped)
            return true;
    return false;
}

static void check_exclusion(struct judge *judge, int lock) {
    if (count_inside(judge, lock) < 2)
        for (int i = 0; i < judge->client_count; i++)
            judge->view.clients[i].confirmed[lock] = false;
    else if (!is_in_doubt(judge, lock))
        lose_exclusion(judge, lock);
}

int judge_next_to_ask(const struct judge *judge, int *lock) {
    if (judge->found & 1u << PROPERTY_EXCLUSION)
        return NOBODY;
    for (*lock = 0; *lock < JUDGE_LOCKS; ++*lock)
        for (int i = 0; i < judge->client_count; i++)
            if (count_inside(judge, *lock) > 1 &&
                judge->view.clients[i].inside[*lock] &&
                !judge->view.clients[i].confirmed[*lock] &&
                !judge->view.clients[i].stopped &&
                !judge->view.clients[i].busy)
                return i;
    return NOBODY;
}

// Whoever is inside and could not be asked until now counts as inside.
static void end_doubt(struct judge *judge) {
    for (int lock = 0; lock < JUDGE_LOCKS; lock++)
        if (count_inside(judge, lock) > 1)
            lose_exclusion(judge, lock);
}

void judge_close(struct judge *judge) {
    end_doubt(judge);
    judge_count_beside(judge);
}

// --- entry -------------------------------------------------------------------

// While an attempt is under way the lock may become somebody else's, and time
// that passes may end a lease.
static void end_freedom(struct judge *judge) {
    for (int i = 0; i < judge->client_count; i++)
        judge->view.clients[i].free = false;
}

static void disturb(struct judge *judge) {
    judge->view.disturbed = true;
    end_freedom(judge);
}

bool judge_lock_is_free(const struct view *view) {
    if (!view->used)
        return true;
    for (int i = 0; i < JUDGE_CLIENTS; i++)
        if (view->clients[i].involved)
            return false;
    return !view->disturbed;
}

static void begin_attempt(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    bool free = judge_lock_is_free(view);

    end_freedom(judge);
    view->clients[event->client].free = event->reachable && free;
    view->used = true;
    view->clients[event->client].got_in = false;
    view->clients[event->client].involved = true;
}

// Until it has ended, a release may take the lock away, whoever sent it.
static void begin_release(struct judge *judge, int client) {
    end_freedom(judge);
    judge->view.used = true;
    judge->view.clients[client].involved = true;
}

static void end_attempt(struct judge *judge, int client, enum result result) {
    char sentence[sizeof judge->sentence];
    bool *free = &judge->view.clients[client].free;

    snprintf(sentence, sizeof sentence,
             "%s cannot get in, though the lock is free and nothing is wrong.",
             judge_name(judge, client));
    if (*free && (result == RESULT_BUSY || result == RESULT_LOST))
        judge_find(judge,
                   (struct lost_property){PROPERTY_ENTRY, client, NOBODY, 0, 0},
                   sentence);
    *free = false;
}

static void watch_entry(struct judge *judge, const struct event *event) {
    bool *involved = &judge->view.clients[event->client].involved;

    if (event->lock_number > 0)
        return;
    if (event->kind == EVENT_ASKED && event->operation == OPERATION_ENTER)
        begin_attempt(judge, event);
    if (event->kind == EVENT_ASKED && event->operation == OPERATION_LEAVE)
        begin_release(judge, event->client);
    if (event->kind == EVENT_SLEEPS)
        end_attempt(judge, event->client, RESULT_BUSY);
    if (event->kind != EVENT_RESULT || event->operation == OPERATION_HELD ||
        operation_writes(event->operation))
        return;
    if (event->operation == OPERATION_ENTER)
        end_attempt(judge, event->client, event->result);
    if (event->depth == 0 && judge_is_definite(event->result))
        *involved = false;
}

// --- what tells nothing ------------------------------------------------------

void judge_see_nothing(struct judge *judge, int client, const char *what) {
    char sentence[sizeof judge->sentence];

    snprintf(sentence, sizeof sentence, "%s %s", judge_name(judge, client), what);
    if (judge->verdict == VERDICT_HOLDS)
        conclude(judge, VERDICT_INCONCLUSIVE, sentence);
}

static void watch_answer(struct judge *judge, const struct event *event) {
    int client = event->client;

    if (event->operation != OPERATION_HELD)
        judge->operations[client].result = event->result;
    else
        return; // anything but "lost" means that it does not know of a loss
    if (operation_writes(event->operation) && event->result == RESULT_OK &&
        !judge->operations[client].written)
        judge_see_nothing(judge, client,
                          "says that it has written, and nothing has reached "
                          "the server.");
    if (judge_finds_no_answer(judge, event))
        return;
    if (judge_is_definite(event->result) || !event->all_reachable ||
        judge->operations[client].troubled ||
        (judge->operations[client].refused && judge->server_touched))
        return;
    judge_see_nothing(judge, client,
                      event->result == RESULT_ERROR
                      ? "hears an error that the story has not caused."
                      : "hears nothing, and the story has not caused that.");
}

static void watch_trouble(struct judge *judge, const struct event *event) {
    int client = event->client;

    switch (event->kind) {
    case EVENT_ASKED:
        judge->operations[client].troubled = !event->all_reachable;
        judge->operations[client].refused = false;
        judge->operations[client].written = false;
        judge->operations[client].had_it = judge_may_own(judge, client);
        if (event->operation == OPERATION_ENTER)
            judge->operations[client].lock = event->lock_number;
        judge->operations[client].waits = event->patience_ns > 0;
        break;
    case EVENT_RAN:
        judge->operations[client].written |= write_is_taken(event->write);
        break;
    case EVENT_ANSWER:
        judge->operations[client].refused |= event->answer->is_error;
        break;
    case EVENT_SKEWED:
        judge->operations[client].skewed = true;
        break;
    case EVENT_REFUSED:
    case EVENT_CUT:
    case EVENT_GAVE_UP:
    case EVENT_ISOLATED:
        judge->operations[client].troubled = true;
        break;
    case EVENT_RESULT:
        judge->operations[client].waits = false;
        watch_answer(judge, event);
        break;
    default:
        break;
    }
}

static enum hearing hear(const struct message *answer) {
    if (!answer || !answer->is_error)
        return HEARD_ANSWER;
    return strncmp(answer->text, "NOSCRIPT", strlen("NOSCRIPT")) == 0
               ? HEARD_NOSCRIPT : HEARD_ERROR;
}

static void watch_hearing(struct judge *judge, const struct event *event) {
    unsigned *hearing = &judge->view.clients[event->client].hearing;

    switch (event->kind) {
    case EVENT_ASKED:
        *hearing = HEARD_NOTHING;
        break;
    case EVENT_RAN:
        *hearing |= hear(event->answer);
        break;
    case EVENT_CUT:
    case EVENT_GAVE_UP:
        *hearing |= HEARD_LOSS;
        break;
    default:
        break;
    }
}

static void watch_server(struct judge *judge, const struct event *event) {
    judge_watch_server_lock(judge, event);
    if (event->kind == EVENT_CLOCK)
        end_freedom(judge);
    for (int i = 0; i < judge->client_count; i++)
        judge->operations[i].troubled |= event->delayed >> i & 1;
    if (event->kind != EVENT_SERVER)
        return;
    disturb(judge);
    judge->server_touched = true;
    judge->view.used |= event->operated;
    bool skewed = event->choice && event->choice->kind == CHOOSE_SKEW_SERVER;
    for (int i = 0; i < judge->client_count; i++) {
        judge->operations[i].troubled = true;
        judge->operations[i].grant.ok_ns = -1;
        if (!skewed)
            judge->view.clients[i].hearing |= HEARD_TROUBLE;
    }
}

// --- events ------------------------------------------------------------------

// A hold begins when a command makes it on the server, which may be long before
// its client is told; where no server shows it, when the client is told.
static void count_entry(struct view *view, const struct event *event) {
    int *claim = &view->clients[event->client].claim;

    if (!judge_is_definite(event->result) || event->lock_number > 0 ||
        event->operation == OPERATION_HELD ||
        operation_writes(event->operation))
        return;
    if (event->operation == OPERATION_ENTER && event->result == RESULT_OK &&
        (*claim || event->depth == 1))
        view->clients[event->client].entry =
            *claim ? *claim : ++view->entries;
    *claim = 0;
}

static void hear_result(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    bool *inside = &view->clients[event->client].inside[event->lock_number];

    if (event->operation == OPERATION_ENTER) {
        view->clients[event->client].tried = true;
        view->clients[event->client].got_in = event->result == RESULT_OK;
    }
    if (event->operation == OPERATION_HELD) {
        view->clients[event->client].believes = event->result != RESULT_LOST;
        view->clients[event->client].confirmed[event->lock_number] = true;
    }
    count_entry(view, event);
    if (event->operation == OPERATION_ENTER && event->result == RESULT_OK)
        *inside = true;
    else if (depth_is_lost(event->operation, event->result, event->depth))
        *inside = false;
}

// What the lock protects has taken a write.
static void check_write(struct judge *judge, int writer) {
    char sentence[sizeof judge->sentence];

    for (int i = 0; i < judge->client_count; i++) {
        if (judge->view.clients[i].entry <= judge->view.clients[writer].entry)
            continue;
        snprintf(sentence, sizeof sentence,
                 "%s's write is accepted after %s has got in.",
                 judge_name(judge, writer), judge_name(judge, i));
        judge_find(judge,
                   (struct lost_property){PROPERTY_RESOURCE, writer, i, 0, 0},
                   sentence);
    }
}

// It has refused one. Who was the last to get in, and has the lock, may write.
static void check_refusal(struct judge *judge, int writer) {
    char sentence[sizeof judge->sentence];
    const struct view *view = &judge->view;

    if (!view->clients[writer].inside[0] || !judge_owns(judge, writer))
        return;
    for (int i = 0; i < judge->client_count; i++)
        if (view->clients[i].entry > view->clients[writer].entry ||
            view->clients[i].claim > view->clients[writer].entry)
            return;
    snprintf(sentence, sizeof sentence,
             "%s's write is refused, though nobody has got in after %s.",
             judge_name(judge, writer), judge_name(judge, writer));
    judge_find(judge,
               (struct lost_property){PROPERTY_RESOURCE, writer, NOBODY, 0, 0},
               sentence);
}

static void put_outside(struct judge *judge, int client) {
    end_doubt(judge);
    judge->view.clients[client].busy = false;
    judge->operations[client].waits = false;
    for (int lock = 0; lock < JUDGE_LOCKS; lock++)
        judge->view.clients[client].inside[lock] = false;
}

// --- all of it ---------------------------------------------------------------

static void watch_write(struct judge *judge, const struct event *event) {
    if (write_is_taken(event->write))
        check_write(judge, event->client);
    if (event->write == WRITE_REFUSED)
        check_refusal(judge, event->client);
}

static void watch_client(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;

    switch (event->kind) {
    case EVENT_RESULT:
        view->clients[event->client].busy = false;
        hear_result(judge, event);
        break;
    case EVENT_ASKED: // who leaves for the last time is done with its work
        view->clients[event->client].busy = true;
        if (event->operation == OPERATION_REOPEN)
            disturb(judge); // what it leaves behind is in the way
        else if (event->operation != OPERATION_LEAVE || event->depth > 1)
            break;
        end_doubt(judge);
        view->clients[event->client].inside[event->lock_number] = false;
        break;
    case EVENT_RAN:
        watch_write(judge, event);
        break;
    case EVENT_KILLED:
    case EVENT_CRASHED:
    case EVENT_HUNG:
        disturb(judge);
        // fall through
    case EVENT_WORK_DONE:
        put_outside(judge, event->client);
        break;
    case EVENT_STOPPED:
    case EVENT_CONTINUED:
        view->clients[event->client].stopped = event->kind == EVENT_STOPPED;
        disturb(judge);
        break;
    case EVENT_REFUSED:
    case EVENT_CUT:
    case EVENT_GAVE_UP:
    case EVENT_ISOLATED:
    case EVENT_RECONNECTED:
    case EVENT_SKEWED:
        disturb(judge);
        break;
    default:
        break;
    }
}

void judge_watch(struct judge *judge, const struct event *event) {
    judge->watched++;
    judge->now_ns = event->time_ns;
    if (event->client < 0) {
        watch_server(judge, event);
        judge_watch_promises(judge, event);
        judge_watch_waiting(judge, event);
        return;
    }
    judge_watch_deeds(judge, event);
    judge_watch_lock(judge, event);
    watch_entry(judge, event);
    watch_hearing(judge, event);
    watch_trouble(judge, event);
    watch_client(judge, event);
    judge_watch_promises(judge, event);
    judge_watch_waiting(judge, event);
    for (int lock = 0; lock < JUDGE_LOCKS; lock++)
        check_exclusion(judge, lock);
}

void judge_require_entry(struct judge *judge, int client, const char *when) {
    bool waits = judge->operations[client].waits;
    char sentence[sizeof judge->sentence];

    snprintf(sentence, sizeof sentence,
             waits ? "%s still waits %s." : "%s cannot get in %s.",
             judge_name(judge, client), when);
    if (waits || !judge->view.clients[client].got_in)
        judge_find(judge,
                   (struct lost_property){waits ? PROPERTY_WAKEUP
                                                : PROPERTY_ENTRY,
                                          client, NOBODY, 0, 0},
                   sentence);
}

void judge_require_refusal(struct judge *judge, int client, const char *when) {
    char sentence[sizeof judge->sentence];
    bool waits = judge->operations[client].waits;

    snprintf(sentence, sizeof sentence,
             waits ? "%s still waits %s." : "%s gets in %s.",
             judge_name(judge, client), when);
    if (judge->view.clients[client].got_in || waits)
        judge_find(judge,
                   (struct lost_property){PROPERTY_ENTRY, client, NOBODY, 0, 0},
                   sentence);
}

void judge_keep(struct judge *judge) {
    judge->kept = judge->lock;
}

void judge_require_kept(struct judge *judge) {
    if (!judge_same_lock(&judge->lock, &judge->kept))
        judge_find(judge,
                   (struct lost_property){PROPERTY_KEY, NOBODY, NOBODY, 0, 0},
                   "what somebody else keeps under the key is not as it was.");
}

void judge_writes_only(struct judge *judge) {
    judge->writes_only = true;
}

void judge_require_knowledge(struct judge *judge, int client) {
    char sentence[sizeof judge->sentence];

    snprintf(sentence, sizeof sentence,
             "%s does not know that its lock is lost.",
             judge_name(judge, client));
    if (judge->view.clients[client].believes)
        judge_find(judge,
                   (struct lost_property){PROPERTY_KNOWLEDGE, client, NOBODY, 0,
                                          0},
                   sentence);
}

void judge_give_up(struct judge *judge, const char *why) {
    conclude(judge, VERDICT_INCONCLUSIVE, why);
    judge->gave_up = true;
}

void judge_cannot_happen(struct judge *judge, const char *why) {
    if (judge->verdict == VERDICT_HOLDS)
        conclude(judge, VERDICT_CANNOT_HAPPEN, why);
}
