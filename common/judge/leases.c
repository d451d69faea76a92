// Leases: how long a hold can last, whether a lock renews itself, and which
// clients are prompt, because nothing has hindered them from renewing.
#include "facts.h"

int64_t judge_usual_lease(const struct judge *judge, int client) {
    int64_t other_ns = judge->operations[client].lease_ns;
    return other_ns > 0 ? other_ns : judge->lease_ns;
}

int64_t judge_longest_lease(const struct judge *judge, int client) {
    int64_t lease_ns = judge->view.clients[client].lease_ns;
    return lease_ns > 0 ? lease_ns : judge_usual_lease(judge, client);
}

bool judge_may_be_past(const struct judge *judge, int client) {
    return judge->lock.ttl_ms < 0 &&
           (judge->now_ns >= judge_usual_lease(judge, client) - JUDGE_MARGIN ||
            judge->operations[client].skewed);
}

// The same by any client's clock. (A search does not know which clock was set,
// only whether anything was disturbed.)
static bool may_be_past_for_some(const struct judge *judge) {
    for (int i = 0; i < judge->client_count; i++)
        if (judge_may_be_past(judge, i))
            return true;
    return judge->strict && judge->view.disturbed;
}

bool judge_has_time_left(const struct judge *judge, int client,
                         int64_t since_ns) {
    int64_t end_ns = since_ns + judge_usual_lease(judge, client);
    bool stands = judge->lock.ttl_ms < 0
                      ? judge->lock.exists && !may_be_past_for_some(judge)
                      : judge->lock.ttl_ms > JUDGE_MARGIN / MILLISECOND;

    return stands && judge->now_ns < end_ns - JUDGE_MARGIN;
}

bool judge_is_in_time(const struct judge *judge, int client) {
    const struct view *view = &judge->view;

    return view->clients[client].prompt &&
           judge_has_time_left(judge, client, view->clients[client].gained_ns);
}

// Notes the longest lease that the client's hold can have. A client that is or
// may be inside can have the lease of an earlier attempt. So can a client that
// gave up on an attempt, because the command may still arrive.
static void note_lease(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int client = event->client;

    if (event->lock_number > 0)
        return;
    if (event->operation == OPERATION_REOPEN)
        judge->operations[client].lease_ns = event->ns;
    if (event->operation != OPERATION_ENTER)
        return;
    bool may_have = view->clients[client].inside[0] ||
                    view->clients[client].unsure ||
                    view->clients[client].late_acquires;
    int64_t asked_ns =
        event->ns > 0 ? event->ns : judge_usual_lease(judge, client);
    if (!may_have || asked_ns > view->clients[client].lease_ns)
        view->clients[client].lease_ns = asked_ns;
}

// Does the event show a watchdog: a renewal, or a timer for one?
static bool shows_renewal(const struct judge *judge,
                          const struct event *event) {
    const struct view *view = &judge->view;
    int client = event->client;

    if (event->kind == EVENT_RAN)
        return !view->clients[client].busy && !event->late &&
               view->clients[client].inside[0] && judge_owns(judge, client) &&
               lock_state_gained(&judge->lock, &event->lock);
    return event->kind == EVENT_RESULT && event->operation == OPERATION_ENTER &&
           event->result == RESULT_OK && event->waits;
}

void judge_follow_leases(struct judge *judge, const struct event *event) {
    if (event->client < 0)
        return;
    judge->view.renews |= shows_renewal(judge, event);
    if (event->kind == EVENT_ASKED)
        note_lease(judge, event);
}

// --- prompt clients ----------------------------------------------------------

static void hear_prompt(struct view *view, const struct event *event) {
    int client = event->client;
    bool *prompt = &view->clients[client].prompt;

    if (event->lock_number > 0 || (event->operation != OPERATION_ENTER &&
                                   event->operation != OPERATION_LEAVE))
        return;
    if (event->kind == EVENT_RESULT) {
        view->clients[client].unsure = !judge_is_definite(event->result);
        // A lease of its own length ends without a renewal.
        if (!view->clients[client].inside[0] || event->elsewhere ||
            (event->operation == OPERATION_ENTER && event->ns > 0))
            *prompt = false;
        else if (event->operation == OPERATION_ENTER &&
                 event->result == RESULT_OK)
            view->clients[client].thread = event->thread;
    } else if (event->operation == OPERATION_ENTER &&
               !view->clients[client].inside[0]) {
        *prompt = !view->clients[client].unsure;
    }
}

void judge_follow_prompt(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int client = event->client;

    switch (event->kind) {
    case EVENT_ASKED:
    case EVENT_RESULT:
        hear_prompt(view, event);
        break;
    case EVENT_ANSWER:
        view->clients[client].prompt &= !event->answer->is_error;
        break;
    case EVENT_REFUSED:
    case EVENT_CUT:
    case EVENT_GAVE_UP:
    case EVENT_ISOLATED:
    case EVENT_SKEWED:
    case EVENT_STOPPED:
    case EVENT_HUNG:
    case EVENT_KILLED:
    case EVENT_CRASHED:
    case EVENT_QUIT:
        view->clients[client].prompt = false;
        break;
    case EVENT_CLOCK:
    case EVENT_SERVER:
        for (int i = 0; i < judge->client_count; i++)
            if (event->kind == EVENT_SERVER || event->delayed & 1u << i)
                view->clients[i].prompt = false;
        break;
    default:
        break;
    }
}
