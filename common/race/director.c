#include "director.h"

#include <stdio.h>
#include <stdlib.h>

void cannot_happen(struct client *client, const char *why) {
    struct race *race = client->race;
    char sentence[128];

    snprintf(sentence, sizeof sentence, "%s %s.", client->name, why);
    judge_cannot_happen(&race->judge, sentence);
    exit(race_close(race));
}

void choose(struct client *client, enum choice_kind kind) {
    world_do(client->race->world,
             (struct choice){.kind = kind, .client = client->number});
}

void choose_on_wire(struct client *client, enum choice_kind kind,
                           int connection) {
    world_do(client->race->world, (struct choice){.kind = kind,
                                                  .client = client->number,
                                                  .connection = connection});
}

bool busy(const struct client *client) {
    return world_busy(client->race->world, client->number);
}

static enum stage stage_of(const struct client *client, int connection) {
    return world_stage(client->race->world, client->number, connection);
}

int pass(struct client *client, int connection) {
    if (stage_of(client, connection) == STAGE_HELD)
        choose_on_wire(client, CHOOSE_FORWARD, connection);
    if (stage_of(client, connection) == STAGE_ANSWERED)
        choose_on_wire(client, CHOOSE_DELIVER, connection);
    return 1;
}

// A server that is stopped keeps what it was sent.
int pass_all(struct client *client) {
    struct world *world = client->race->world;
    int connection, passed = 0;

    while ((connection = world_pending(world, client->number, client->held)) &&
           stage_of(client, connection) != STAGE_RUNNING)
        passed += pass(client, connection);
    return passed;
}

void hold(struct client *client) {
    client->held = world_pending(client->race->world, client->number, 0);
}

void wake_due(struct client *client) {
    struct world *world = client->race->world;
    int64_t due_ns;

    while ((due_ns = world_next_wait(world, client->number)) >= 0 &&
           due_ns <= world_now(world)) {
        choose(client, CHOOSE_WAKE);
        pass_all(client);
    }
}

void move_clock(struct race *race, int64_t ns) {
    int64_t end_ns = world_lease_end(race->world) - world_now(race->world);

    if (end_ns > 0 && end_ns < ns) {
        world_do(race->world,
                 (struct choice){.kind = CHOOSE_ADVANCE, .ns = end_ns});
        ns -= end_ns;
    }
    if (ns > 0)
        world_do(race->world,
                 (struct choice){.kind = CHOOSE_ADVANCE, .ns = ns});
}
