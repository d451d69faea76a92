#include "recorded.h"

#include "base/fail.h"
#include "base/patience.h"
#include "catalogue/engines.h"
#include "machine/loop.h"
#include "machine/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep(struct recorded *recorded, const struct message *request) {
    if (recorded->count == MOST_REQUESTS)
        fail("a hold of more than %d requests", MOST_REQUESTS);
    char *bytes = must_have(malloc(request->length));
    memcpy(bytes, request->bytes, request->length);
    recorded->requests[recorded->count].bytes = bytes;
    recorded->requests[recorded->count++].length = request->length;
    recorded->bytes += request->length;
}

static void let_pass(struct connection *connection, struct recorded *recorded) {
    if (connection->stage == STAGE_HELD) {
        if (recorded)
            keep(recorded, &connection->request);
        gate_forward(connection);
    } else {
        if (recorded && connection->stage == STAGE_ANSWERED)
            recorded->bytes += connection->answer.length;
        gate_deliver(connection);
    }
}

// Until the client has something to say.
static void let_all_pass(struct gated *gated, struct recorded *recorded) {
    struct patience patience = {0};

    while (!driven_has_spoken(&gated->client)) {
        if (!process_patience(&patience))
            fail("the gate has waited for a client for %d s",
                 PATIENCE_MS / 1000);
        loop_turn(1);
        struct connection *connection = gate_pending(&gated->gate, 0);
        if (connection)
            let_pass(connection, recorded);
    }
}

void gated_start(struct gated *gated, const char *lock,
                 struct door *const *servers, int count) {
    const struct engine_kind *kind = engines_of(lock);
    char path[SANDBOX_PATH_SIZE], name[32];
    struct address addresses[MAX_SERVERS];

    gate_open(&gated->gate, "bench", kind->wire, NULL);
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "bench.hold%d", i + 1);
        sandbox_path(path, name);
        struct way *way = gate_add_way(&gated->gate, path, i, servers[i],
                                       kind->by_port);
        addresses[i] = (struct address){way->path, way->port};
    }
    gated->client = driven_client(lock, addresses, count);
    let_all_pass(gated, NULL);
    driven_ready(gated->client);
}

void gated_end(struct gated *gated) {
    gate_shut(&gated->gate);
    driven_end(&gated->client);
}

static void do_through(struct gated *gated, const char *word,
                       struct recorded *recorded) {
    driven_order(&gated->client, word);
    let_all_pass(gated, recorded);
    driven_hear(&gated->client, "ok");
}

void gated_hold(struct gated *gated, struct recorded *recorded) {
    do_through(gated, "enter\n", recorded);
    do_through(gated, "leave\n", recorded);
}

void recorded_forget(struct recorded *recorded) {
    while (recorded->count > 0)
        free(recorded->requests[--recorded->count].bytes);
    recorded->bytes = 0;
}
