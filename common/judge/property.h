// A property of the judge: a row of the table in watch.c.
#ifndef PROPERTY_H
#define PROPERTY_H

#include "judge.h"

struct property_row {
    enum property property; // of the file's name
    bool only_strictly; // a mistake that only leads to a loss: not for stories
    // Called with an event before the facts follow it, and after. Both NULL: a
    // story asks for this property, and it watches nothing.
    void (*before)(struct judge *judge, const struct event *event);
    void (*after)(struct judge *judge, const struct event *event);
};

extern const struct property_row
    property_told, property_entry, property_resource, property_bounded,
    property_kept, property_loser, property_foreign, property_count,
    property_wakeup, property_order, property_herd, property_key,
    property_knowledge, property_leak, property_exclusion,
    property_progress;

// The mistake in a result that contradicts every answer of the server; NULL:
// there is none.
const char *told_mistake(const struct judge *judge, const struct event *event);

// Makes the verdict INCONCLUSIVE when an answer says nothing about the lock.
// Called before the facts follow the event.
void silence_watch(struct judge *judge, const struct event *event);

// Counts every client as inside that was told so: none can be asked any more.
void exclusion_end_doubt(struct judge *judge);

#endif
