// Resource: no client writes after another client has got in; and the client
// that got in last, and has the lock, may write.
#include "facts.h"
#include "property.h"
#include "verdict.h"

static void check_taken(struct judge *judge, int writer) {
    const struct view *view = &judge->view;

    for (int i = 0; i < judge->client_count; i++)
        if (view->clients[i].entry > view->clients[writer].entry)
            judge_find(judge,
                       (struct lost_property){PROPERTY_RESOURCE, writer, i, 0,
                                              0},
                       "%s's write is accepted after %s has got in.",
                       judge->names[writer], judge->names[i]);
}

static void check_refused(struct judge *judge, int writer) {
    const struct view *view = &judge->view;

    if (!view->clients[writer].inside[0] || !judge_owns(judge, writer))
        return;
    for (int i = 0; i < judge->client_count; i++)
        if (view->clients[i].entry > view->clients[writer].entry ||
            view->clients[i].claim > view->clients[writer].entry)
            return;
    judge_find(judge,
               (struct lost_property){PROPERTY_RESOURCE, writer, NOBODY, 0, 0},
               "%s's write is refused, though nobody has got in after %s.",
               judge->names[writer], judge->names[writer]);
}

static void after(struct judge *judge, const struct event *event) {
    if (event->client < 0 || event->kind != EVENT_RAN)
        return;
    if (write_is_taken(event->write))
        check_taken(judge, event->client);
    if (event->write == WRITE_REFUSED)
        check_refused(judge, event->client);
}

const struct property_row property_resource = {
    .property = PROPERTY_RESOURCE, .after = after};
