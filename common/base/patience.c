#include "patience.h"

#include "units.h"

#include <time.h>

int64_t real_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND + now.tv_nsec;
}

bool patience_lasts(struct patience *patience, int64_t limit_ms) {
    int64_t now_ns = real_ns();
    int64_t ns = patience->last_ns ? now_ns - patience->last_ns : 0;

    patience->last_ns = now_ns;
    patience->waited_ns += ns < SECOND ? ns : SECOND;
    return patience->waited_ns < limit_ms * MILLISECOND;
}
