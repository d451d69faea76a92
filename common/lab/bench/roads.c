#include "roads.h"

#include "measure.h"
#include "recorded.h"

#include "catalogue/engines.h"
#include "catalogue/locks.h"
#include "machine/cores.h"

// A server in a virtual machine becomes faster with the first hundreds.
enum { FIRST_HOLDS = 500, BATCH = 100 };

static double hold_us(struct gated *gated, int holds) {
    double start = now_us();

    for (int i = 0; i < holds; i++)
        gated_hold(gated, NULL);
    return (now_us() - start) / holds;
}

void bench_road(const char *lock) {
    static struct gated gated;
    struct recorded recorded = {.count = 0};
    struct door *doors[MAX_SERVERS];
    int masters = locks_masters(lock);
    double us[BATCHES];

    core_stay();
    struct engine *engine = engines_of(lock)->open("");
    doors[0] = engine_door(engine, 0);
    for (int i = 1; i < masters; i++)
        doors[i] = engine_door(engine, engine_add_master(engine));
    if (engine->kind->forget)
        engine->kind->forget(engine); // the lock before used the same disk
    gated_start(&gated, lock, doors, masters);
    hold_us(&gated, FIRST_HOLDS);
    gated_hold(&gated, &recorded);
    for (int i = 0; i < BATCHES; i++)
        us[i] = hold_us(&gated, BATCH);
    gated_end(&gated);
    engine->kind->close(engine);
    core_leave();

    line(median(us, BATCHES), "us", "%s, acquire and release", lock);
    count_line("    requests", recorded.count);
    count_line("    bytes there and back", (double)recorded.bytes);
    recorded_forget(&recorded);
}
