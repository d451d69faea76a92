// Leak: the connections that an operation has opened are closed when it is
// over.
#include "property.h"
#include "verdict.h"

const struct property_row property_leak = {.property = PROPERTY_LEAK};

void judge_count_connections(struct judge *judge, int client, int open) {
    judge->leak.counted[client] = true;
    judge->leak.open[client] = open;
}

bool judge_require_no_more(struct judge *judge, int client, int open) {
    bool counted = judge->leak.counted[client];
    int before = judge->leak.open[client];

    if (counted && open > before)
        judge_lose(judge, PROPERTY_LEAK, client,
                   "has %d connections open, and had %d when they were counted.",
                   open, before);
    return counted;
}
