// Order: of the clients that wait, the one that has waited longest gets in
// first.
#include "facts.h"
#include "property.h"
#include "verdict.h"

// The client that has waited longest, of those that began before this time; or
// NOBODY.
static int longest(const struct view *view, int64_t before_ns) {
    int found = NOBODY;

    for (int i = 0; i < JUDGE_CLIENTS; i++)
        if (view->clients[i].waits && view->clients[i].since_ns < before_ns) {
            found = i;
            before_ns = view->clients[i].since_ns;
        }
    return found;
}

static void check_order(struct judge *judge, int client) {
    const struct view *view = &judge->view;
    int waiter = longest(view, view->clients[client].since_ns);
    char time[SPAN_WORDS];

    if (!judge->order.asked || waiter == NOBODY)
        return;
    int times = ++judge->order.overtaken[waiter];
    span_words(judge->now_ns - view->clients[waiter].since_ns, time);
    judge_find_more(judge,
                    (struct lost_property){PROPERTY_ORDER, client, waiter, 0,
                                           0},
                    times == 1 ? "%s has waited for %s, and %s gets in before "
                                 "it."
                               : "%s has waited for %s, and %s gets in before "
                                 "it: that makes %d times.",
                    judge->names[waiter], time, judge->names[client], times);
}

static void after(struct judge *judge, const struct event *event) {
    if (event->client < 0 || !judge_is_attempt(event))
        return;
    if (event->kind == EVENT_ASKED)
        judge->order.overtaken[event->client] = 0;
    if (event->kind == EVENT_RESULT && event->result == RESULT_OK &&
        event->depth == 1)
        check_order(judge, event->client);
}

const struct property_row property_order = {
    .property = PROPERTY_ORDER, .after = after};

void judge_keep_order(struct judge *judge) {
    judge->order.asked = true;
}
