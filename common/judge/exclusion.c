// Exclusion: at most one client is inside.
//
// A client that knows that its lock is lost is not inside. So when two seem to
// be, the judge has both asked first. A stopped client cannot be asked and
// counts as inside: its next instruction may be the write. A client in the
// middle of an operation is asked at the end of it.
#include "facts.h"
#include "property.h"
#include "verdict.h"

#include <stdio.h>
#include <string.h>

static int count_inside(const struct judge *judge, int lock) {
    return judge->writes_only ? 0 : judge_count_inside(judge, lock);
}

// "A and B are both inside."
static void lose_exclusion(struct judge *judge, int lock) {
    char names[sizeof judge->sentence] = "";
    int inside = count_inside(judge, lock), first = NOBODY, last = NOBODY;

    for (int i = 0, named = 0; i < judge->client_count; i++) {
        size_t used = strlen(names);
        if (!judge->view.clients[i].inside[lock])
            continue;
        named++;
        first = first == NOBODY ? i : first;
        last = i;
        snprintf(names + used, sizeof names - used, "%s%s",
                 named == 1 ? "" : named == inside ? " and " : ", ",
                 judge->names[i]);
    }
    judge_find(judge,
               (struct lost_property){PROPERTY_EXCLUSION, last, first, lock, 0},
               "%s are %s inside.", names, inside == 2 ? "both" : "all");
}

// Is this client inside, and still to be asked?
static bool is_to_ask(const struct judge *judge, int client, int lock) {
    const struct view *view = &judge->view;

    return view->clients[client].inside[lock] &&
           !view->exclusion.confirmed[client][lock] &&
           !view->clients[client].stopped;
}

static void check_exclusion(struct judge *judge, int lock) {
    if (count_inside(judge, lock) < 2) {
        for (int i = 0; i < judge->client_count; i++)
            judge->view.exclusion.confirmed[i][lock] = false;
        return;
    }
    for (int i = 0; i < judge->client_count; i++)
        if (is_to_ask(judge, i, lock))
            return;
    lose_exclusion(judge, lock);
}

int judge_next_to_ask(const struct judge *judge, int *lock) {
    if (judge->found & 1u << PROPERTY_EXCLUSION)
        return NOBODY;
    for (*lock = 0; *lock < JUDGE_LOCKS; ++*lock)
        for (int i = 0; i < judge->client_count; i++)
            if (count_inside(judge, *lock) > 1 && is_to_ask(judge, i, *lock) &&
                !judge->view.clients[i].busy)
                return i;
    return NOBODY;
}

void exclusion_end_doubt(struct judge *judge) {
    for (int lock = 0; lock < JUDGE_LOCKS; lock++)
        if (count_inside(judge, lock) > 1)
            lose_exclusion(judge, lock);
}

static void before(struct judge *judge, const struct event *event) {
    if (event->client >= 0 && judge_is_departure(event))
        exclusion_end_doubt(judge);
}

static void after(struct judge *judge, const struct event *event) {
    if (event->client < 0)
        return;
    if (event->kind == EVENT_RESULT && event->operation == OPERATION_HELD)
        judge->view.exclusion.confirmed[event->client][event->lock_number] =
            true;
    for (int lock = 0; lock < JUDGE_LOCKS; lock++)
        check_exclusion(judge, lock);
}

const struct property_row property_exclusion = {
    .property = PROPERTY_EXCLUSION, .before = before, .after = after};
