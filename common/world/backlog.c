#include "backlog.h"

#include "base/fail.h"
#include "base/list.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct backlog {
    struct backlog_entry *entries;
    size_t count, taken;
    struct backlogged **connections;
    size_t connection_count;
};

struct backlog *backlog_open(void) {
    return must_have(calloc(1, sizeof(struct backlog)));
}

void backlog_close(struct backlog *backlog) {
    for (size_t i = backlog->taken; i < backlog->count; i++)
        free(backlog->entries[i].bytes);
    for (size_t i = 0; i < backlog->connection_count; i++) {
        if (backlog->connections[i]->fd >= 0)
            close(backlog->connections[i]->fd);
        free(backlog->connections[i]);
    }
    free(backlog->entries);
    free(backlog->connections);
    free(backlog);
}

static void add(struct backlogged *of, struct backlog_entry entry) {
    struct backlog *backlog = of->backlog;

    entry.of = of;
    of->queued++;
    backlog->entries =
        list_grow(backlog->entries, backlog->count, sizeof entry);
    backlog->entries[backlog->count++] = entry;
}

struct backlogged *backlog_join(struct backlog *backlog,
                                struct connection *connection,
                                struct door *door, bool connected) {
    struct backlogged *of = must_have(malloc(sizeof *of));

    *of = (struct backlogged){.backlog = backlog, .connection = connection,
                              .door = door, .fd = -1};
    backlog->connections = list_grow(backlog->connections,
                                     backlog->connection_count, sizeof of);
    backlog->connections[backlog->connection_count++] = of;
    if (!connected)
        add(of, (struct backlog_entry){.kind = BACKLOG_CONNECT});
    return of;
}

void backlog_send(struct backlogged *of, const char *bytes, size_t length) {
    char *copy = must_have(malloc(length));

    memcpy(copy, bytes, length);
    add(of, (struct backlog_entry){.kind = BACKLOG_BYTES, .bytes = copy,
                                   .length = length});
}

void backlog_leave(struct backlogged *of, int fd) {
    of->fd = fd;
    of->connection = NULL;
    add(of, (struct backlog_entry){.kind = BACKLOG_END});
}

bool backlog_has(const struct backlogged *of) {
    return of && of->queued > 0;
}

bool backlog_take(struct backlog *backlog, struct backlog_entry *entry) {
    if (backlog->taken == backlog->count)
        return false;
    *entry = backlog->entries[backlog->taken++];
    entry->of->queued--;
    return true;
}
