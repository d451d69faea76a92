#include "home.h"

#include "base/fail.h"
#include "machine/sandbox.h"

#include <stdio.h>
#include <string.h>

static struct home *place_for(struct home *homes, const char *name) {
    struct home *place = NULL;

    for (int i = 0; i < MAX_CLIENTS; i++) {
        if (strcmp(homes[i].name, name) == 0)
            return &homes[i];
        if (!homes[i].is_used && (!place || !homes[i].name[0]))
            place = &homes[i];
    }
    if (!place)
        fail("more than %d homes in one world", MAX_CLIENTS);
    if (place->name[0])
        home_close(place);
    return place;
}

struct home *home_find(struct home *homes, const char *name, bool on_hosts) {
    struct home *home = on_hosts ? place_for(homes, name) : homes;
    char folder[SANDBOX_PATH_SIZE], machine[32];

    home->is_used = true;
    if (home->name[0])
        return home;
    snprintf(home->name, sizeof home->name, "%s", name);
    actor_folder(folder, name);
    snprintf(machine, sizeof machine, "machine-%s", name);
    home->has_host = on_hosts && host_open(&home->host, machine, folder);
    return home;
}

void home_prepare(struct home *home, struct actor_setup *setup, bool forks) {
    setup->host = home->has_host ? &home->host : NULL;
    if (forks && !home->has_fork_server) {
        actor_load(&home->fork_server, home->name, setup);
        home->has_fork_server = true;
    }
    if (forks && !home->fork_server.ended)
        setup->fork_server = &home->fork_server;
}

void home_unload(struct home *home) {
    if (home->has_fork_server)
        fork_server_close(&home->fork_server);
    home->has_fork_server = false;
}

void home_close(struct home *home) {
    home_unload(home);
    if (home->has_host)
        host_close(&home->host);
    *home = (struct home){.has_host = false};
}

void home_tidy(struct home *home) {
    if (!home->name[0])
        return;
    sandbox_empty(home->name);
    if (!home->has_fork_server || home->fork_server.ended ||
        !host_is_untouched(&home->host))
        home_close(home);
}
