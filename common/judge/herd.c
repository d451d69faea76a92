// Herd: a release makes at most one of the clients that wait send something.
#include "property.h"
#include "verdict.h"

static void after(struct judge *judge, const struct event *event) {
    struct herd *herd = &judge->herd;
    int count = 0;

    if (event->client < 0 || event->kind != EVENT_REQUEST || !herd->asked ||
        !judge->view.clients[event->client].waits ||
        herd->woken >> event->client & 1)
        return;
    herd->woken |= 1u << event->client;
    for (int i = 0; i < judge->client_count; i++)
        count += herd->woken >> i & 1;
    if (count > 1)
        judge_find_more(judge,
                        (struct lost_property){PROPERTY_HERD, event->client,
                                               NOBODY, 0, 0},
                        "one lock is released, and %d of those that wait send "
                        "something.", count);
}

const struct property_row property_herd = {
    .property = PROPERTY_HERD, .after = after};

void judge_count_woken(struct judge *judge) {
    judge->herd = (struct herd){.asked = true};
}
