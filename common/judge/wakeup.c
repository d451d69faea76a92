// Wakeup: a client that waits is let in within a second after the lock has
// become free, unless it was hindered. It is also let in where the story says
// that it must (judge_require_entry).
//
// A client waits from its attempt with patience until that attempt has a
// result. It is hindered if, in between, a command or an answer of its was held
// while time passed, or if the story did something to it.
#include "facts.h"
#include "property.h"
#include "verdict.h"

static void hinder(struct judge *judge, const struct event *event) {
    bool *hindered = judge->view.wakeup.hindered;

    switch (event->kind) {
    case EVENT_ASKED:
        if (judge_is_attempt(event))
            hindered[event->client] = !event->reachable;
        break;
    case EVENT_REFUSED:
    case EVENT_GAVE_UP:
    case EVENT_ISOLATED:
    case EVENT_SKEWED:
    case EVENT_STOPPED:
        hindered[event->client] = true;
        break;
    case EVENT_CLOCK:
    case EVENT_SERVER:
        for (int i = 0; i < JUDGE_CLIENTS; i++)
            hindered[i] |=
                event->kind == EVENT_SERVER || event->delayed & 1u << i;
        break;
    default:
        break;
    }
}

static void follow_freedom(struct wakeup *wakeup, const struct event *event) {
    if (event->lock.exists)
        wakeup->free_ns = -1;
    else if (wakeup->free_ns < 0)
        wakeup->free_ns = event->time_ns;
}

static void check_wakeup(struct judge *judge) {
    const struct view *view = &judge->view;
    bool *hindered = judge->view.wakeup.hindered;

    if (view->wakeup.free_ns < 0 || judge->local ||
        judge->now_ns - view->wakeup.free_ns < SECOND)
        return;
    for (int i = 0; i < judge->client_count; i++)
        if (view->clients[i].waits && !hindered[i] &&
            judge->now_ns - view->clients[i].since_ns >= SECOND) {
            hindered[i] = true; // said once
            judge_lose_beside(judge, PROPERTY_WAKEUP, i,
                              "still waits, though the lock has been free for "
                              "a second.");
        }
}

static void after(struct judge *judge, const struct event *event) {
    follow_freedom(&judge->view.wakeup, event);
    hinder(judge, event);
    if (event->kind == EVENT_CLOCK)
        check_wakeup(judge);
}

const struct property_row property_wakeup = {
    .property = PROPERTY_WAKEUP, .after = after};
