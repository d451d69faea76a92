#include "snapshot.h"

#include "base/units.h"
#include "base/fail.h"
#include "world/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int masters = 1, lock_count = 1;

void snapshot_masters(int count) {
    masters = count;
}

void snapshot_locks(int count) {
    lock_count = count;
}

text_id snapshot_without(text_id content, int master) {
    const char *line = text_words(content);
    text_id rest = NO_TEXT;

    for (size_t length; *line; line += length) {
        length = strcspn(line, "\n") + 1;
        if (atoi(line) != master + 1)
            rest = text_format("%s%.*s", text_words(rest), (int)length, line);
    }
    return rest;
}

static void parse_masters(text_id content,
                          struct lock_state locks[MAX_MASTERS]) {
    const char *line = text_words(content);
    long long ttl_ms;
    int master, begin = 0;

    memset(locks, 0, MAX_MASTERS * sizeof *locks);
    for (; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        if (sscanf(line, "%d/lock %lld %n", &master, &ttl_ms, &begin) != 2)
            continue;
        struct lock_state *lock = &locks[master - 1];
        lock->exists = true;
        lock->ttl_ms = ttl_ms;
        snprintf(lock->value, sizeof lock->value, "%.*s",
                 (int)strcspn(line + begin, "\n"), line + begin);
    }
}

bool snapshot_gained(text_id before, text_id after, int master) {
    struct lock_state old[MAX_MASTERS], new[MAX_MASTERS];

    if (masters == 1 || before == after)
        return false;
    parse_masters(before, old);
    parse_masters(after, new);
    return lock_state_gained(&old[master], &new[master]);
}

static struct lock_state parse_majority(text_id content) {
    struct lock_state locks[MAX_MASTERS];

    parse_masters(content, locks);
    return lock_state_on_majority(locks, masters);
}

static struct lock_state parse(text_id content, const char *key) {
    struct lock_state lock = {.ttl_ms = -1};
    const char *line = text_words(content);
    size_t length = strlen(key);
    long long ttl_ms;
    int begin = 0;

    for (; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, key, length) != 0 || line[length] != ' ' ||
            sscanf(line + length, "%lld %n", &ttl_ms, &begin) != 1)
            continue;
        begin += (int)length;
        lock.exists = true;
        lock.ttl_ms = ttl_ms;
        snprintf(lock.value, sizeof lock.value, "%.*s",
                 (int)strcspn(line + begin, "\n"), line + begin);
    }
    return lock;
}

static bool ends_with(const char *key, size_t length, const char *end) {
    size_t size = strlen(end);
    return length >= size && strncmp(key + length - size, end, size) == 0;
}

// "resource", or "1/resource".
static bool outlives_lock(const char *key, size_t length) {
    return ends_with(key, length, ":fence") ||
           ends_with(key, length, "/resource") ||
           (length == strlen("resource") && ends_with(key, length, "resource"));
}

static bool is_of_second_lock(const char *line) {
    static const char key[] = "lock2"; // as the world calls it

    return lock_count > 1 && strncmp(line, key, strlen(key)) == 0;
}

static bool has_lock(text_id content) {
    const char *line = text_words(content);

    for (; line && *line; line = strchr(line, '\n'), line += line != NULL)
        if (!outlives_lock(line, strcspn(line, " ")) &&
            !is_of_second_lock(line))
            return true;
    return false;
}

static int64_t next_end_ns(text_id content) {
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

// A text, parsed once, because a search asks for it often.
struct parsed {
    struct lock_state lock, second;
    bool has_lock;
    int64_t next_end_ns;
};
static size_t parsed_count;

static const struct parsed *parse_once(text_id content) {
    static struct parsed **parsed; // by number
    static text_id room;

    if (content >= room) {
        text_id size = 2 * content + 64;
        parsed = must_have(realloc(parsed, size * sizeof *parsed));
        memset(parsed + room, 0, (size - room) * sizeof *parsed);
        room = size;
    }
    if (!parsed[content]) {
        parsed[content] = must_have(malloc(sizeof **parsed));
        *parsed[content] = (struct parsed){
            .lock = masters > 1 ? parse_majority(content)
                                : parse(content, "lock"),
            .second = lock_count > 1 ? parse(content, "lock2")
                                : (struct lock_state){.ttl_ms = -1},
            .has_lock = has_lock(content),
            .next_end_ns = next_end_ns(content)};
        parsed_count++;
    }
    return parsed[content];
}

const struct lock_state *snapshot_lock(text_id content) {
    return &parse_once(content)->lock;
}

const struct lock_state *snapshot_second(text_id content) {
    return &parse_once(content)->second;
}

bool snapshot_has_lock(text_id content) {
    return parse_once(content)->has_lock;
}

int64_t snapshot_next_end_ns(text_id content) {
    return parse_once(content)->next_end_ns;
}

size_t snapshot_bytes(void) {
    return parsed_count * sizeof(struct parsed);
}
