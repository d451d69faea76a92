// Verbs: what happens to time.
#include "director.h"

void need_exact_instants(struct race *race) {
    if (race->options.real)
        cannot_happen(&race->clients[0], "cannot keep to exact instants in "
                                         "real time");
}

void need_exact_lease(struct client *client) {
    if (client->race->options.real)
        cannot_happen(client, "has no lease to the millisecond in real time");
    if (world_lease_end(client->race->world) < 0)
        cannot_happen(client, "has no lease whose end the server shows");
}

// The running client whose wait is over first, by `until`; NULL: none.
static struct client *next_to_wake(struct race *race, int64_t until_ns) {
    struct client *next = NULL;

    for (int i = 0; i < race->client_count; i++) {
        struct client *client = &race->clients[i];
        int64_t due_ns = world_next_wait(race->world, client->number);
        if (!world_runs(race->world, client->number) || due_ns < 0 ||
            due_ns > until_ns)
            continue;
        next = client;
        until_ns = due_ns - 1; // the next one must be earlier
    }
    return next;
}

// In real time a lease is one second, or a few. For a lock that counts whole
// seconds it is over with the full second after that. Where the server ends it
// in rounds, it is over up to a round later. And the next part of the story
// begins with a full second, too. To wait longer would change nothing.
static void advance_real(struct race *race, int64_t ns) {
    int lease_ms = race->options.real_lease_ms;
    int64_t ms = ns / MILLISECOND * lease_ms / (LEASE_S * 1000);
    int more = race->engine->ends_in_rounds ? 2 : 1; // seconds

    check_pace(&race->clients[0], race->judge.verdict);
    if (ns >= LEASE)
        wait_for_second(race, ms < 2 * lease_ms ? ms : 2 * lease_ms,
                        lease_ms / 1000 + more);
    else
        wait_real_us(race, ms * 1000, always, NULL);
    race_do(race, (struct choice){.kind = CHOOSE_ADVANCE, .ns = ns});
    if (ns >= LEASE)
        race->second.story_ns = world_now();
}

void advance(struct race *race, int64_t ns) {
    int64_t until_ns = world_now() + ns;

    if (race->options.real) {
        advance_real(race, ns);
        return;
    }
    wake_waiters(race);
    for (;;) {
        struct client *client = next_to_wake(race, until_ns);
        int64_t next_ns = client ? world_next_wait(race->world, client->number)
                                 : until_ns;
        if (pass_server_wait(race, next_ns))
            continue;
        move_clock(race, next_ns - world_now());
        if (!client)
            break;
        wake_due(client);
        wake_waiters(race);
    }
    wake_waiters(race);
}

void advance_until(struct race *race, int64_t ns) {
    need_exact_instants(race);
    if (ns > world_now())
        advance(race, ns - world_now());
}

void outlast_lease(struct race *race) {
    int64_t end_ns = world_lease_end(race->world);

    if (race->options.real || end_ns < 0)
        advance(race, LEASE + SECOND);
    else
        advance(race, end_ns + SECOND - world_now());
}

void advance_to_lease_end(struct race *race, int64_t ns) {
    need_exact_instants(race);
    int64_t end_ns = world_lease_end(race->world);

    if (end_ns < 0)
        cannot_happen(&race->clients[0], "has no lease whose end the server shows");
    advance(race, end_ns + ns - world_now());
}

void set_clock_ahead(struct client *client, int64_t ns) {
    if (client->race->options.real)
        cannot_happen(client, "has nobody's clock but its own in real time");
    race_do(client->race, (struct choice){.kind = CHOOSE_SKEW,
                                                  .client = client->number,
                                                  .ns = ns});
}
