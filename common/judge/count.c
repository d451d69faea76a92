// Count: the lock is gone after the last of an owner's releases, and not
// before.
#include "facts.h"
#include "property.h"
#include "verdict.h"

// Has an inner release ended the hold?
static bool ends_too_early(const struct judge *judge,
                           const struct event *event) {
    const struct view *view = &judge->view;
    int client = event->client;

    return judge_changes_lock(judge, event) &&
           view->clients[client].releases && !event->late &&
           view->clients[client].depth > 1 &&
           (!event->lock.exists ||
            (event->lock.last > 0 &&
             lock_state_new_value(&judge->lock, &event->lock)));
}

static bool ends_too_late(const struct judge *judge,
                          const struct event *event) {
    return event->kind == EVENT_RESULT && event->lock_number == 0 &&
           event->operation == OPERATION_LEAVE && event->result == RESULT_OK &&
           event->depth == 0 && event->lock.exists &&
           !judge->view.clients[event->client].late;
}

static void before(struct judge *judge, const struct event *event) {
    if (event->client < 0 || judge->view.owner != event->client)
        return;
    if (ends_too_early(judge, event))
        judge_lose(judge, PROPERTY_COUNT, event->client,
                   "leaves once of twice, and the lock is gone.");
    if (ends_too_late(judge, event))
        judge_lose(judge, PROPERTY_COUNT, event->client,
                   "has left for the last time, and the lock is still there.");
}

const struct property_row property_count = {
    .property = PROPERTY_COUNT, .only_strictly = true, .before = before};
