// A message begins with one entry and ends with another. A command goes from
// REQUEST to RAN, or to WAITS, if it waits in the server. An answer goes from
// RAN to ANSWER, a pushed message from PUSHED to HEARD. Each of them can end
// with CUT instead. A connection has one of each kind under way at most.
#include "diagram_build.h"

#include "base/list.h"
#include "report/neighbours.h"

static bool is_end(const struct entry *entry, enum event_kind sent) {
    switch (entry->kind) {
    case EVENT_CUT:    return true;
    case EVENT_RAN:
    case EVENT_WAITS:  return sent == EVENT_REQUEST;
    case EVENT_ANSWER: return sent == EVENT_RAN;
    case EVENT_HEARD:  return sent == EVENT_PUSHED;
    default:           return false;
    }
}

static size_t end_of(const struct record *record, size_t from) {
    const struct entry *start = &record->entries[from];

    for (size_t i = from + 1; i < record->entry_count; i++) {
        const struct entry *entry = &record->entries[i];
        if (same_exchange(start, entry) && is_end(entry, start->kind))
            return i;
    }
    return NOWHERE;
}

bool diagram_arrives(const struct diagram *diagram, size_t from) {
    size_t end = end_of(diagram->record, from);
    return end != NOWHERE && diagram->record->entries[end].kind != EVENT_CUT;
}

static void add(struct diagram *diagram, struct diagram_arrow arrow) {
    diagram->arrows = list_grow(diagram->arrows, diagram->arrow_count,
                                sizeof *diagram->arrows);
    diagram->arrows[diagram->arrow_count++] = arrow;
}

// Is there nothing between these two entries but the server's own doing?
static bool at_once(const struct record *record, size_t from, size_t to) {
    return to != NOWHERE && entry_after(record, &record->entries[from]) ==
                                &record->entries[to];
}

void diagram_find_arrows(struct diagram *diagram) {
    const struct record *record = diagram->record;

    for (size_t i = 0; i < record->entry_count; i++) {
        const struct entry *entry = &record->entries[i];
        if (entry->kind != EVENT_REQUEST && entry->kind != EVENT_RAN &&
            entry->kind != EVENT_PUSHED)
            continue;
        size_t end = end_of(record, i);
        add(diagram, (struct diagram_arrow){
            .client = entry->client,
            .server = entry->server,
            .to_client = entry->kind != EVENT_REQUEST,
            .from = i,
            .to = end,
            .arrival = end == NOWHERE               ? STAYS_UNDER_WAY
                       : diagram_arrives(diagram, i) ? ARRIVES
                                                     : NEVER_ARRIVES,
            .held = !at_once(record, i, end),
        });
    }
}
