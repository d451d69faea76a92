#include "facts.h"
#include "property.h"

#include <string.h>

// All properties. If one event loses several, the first row's loss stands.
static const struct property_row *const properties[PROPERTIES] = {
    &property_told,    &property_entry, &property_resource, &property_bounded,
    &property_kept,    &property_loser, &property_foreign,  &property_count,
    &property_wakeup,  &property_order, &property_herd,     &property_key,
    &property_knowledge, &property_leak, &property_exclusion,
    &property_progress,
};

void judge_open_view(struct view *view) {
    memset(view, 0, sizeof *view);
    view->owner = NOBODY;
    for (int i = 0; i < JUDGE_CLIENTS; i++)
        view->clients[i].displaced = NOBODY;
}

void judge_open(struct judge *judge) {
    memset(judge, 0, sizeof *judge);
    judge->lease_ns = LEASE;
    judge->met.property = PROPERTIES;
    judge_open_view(&judge->view);
}

void judge_add_client(struct judge *judge, const char *name) {
    judge->names[judge->client_count++] = name;
}

static bool is_asked_for(const struct judge *judge,
                         const struct property_row *row) {
    return judge->strict || !row->only_strictly;
}

static void watch(struct judge *judge, const struct event *event) {
    judge->watched++;
    judge->now_ns = event->time_ns;
    silence_watch(judge, event);
    for (int i = 0; i < PROPERTIES; i++)
        if (properties[i]->before && is_asked_for(judge, properties[i]))
            properties[i]->before(judge, event);
    judge_follow_leases(judge, event);
    judge_follow_owner(judge, event);
    judge_follow_clients(judge, event);
    judge_follow_prompt(judge, event);
    for (int i = 0; i < PROPERTIES; i++)
        if (properties[i]->after && is_asked_for(judge, properties[i]))
            properties[i]->after(judge, event);
}

// --- a free lock whose key stays ---------------------------------------------

static bool is_empty(const struct lock_state *lock) {
    return lock->exists && !*lock->value && !lock->cut;
}

// A release may free a lock with an empty value in place of a DEL.
static bool frees_with_empty_value(const struct judge *judge,
                                   const struct event *event) {
    return event->kind == EVENT_RAN && event->client >= 0 &&
           judge->view.clients[event->client].releases && judge->lock.exists &&
           !is_empty(&judge->lock) && is_empty(&event->lock);
}

static void free_if_empty(struct lock_state *lock) {
    if (is_empty(lock))
        *lock = (struct lock_state){.ttl_ms = -1, .down = lock->down};
}

void judge_watch(struct judge *judge, const struct event *event) {
    bool *empty_is_free = &judge->view.empty_is_free;

    *empty_is_free |= frees_with_empty_value(judge, event);
    if (!*empty_is_free) {
        watch(judge, event);
        return;
    }
    struct event seen = *event;
    free_if_empty(&seen.lock);
    free_if_empty(&seen.second);
    watch(judge, &seen);
}

void judge_close(struct judge *judge) {
    exclusion_end_doubt(judge);
    judge_count_beside(judge);
}

void judge_writes_only(struct judge *judge) {
    judge->writes_only = true;
}
