// A property of the judge: a row of the table in watch.c.
#ifndef PROPERTY_H
#define PROPERTY_H

#include "judge.h"

struct property_row {
    enum property property; // of the file's name
    bool only_strictly; // it only leads to a loss: a story does not ask for it
    // The event is there, and the facts and the lock are as they were before
    // it; then they have followed it. A property may be asked for by a story
    // alone, and watch nothing.
    void (*before)(struct judge *judge, const struct event *event);
    void (*after)(struct judge *judge, const struct event *event);
};

extern const struct property_row
    property_told, property_entry, property_resource, property_bounded,
    property_kept, property_loser, property_foreign, property_count,
    property_wakeup, property_order, property_herd, property_key,
    property_knowledge, property_leak, property_exclusion;

// The mistake in an answer that none of the server's can mean; NULL: there is
// none.
const char *told_mistake(const struct judge *judge, const struct event *event);

// An answer that tells nothing about the lock: the verdict is INCONCLUSIVE.
// Before the facts follow the event.
void silence_watch(struct judge *judge, const struct event *event);

// Nobody can be asked any more: who is inside as far as it was told was so.
void exclusion_end_doubt(struct judge *judge);

#endif
