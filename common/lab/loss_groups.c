#include "loss_groups.h"

enum group group_of(enum loss loss) {
    return loss == LOSS_ENTRY || loss == LOSS_COUNT ? GROUP_NESTED
           : loss == LOSS_WAKEUP                    ? GROUP_WAITING
           : loss == LOSS_RESOURCE                  ? GROUP_WRITING
                                                    : GROUP_USUAL;
}

static void allow_only(struct bounds *bounds, unsigned faults) {
    for (int fault = 0; fault < FAULTS; fault++)
        if (!(faults & 1u << fault))
            bounds->faults[fault] = 0;
    if (!faults)
        bounds->fault_total = 0;
}

static void widen(struct bounds *bounds) {
    allow_only(bounds, 1u << FAULT_CRASH);
    bounds->clients += bounds->clients < POSITION_CLIENTS;
    bounds->leases += bounds->leases > 0;
    bounds->halfway++;
    bounds->faults[FAULT_CRASH] += bounds->faults[FAULT_CRASH] > 0;
    bounds->fault_total = bounds->faults[FAULT_CRASH];
}

struct bounds bounds_of(const struct bounds *bounds, enum group group) {
    static const unsigned late = 1u << FAULT_STOP | 1u << FAULT_GIVE_UP |
                                 1u << FAULT_RESTART;
    static const unsigned of_masters = 1u << FAULT_RESTART | 1u << FAULT_JUMP;
    struct bounds some = *bounds;

    some.nested = group == GROUP_NESTED ? bounds->nested : 0;
    if (bounds->masters > 1) {
        allow_only(&some, of_masters);
        some.leases = 0;
    }
    if (group == GROUP_NESTED)
        some.clients = 1;
    if (group == GROUP_NESTED || group == GROUP_WAITING)
        allow_only(&some, 0);
    if (group == GROUP_WAITING) {
        some.wait_s = 60;
        some.leases = 0;
        some.time_s = 1;
    }
    if (group == GROUP_WIDER)
        widen(&some);
    if (group == GROUP_WRITING) {
        some.writes = 1;
        allow_only(&some, late);
    }
    return some;
}
