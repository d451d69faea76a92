// Progress: a client comes to an end of what it does. It waits between two
// commands, and does not send the same one again and again. The world counts
// its steps, and looks at its processor time.
#include "property.h"
#include "verdict.h"

static void after(struct judge *judge, const struct event *event) {
    if (event->kind != EVENT_ENDLESS)
        return;
    judge->over = true;
    judge_lose(judge, PROPERTY_PROGRESS, event->client,
               "comes to no end: it %s.", event->text);
}

const struct property_row property_progress = {
    .property = PROPERTY_PROGRESS,
    .after = after,
};
