// Entry: a free lock lets in a client that asks. A client gets in where the
// story says that it must, and does not where it must not. No server keeps a
// client from opening its lock. To a strict judge, an owner that asks again,
// while its lock stands, gets in as well.
//
// A lock is free as long as no client has asked for it and no operator has done
// anything to the server. It is free again when all clients that asked have
// been told that they are outside, and nothing has gone wrong in this run.
#include "facts.h"
#include "property.h"
#include "verdict.h"

bool judge_lock_is_free(const struct view *view) {
    if (!view->entry.used)
        return true;
    for (int i = 0; i < JUDGE_CLIENTS; i++)
        if (view->entry.clients[i].involved)
            return false;
    return !view->disturbed;
}

// The lock may not be free any more. While an attempt is under way another one
// may take the lock, a release may remove it, and time may end a lease.
static void end_freedom(struct view *view) {
    for (int i = 0; i < JUDGE_CLIENTS; i++)
        view->entry.clients[i].free = false;
}

static void begin_operation(struct view *view, const struct event *event) {
    bool free = event->operation == OPERATION_ENTER && event->reachable &&
                judge_lock_is_free(view);

    if (event->operation != OPERATION_ENTER &&
        event->operation != OPERATION_LEAVE)
        return;
    end_freedom(view);
    view->entry.clients[event->client].free = free;
    view->entry.clients[event->client].involved = true;
    view->entry.used = true;
}

static void end_attempt(struct judge *judge, int client, enum result result) {
    bool *free = &judge->view.entry.clients[client].free;

    if (*free && (result == RESULT_BUSY || result == RESULT_LOST))
        judge_lose(judge, PROPERTY_ENTRY, client,
                   "cannot get in, though nobody has the lock and nothing has "
                   "gone wrong.");
    *free = false;
}

static void watch_client(struct judge *judge, const struct event *event) {
    if (event->kind == EVENT_ASKED)
        begin_operation(&judge->view, event);
    if (event->kind == EVENT_SLEEPS)
        end_attempt(judge, event->client, RESULT_BUSY);
    if (event->kind != EVENT_RESULT || event->operation == OPERATION_HELD ||
        operation_writes(event->operation))
        return;
    if (event->operation == OPERATION_ENTER)
        end_attempt(judge, event->client, event->result);
    if (event->depth == 0 && judge_is_definite(event->result))
        judge->view.entry.clients[event->client].involved = false;
}

static void before(struct judge *judge, const struct event *event) {
    if (judge->strict && event->client >= 0 && event->kind == EVENT_RESULT &&
        judge_is_attempt(event) && event->depth > 0 &&
        (event->result == RESULT_BUSY || event->result == RESULT_LOST) &&
        judge->view.clients[event->client].inside[0] &&
        judge_owns(judge, event->client))
        judge_lose(judge, PROPERTY_ENTRY, event->client,
                   "is inside, asks again and does not get in.");
}

static void after(struct judge *judge, const struct event *event) {
    if (judge_is_disturbance(event) || event->kind == EVENT_CLOCK)
        end_freedom(&judge->view);
    if (event->kind == EVENT_SERVER)
        judge->view.entry.used |= event->operated;
    if (event->client >= 0 && event->lock_number == 0)
        watch_client(judge, event);
}

const struct property_row property_entry = {
    .property = PROPERTY_ENTRY, .before = before, .after = after};

// --- stories -----------------------------------------------------------------

void judge_require_entry(struct judge *judge, int client, const char *when) {
    if (judge->operations[client].waits)
        judge_lose(judge, PROPERTY_WAKEUP, client, "still waits %s.", when);
    else if (!judge->view.clients[client].got_in)
        judge_lose(judge, PROPERTY_ENTRY, client, "cannot get in %s.", when);
    else
        judge_meet(judge, PROPERTY_ENTRY, client);
}

void judge_require_refusal(struct judge *judge, int client, const char *when) {
    bool waits = judge->operations[client].waits;

    if (judge->view.clients[client].got_in || waits)
        judge_lose(judge, PROPERTY_ENTRY, client,
                   waits ? "still waits %s." : "gets in %s.", when);
    else
        judge_meet(judge, PROPERTY_EXCLUSION, client);
}

void judge_lose_opening(struct judge *judge, int client) {
    judge_lose(judge, PROPERTY_ENTRY, client,
               "cannot even open the lock: the server keeps what it has sent.");
}
