// Questions about a position, which change nothing.
#include "position.h"

#include "snapshot.h"

bool seat_has_left(const struct seat *seat) {
    return seat->history > 0 && seat->depth == 0 && !seat->asked &&
           seat->operation == OPERATION_LEAVE && seat->lock == 0;
}

bool position_may_release(const struct position *position, int client) {
    const struct seat *seat = &position->seats[client];
    enum fault fault = seat_has_left(seat) ? FAULT_AGAIN : FAULT_STRANGER;

    return seat->life == LIVES && !seat->asked && !seat->hung &&
           seat->depth == 0 && position->mode == MODE_FREE &&
           position->faults[fault] > 0 && position->fault_total > 0;
}

bool seat_has_pending(const struct seat *seat) {
    for (int c = 0; c < POSITION_CONNECTIONS; c++)
        if ((seat->connection[c].stage != STAGE_QUIET &&
             seat->connection[c].stage != STAGE_BLOCKED) ||
            seat->connection[c].messages > 0)
            return true;
    return false;
}

// A wait that is over is the first in any case, whenever it ended.
struct occasion position_occasion(const struct position *position, int client) {
    int64_t wait_ns = position->seats[client].wait_ns;

    return (struct occasion){
        .now_ns = position->now_ns,
        .wait_ns = wait_ns > position->now_ns ? wait_ns : -1,
    };
}

int position_dead_owner(const struct position *position) {
    int owner = position->view.owner;

    return owner >= 0 && position->seats[owner].life == DEAD &&
                   snapshot_has_lock(position->content)
               ? owner : NOBODY;
}

static int inside_lock(const struct position *position, int lock) {
    int inside = 0;

    for (int i = 0; i < POSITION_CLIENTS; i++)
        inside += position->view.clients[i].inside[lock];
    return inside;
}

int position_inside(const struct position *position) {
    return inside_lock(position, 0);
}

int position_crowded(const struct position *position) {
    return inside_lock(position, 0) > 1 ? 0
           : inside_lock(position, 1) > 1 ? 1 : -1;
}
