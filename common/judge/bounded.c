// Bounded: a lease and a second after a killed client's last command has run,
// its lock is out of the way. (The second is for clocks that count whole
// seconds.)
#include "facts.h"
#include "property.h"
#include "verdict.h"

// Does a dead client's lock stand longer than it may?
static bool is_overdue(const struct judge *judge) {
    const struct bounded *bounded = &judge->view.bounded;
    int owner = judge->view.owner;

    if (owner < 0 || bounded->skewed || !bounded->clients[owner].dead ||
        !judge_owns(judge, owner))
        return false;
    int64_t lease_ns = judge_longest_lease(judge, owner);
    int64_t usual_ns = judge_usual_lease(judge, owner);
    return judge->now_ns >= bounded->clients[owner].sign_ns + SECOND +
                            (lease_ns > usual_ns ? lease_ns : usual_ns);
}

// (A dead client's lock may keep out others for a lease after its last command,
// and so may a living one's.)
int judge_rightful_holder(const struct judge *judge, int client) {
    const struct view *view = &judge->view;
    int owner = view->owner;

    if ((view->clients[client].got_in && !view->clients[client].waits) ||
        judge->operations[client].lock > 0 || owner < 0 || owner == client ||
        !view->clients[owner].inside[0] || !judge_owns(judge, owner))
        return NOBODY;
    int64_t end_ns = view->bounded.clients[owner].sign_ns +
                     judge_longest_lease(judge, owner);
    return judge->now_ns < end_ns ? owner : NOBODY;
}

static void watch_client(struct judge *judge, const struct event *event) {
    struct bounded *bounded = &judge->view.bounded;
    int client = event->client;
    bool *overdue = &bounded->clients[client].overdue;

    if (event->kind == EVENT_RAN)
        bounded->clients[client].sign_ns = event->time_ns;
    if (event_ends_client(event->kind))
        bounded->clients[client].dead = true;
    if (event->kind == EVENT_ASKED && judge_is_attempt(event))
        *overdue = is_overdue(judge);
    if (event->kind != EVENT_RESULT || !judge_is_attempt(event))
        return;
    if (*overdue && is_overdue(judge) &&
        (event->result == RESULT_BUSY || event->result == RESULT_LOST))
        judge_lose_beside(judge, PROPERTY_BOUNDED, client,
                          "cannot get in: the lock of %s, who was killed, is "
                          "still in the way more than a lease after its last "
                          "command.", judge->names[judge->view.owner]);
    *overdue = false;
}

static void after(struct judge *judge, const struct event *event) {
    judge->view.bounded.skewed |= judge_skews_server(event);
    if (event->client >= 0)
        watch_client(judge, event);
}

const struct property_row property_bounded = {
    .property = PROPERTY_BOUNDED, .after = after};
