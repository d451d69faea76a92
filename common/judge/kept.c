// Kept: a client that is inside does not lose its lock too early. A lock that
// renews itself stays until the client begins its last release, unless the
// client was hindered. Any other lock stays while much of its lease is left.
// And the client has its lock where the story says that it must.
#include "facts.h"
#include "property.h"
#include "verdict.h"

// Would it be too early to take this client's lock now? (A search does not
// store the beginning of a lease. It knows that none is over within the first
// lease of a run, unless the client asked for a shorter one.)
static bool can_be_robbed(const struct judge *judge, int client) {
    const struct view *view = &judge->view;

    if (!view->clients[client].inside[0])
        return false;
    if (judge->strict)
        return view->clients[client].lease_ns >= judge->lease_ns &&
               judge_has_time_left(judge, client, 0);
    return judge_is_in_time(judge, client);
}

static void see_robbery(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int client = event->client, owner = view->owner;

    if (judge_takes_lock(judge, event) &&
        (!judge->lock.exists || owner != client))
        view->kept.robs[client] = judge->lock.exists && owner >= 0 &&
                                  !event->late && can_be_robbed(judge, owner);
}

// An attempt that got the lock must not have robbed another client of it.
static void check_robbery(struct judge *judge, const struct event *event) {
    const struct view *view = &judge->view;
    int robbed = view->clients[event->client].displaced;

    if (robbed >= 0 && view->owner == event->client &&
        view->kept.robs[event->client] && view->clients[robbed].inside[0])
        judge_lose_beside(judge, PROPERTY_KEPT, robbed,
                          "no longer has its lock, though it is inside and its "
                          "lease is not over: it is %s's.",
                          judge->names[event->client]);
}

static void before(struct judge *judge, const struct event *event) {
    if (event->client < 0)
        return;
    if (event->kind == EVENT_RAN)
        see_robbery(judge, event);
    if (event->kind == EVENT_RESULT && judge_is_attempt(event) &&
        event->result == RESULT_OK)
        check_robbery(judge, event);
}

// Is this the loss of another property: of count, or of foreign?
static bool is_other_loss(const struct judge *judge, const struct event *event,
                          int client) {
    const struct view *view = &judge->view;

    if (event->kind != EVENT_RAN)
        return false;
    return event->client == client
               ? judge->strict && view->clients[client].releases
               : !view->clients[event->client].acquires;
}

static void lose_hold(struct judge *judge, int client) {
    static const char words[] =
        "no longer has its lock, though it is inside and was never late";
    int owner = judge->lock.exists ? judge->view.owner : NOBODY;

    if (owner == NOBODY)
        judge_lose_beside(judge, PROPERTY_KEPT, client, "%s.", words);
    else
        judge_lose_beside(judge, PROPERTY_KEPT, client, "%s: it is %s's.",
                          words, judge->names[owner]);
}

static void after(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;

    for (int i = 0; i < judge->client_count; i++) {
        if (!view->renews || !view->clients[i].inside[0] ||
            !view->clients[i].prompt || judge_may_own(judge, i))
            continue;
        view->clients[i].prompt = false;
        if (!is_other_loss(judge, event, i))
            lose_hold(judge, i);
    }
}

const struct property_row property_kept = {
    .property = PROPERTY_KEPT, .before = before, .after = after};

void judge_require_hold(struct judge *judge, int client) {
    int owner = judge->view.owner;

    if (judge_may_own(judge, client))
        return;
    if (!judge->lock.exists || owner == NOBODY)
        judge_lose(judge, PROPERTY_KEPT, client, "no longer has its lock.");
    else
        judge_lose(judge, PROPERTY_KEPT, client,
                   "no longer has its lock: it is %s's.", judge->names[owner]);
}
