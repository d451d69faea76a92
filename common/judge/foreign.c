// Foreign: no release and no renewal changes the lock of another client that is
// inside.
#include "facts.h"
#include "property.h"
#include "verdict.h"

static void before(struct judge *judge, const struct event *event) {
    int owner = judge->view.owner;

    if (event->client < 0 || !judge_changes_foreign(judge, event))
        return;
    judge_find(judge,
               (struct lost_property){PROPERTY_FOREIGN, event->client, owner, 0,
                                      0},
               "%s's %s changes the lock of %s, who is inside.",
               judge->names[event->client],
               judge_releases(judge, event) ? "release" : "renewal",
               judge->names[owner]);
}

const struct property_row property_foreign = {
    .property = PROPERTY_FOREIGN, .only_strictly = true, .before = before};
