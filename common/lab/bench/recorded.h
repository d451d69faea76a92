// The messages between a client and its server in one hold: through a gate,
// which lets everything pass.
#ifndef RECORDED_H
#define RECORDED_H

#include "driven.h"

#include "world/gate.h"

enum { MOST_REQUESTS = 16 };

struct recorded {
    struct {
        char *bytes;
        size_t length;
    } requests[MOST_REQUESTS];
    int count;
    size_t bytes; // of requests and answers together
};

// A gate to these servers, and a client of this lock behind it that is ready.
struct gated {
    struct gate gate;
    struct driven client;
};

// It must not move in memory until gated_end().
void gated_start(struct gated *gated, const char *lock,
                 struct door *const *servers, int count);
void gated_end(struct gated *gated);

// The client takes the lock and gives it back. Adds to `recorded`, if that is
// not NULL; recorded_forget() frees it.
void gated_hold(struct gated *gated, struct recorded *recorded);
void recorded_forget(struct recorded *recorded);

#endif
