// The bounds in which ./scenarios/assumptions searches.
//
// Everything at once would take hours. So the properties that a lock can lose
// are in groups, and each group has bounds of its own: those that its losses
// need, and little else.
#ifndef LOSS_GROUPS_H
#define LOSS_GROUPS_H

#include "lab/search/position.h"
#include "lab/search/bounds.h"

enum group {
    GROUP_USUAL,
    GROUP_NESTED,  // they need a nested call, no fault and no second client
    GROUP_WAITING, // clients wait: only a second passes, so that one that
                   // tries every 100 ms comes to an end
    GROUP_WRITING, // writes alone count
    GROUP_WIDER,   // one client, lease and crash more, and no other fault. A
                   // refused client may write over a new owner's lock, if the
                   // new owner has just taken it over from a dead client
    GROUPS
};

enum group group_of(enum loss loss);

// These bounds, as far as the group needs them.
struct bounds bounds_of(const struct bounds *bounds, enum group group);

#endif
