#include "writes.h"

static bool has_write_held(const struct seat *seat) {
    for (int c = 0; c < POSITION_CONNECTIONS; c++)
        if (seat->connection[c].writes &&
            seat->connection[c].stage == STAGE_HELD)
            return true;
    return false;
}

// Is the client inside, or can it still get there?
static bool may_be_inside(const struct seat *seat) {
    return seat->rounds > 0 || seat->depth > 0 ||
           (seat->asked && seat->operation == OPERATION_ENTER);
}

// Can another one get in after this one's hold began?
static bool may_be_overtaken(const struct position *position,
                             const struct bounds *bounds, int client) {
    const struct view *view = &position->view;
    int since = view->clients[client].entry;

    for (int i = 0; i < bounds->clients; i++) {
        const struct seat *seat = &position->seats[i];
        if (i != client &&
            (view->clients[i].entry > since || view->clients[i].claim > since ||
             (seat->life != DEAD && seat->depth == 0 && may_be_inside(seat))))
            return true;
    }
    return false;
}

bool writes_may_come(const struct position *position,
                     const struct bounds *bounds) {
    for (int i = 0; i < bounds->clients; i++) {
        const struct seat *seat = &position->seats[i];
        bool may = seat->writes > 0 && seat->life != DEAD && !seat->hung &&
                   may_be_inside(seat);
        if ((may || has_write_held(seat)) &&
            may_be_overtaken(position, bounds, i))
            return true;
    }
    return false;
}

static bool is_later(const struct position *position, int one, int other) {
    const struct view *view = &position->view;
    return view->clients[one].entry > view->clients[other].entry;
}

bool writes_is_stale(const struct position *position, int client) {
    for (int i = 0; i < POSITION_CLIENTS; i++)
        if (is_later(position, i, client))
            return true;
    return false;
}

bool writes_is_stale_to_silent(const struct position *position, int client) {
    for (int i = 0; i < POSITION_CLIENTS; i++)
        if (is_later(position, i, client) && !position->seats[i].wrote)
            return true;
    return false;
}

// The place of a hold in the order of beginnings; 0: there is none.
static int place_of(const struct position *position, int number) {
    const struct view *view = &position->view;
    int place = number > 0;

    for (int i = 0; i < POSITION_CLIENTS && number > 0; i++) {
        int entry = view->clients[i].entry, claim = view->clients[i].claim;
        place += (entry > 0 && entry < number) + (claim > 0 && claim < number);
    }
    return place;
}

struct hold_order writes_order(const struct position *position, int client) {
    const struct view *view = &position->view;
    return (struct hold_order){
        place_of(position, view->clients[client].entry),
        place_of(position, view->clients[client].claim)};
}
