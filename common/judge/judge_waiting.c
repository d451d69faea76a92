// Clients that wait for the lock: is one let in when the lock is free, who gets
// in first, and how many does a release wake? judge.h has the definitions.
//
// A client waits from the moment at which it asks, with patience, until it is
// told how that ended. It is hindered if, in that time, a command or an answer
// of its was held while time passed, or if its story did something to it.
#include "judge_parts.h"

#include "base/units.h"

#include <stdio.h>

static bool is_attempt(const struct event *event) {
    return event->lock_number == 0 && event->operation == OPERATION_ENTER;
}

// --- who waits ---------------------------------------------------------------

static void begin_waiting(struct view *view, const struct event *event) {
    int client = event->client;

    view->clients[client].waits = event->patience_ns > 0;
    view->clients[client].since_ns = event->time_ns;
    view->clients[client].hindered = !event->reachable;
    view->clients[client].overtaken = 0;
}

static void hinder(struct view *view, const struct event *event) {
    switch (event->kind) {
    case EVENT_REFUSED:
    case EVENT_GAVE_UP:
    case EVENT_ISOLATED:
    case EVENT_SKEWED:
    case EVENT_STOPPED:
        view->clients[event->client].hindered = true;
        break;
    case EVENT_CLOCK:
    case EVENT_SERVER:
        for (int i = 0; i < JUDGE_CLIENTS; i++)
            view->clients[i].hindered |= event->kind == EVENT_SERVER ||
                                         event->delayed & 1u << i;
        break;
    default:
        break;
    }
}

// --- wakeup ------------------------------------------------------------------

static void lose_wakeup(struct judge *judge, int client) {
    char sentence[sizeof judge->sentence];

    snprintf(sentence, sizeof sentence,
             "%s still waits, though the lock has been free for a second.",
             judge_name(judge, client));
    judge_find_beside(judge,
                      (struct lost_property){PROPERTY_WAKEUP, client, NOBODY,
                                             0, 0},
                      sentence);
}

// Since when has the lock been free?
static void follow_freedom(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;

    if (event->lock.exists)
        view->free_ns = -1;
    else if (view->free_ns < 0)
        view->free_ns = event->time_ns;
}

static void check_wakeup(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;

    if (event->kind != EVENT_CLOCK || view->free_ns < 0 || judge->local ||
        event->time_ns - view->free_ns < SECOND)
        return;
    for (int i = 0; i < judge->client_count; i++)
        if (view->clients[i].waits && !view->clients[i].hindered &&
            event->time_ns - view->clients[i].since_ns >= SECOND) {
            view->clients[i].hindered = true; // said once
            lose_wakeup(judge, i);
        }
}

// --- order -------------------------------------------------------------------

void judge_keep_order(struct judge *judge) {
    judge->order = true;
}

// Who has waited longest, of those who began before this time? Or NOBODY.
static int longest(const struct view *view, int64_t before_ns) {
    int found = NOBODY;

    for (int i = 0; i < JUDGE_CLIENTS; i++)
        if (view->clients[i].waits && view->clients[i].since_ns < before_ns) {
            found = i;
            before_ns = view->clients[i].since_ns;
        }
    return found;
}

static void check_order(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    char sentence[sizeof judge->sentence], time[SPAN_WORDS];
    int client = event->client;
    int waiter = longest(view, view->clients[client].since_ns);

    if (!judge->order || waiter == NOBODY)
        return;
    int times = ++view->clients[waiter].overtaken;
    span_words(event->time_ns - view->clients[waiter].since_ns, time);
    snprintf(sentence, sizeof sentence,
             times == 1 ? "%s has waited for %s, and %s gets in before it."
                        : "%s has waited for %s, and %s gets in before it: "
                          "that makes %d times.",
             judge_name(judge, waiter), time, judge_name(judge, client), times);
    judge_find_more(judge,
                    (struct lost_property){PROPERTY_ORDER, client, waiter, 0,
                                           0},
                    sentence);
}

// --- herd --------------------------------------------------------------------

void judge_count_woken(struct judge *judge) {
    judge->herd.counts = true;
    judge->herd.woken = 0;
}

static void check_herd(struct judge *judge, const struct event *event) {
    char sentence[sizeof judge->sentence];
    unsigned bit = 1u << event->client;
    int woken = 0;

    if (!judge->herd.counts || !judge->view.clients[event->client].waits ||
        judge->herd.woken & bit)
        return;
    judge->herd.woken |= bit;
    for (int i = 0; i < judge->client_count; i++)
        woken += judge->herd.woken >> i & 1;
    if (woken < 2)
        return;
    snprintf(sentence, sizeof sentence,
             "one lock is released, and %d of those that wait send something.",
             woken);
    judge_find_more(judge,
                    (struct lost_property){PROPERTY_HERD, event->client, NOBODY,
                                           0, 0},
                    sentence);
}

// --- all of it ---------------------------------------------------------------

static void watch_client(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    bool *waits = &view->clients[event->client].waits;

    if (event->kind == EVENT_ASKED && is_attempt(event))
        begin_waiting(view, event);
    if (event->kind == EVENT_REQUEST)
        check_herd(judge, event);
    if (event_ends_client(event->kind))
        *waits = false;
    if (event->kind != EVENT_RESULT || !is_attempt(event))
        return;
    *waits = false;
    if (event->result == RESULT_OK && event->depth == 1)
        check_order(judge, event);
}

void judge_watch_waiting(struct judge *judge, const struct event *event) {
    follow_freedom(judge, event);
    hinder(&judge->view, event);
    if (event->client >= 0)
        watch_client(judge, event);
    check_wakeup(judge, event);
}
