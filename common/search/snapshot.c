#include "snapshot.h"

#include "base/units.h"
#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lock_state parse(text_id content) {
    struct lock_state lock = {.ttl_ms = -1};
    const char *line = text_words(content);
    long long ttl_ms;
    int begin = 0;

    for (; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        if (sscanf(line, "lock %lld %n", &ttl_ms, &begin) != 1)
            continue;
        lock.exists = true;
        lock.ttl_ms = ttl_ms;
        snprintf(lock.value, sizeof lock.value, "%.*s",
                 (int)strcspn(line + begin, "\n"), line + begin);
    }
    return lock;
}

static size_t parsed_count;

const struct lock_state *snapshot_lock(text_id content) {
    static struct lock_state **parsed; // by number: a search asks often
    static text_id room;

    if (content >= room) {
        text_id size = 2 * content + 64;
        parsed = must_have(realloc(parsed, size * sizeof *parsed));
        memset(parsed + room, 0, (size - room) * sizeof *parsed);
        room = size;
    }
    if (!parsed[content]) {
        parsed[content] = must_have(malloc(sizeof **parsed));
        *parsed[content] = parse(content);
        parsed_count++;
    }
    return parsed[content];
}

bool snapshot_has_lock(text_id content) {
    static const char counter[] = ":fence";
    const char *line = text_words(content);

    for (; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        size_t length = strcspn(line, " "), end = strlen(counter);
        if (length < end ||
            strncmp(line + length - end, counter, end) != 0)
            return true;
    }
    return false;
}

int64_t snapshot_next_end_ns(text_id content) {
    const char *line = text_words(content);
    int64_t next_ms = -1;

    for (; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        int64_t ttl_ms = strtoll(line + strcspn(line, " "), NULL, 10);
        if (ttl_ms >= 0 && (next_ms < 0 || ttl_ms < next_ms))
            next_ms = ttl_ms;
    }
    // A key still exists in the millisecond in which it has 0 left.
    return next_ms < 0 ? -1 : (next_ms + 1) * MILLISECOND;
}

size_t snapshot_bytes(void) {
    return parsed_count * sizeof(struct lock_state);
}
