// Key: if another program uses the key, its value stays as it is.
#include "facts.h"
#include "property.h"
#include "verdict.h"

const struct property_row property_key = {.property = PROPERTY_KEY};

void judge_note_key(struct judge *judge) {
    judge->key = judge->lock;
}

void judge_require_key(struct judge *judge) {
    if (!judge_same_lock(&judge->lock, &judge->key))
        judge_find(judge,
                   (struct lost_property){PROPERTY_KEY, NOBODY, NOBODY, 0, 0},
                   "what somebody else keeps under the key is not as it was.");
}
