// The clients' side, as far as their results say it: which are inside, which
// wait, which hold began later.
//
// A client is inside from its "ok" until it begins to leave, closes its lock,
// dies or ends its work. A client that is asked and says that its lock is lost
// is not inside.
#include "facts.h"

#include "world/depth.h"

bool judge_is_definite(enum result result) {
    return result != RESULT_UNKNOWN && result != RESULT_ERROR;
}

bool judge_is_attempt(const struct event *event) {
    return event->lock_number == 0 && event->operation == OPERATION_ENTER;
}

int judge_count_inside(const struct judge *judge, int lock) {
    int inside = 0;

    for (int i = 0; i < judge->client_count; i++)
        inside += judge->view.clients[i].inside[lock];
    return inside;
}

bool judge_is_disturbance(const struct event *event) {
    switch (event->kind) {
    case EVENT_ASKED: // a reopened handle leaves its lock behind
        return event->operation == OPERATION_REOPEN;
    case EVENT_KILLED:
    case EVENT_CRASHED:
    case EVENT_QUIT:
    case EVENT_HUNG:
    case EVENT_STOPPED:
    case EVENT_CONTINUED:
    case EVENT_REFUSED:
    case EVENT_CUT:
    case EVENT_GAVE_UP:
    case EVENT_ISOLATED:
    case EVENT_RECONNECTED:
    case EVENT_SKEWED:
    case EVENT_SERVER:
        return true;
    default:
        return false;
    }
}

bool judge_is_departure(const struct event *event) {
    switch (event->kind) {
    case EVENT_ASKED: // with the last release the work is done
        return event->operation == OPERATION_REOPEN ||
               (event->operation == OPERATION_LEAVE && event->depth <= 1);
    case EVENT_KILLED:
    case EVENT_CRASHED:
    case EVENT_QUIT:
    case EVENT_HUNG:
    case EVENT_WORK_DONE:
        return true;
    default:
        return false;
    }
}

bool judge_skews_server(const struct event *event) {
    return event->kind == EVENT_SERVER && event->choice &&
           event->choice->kind == CHOOSE_SKEW_SERVER;
}

// Numbers a hold. It begins when a command makes it on the server, which may be
// long before the client hears of it. Where no server shows that, it begins
// with the client's "ok".
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

static void hear_result(struct view *view, const struct event *event) {
    int client = event->client;
    bool *inside = &view->clients[client].inside[event->lock_number];

    view->clients[client].busy = false;
    if (event->operation == OPERATION_ENTER) {
        view->clients[client].tried = true;
        view->clients[client].got_in = event->result == RESULT_OK;
    }
    if (event->operation == OPERATION_HELD)
        view->clients[client].believes = event->result != RESULT_LOST;
    if (judge_is_attempt(event))
        view->clients[client].waits = false;
    count_entry(view, event);
    if (event->operation == OPERATION_ENTER && event->result == RESULT_OK)
        *inside = true;
    else if (depth_is_lost(event->operation, event->result, event->depth))
        *inside = false;
}

static void begin_operation(struct view *view, const struct event *event) {
    int client = event->client;

    view->clients[client].busy = true;
    if (judge_is_attempt(event)) {
        view->clients[client].got_in = false;
        view->clients[client].waits = event->patience_ns > 0;
        view->clients[client].since_ns = event->time_ns;
    }
    if (judge_is_departure(event))
        view->clients[client].inside[event->lock_number] = false;
}

static void put_outside(struct judge *judge, int client) {
    judge->view.clients[client].busy = false;
    judge->operations[client].waits = false;
    for (int lock = 0; lock < JUDGE_LOCKS; lock++)
        judge->view.clients[client].inside[lock] = false;
}

static void note_operation(struct judge *judge, const struct event *event) {
    int client = event->client;

    if (event->kind == EVENT_ASKED) {
        judge->operations[client].refused = false;
        judge->operations[client].waits = event->patience_ns > 0;
        if (event->operation == OPERATION_ENTER)
            judge->operations[client].lock = event->lock_number;
    }
    if (event->kind == EVENT_ANSWER)
        judge->operations[client].refused |= event->answer->is_error;
    if (event->kind == EVENT_SKEWED)
        judge->operations[client].skewed = true;
    if (event->kind == EVENT_RESULT) {
        judge->operations[client].waits = false;
        if (event->operation != OPERATION_HELD)
            judge->operations[client].result = event->result;
    }
}

void judge_follow_clients(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;

    view->disturbed |= judge_is_disturbance(event);
    if (event->client < 0)
        return;
    note_operation(judge, event);
    switch (event->kind) {
    case EVENT_RESULT:
        hear_result(view, event);
        break;
    case EVENT_ASKED:
        begin_operation(view, event);
        break;
    case EVENT_KILLED:
    case EVENT_CRASHED:
    case EVENT_QUIT:
    case EVENT_HUNG:
    case EVENT_WORK_DONE:
        put_outside(judge, event->client);
        break;
    case EVENT_STOPPED:
    case EVENT_CONTINUED:
        view->clients[event->client].stopped = event->kind == EVENT_STOPPED;
        break;
    default:
        break;
    }
    if (event_ends_client(event->kind))
        view->clients[event->client].waits = false;
}
