#include "endless.h"

#include "base/fail.h"
#include "base/units.h"

#include <stdio.h>
#include <time.h>

void endless_count(struct actor *client, int64_t now_ns) {
    enum { MOST_STEPS = 2000, MOST_OF_ALL = 20000 };
    struct steps *steps = &client->steps;
    int64_t now_s = now_ns / SECOND;

    if (!client->one_life)
        return;
    if (now_ns - steps->since_ns >= SECOND)
        *steps = (struct steps){.since_ns = now_ns, .all = steps->all};
    if (++steps->since >= MOST_STEPS)
        snprintf(client->endless, sizeof client->endless,
                 "takes %d steps within a second", MOST_STEPS);
    if (++steps->all >= MOST_OF_ALL + now_s)
        snprintf(client->endless, sizeof client->endless,
                 "takes %d steps in %lld seconds", steps->all,
                 (long long)now_s);
}

void endless_start(struct actor *client, int commands) {
    if (!client->one_life)
        fail("client %s has sent %d commands and does not say that it is ready",
             client->name, commands);
    snprintf(client->endless, sizeof client->endless,
             "sends %d commands before it is ready", commands);
}

static bool computes(const struct actor *client) {
    static const int64_t much_ns = 3 * SECOND;

    return client->one_life && client->ready &&
           process_computed_ns(&client->process) - client->computed_ns >
               much_ns;
}

void endless_watch(struct actor *clients, int count, bool first) {
    for (int i = 0; i < count; i++) {
        struct actor *client = &clients[i];
        if (first) {
            client->computed_ns = process_computed_ns(&client->process);
        } else if (computes(client)) {
            actor_kill(client);
            snprintf(client->endless, sizeof client->endless,
                     "computes, and waits for nothing");
        }
    }
}
