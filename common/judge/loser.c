// Loser: a client that is told "busy" has changed nothing.
#include "facts.h"
#include "property.h"
#include "verdict.h"

static void before(struct judge *judge, const struct event *event) {
    if (event->client < 0 || event->lock_number > 0 ||
        !judge->view.clients[event->client].changed)
        return;
    if (event->kind == EVENT_SLEEPS)
        judge_lose(judge, PROPERTY_LOSER, event->client,
                   "is refused and has changed the lock.");
    if (event->kind == EVENT_RESULT && judge_is_attempt(event) &&
        event->result == RESULT_BUSY)
        judge_lose(judge, PROPERTY_LOSER, event->client,
                   "is told busy and has changed the lock.");
}

const struct property_row property_loser = {
    .property = PROPERTY_LOSER, .only_strictly = true, .before = before};
