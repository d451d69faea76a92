// The resource of a lock in ZooKeeper: a node /resource on
// the same servers, in a session of its own, as it would be on another server.
//
// A careful write has two requests. It looks for the highest number, which
// stands behind the word "written". Then it writes on the condition that nobody
// has written since. If somebody has, it looks again.
#include "resource.h"
#include "zookeeper.h"

#include <stdio.h>

enum { SESSION_MS = 30000, VALUE_SIZE = 32 };

static const char path[] = "/resource";

static struct zookeeper *connected(void) {
    static struct zookeeper *zk;

    if (!zk)
        zk = zk_open(SESSION_MS);
    return zk;
}

static enum lock_result understood(enum zk_result result) {
    switch (result) {
    case ZK_OK:   return LOCK_OK;
    case ZK_NONE: return LOCK_UNKNOWN;
    case ZK_NO_NODE:
        lock_explain("there is no node %s (create %s)", path, path);
        return LOCK_ERROR;
    default: return LOCK_ERROR;
    }
}

// In a session that is over nothing is done; the next one is a new one.
static enum zk_result set(struct zookeeper *zk, const char *value,
                          int version) {
    enum zk_result result = zk_set(zk, path, value, version);

    return result == ZK_EXPIRED ? zk_set(zk, path, value, version) : result;
}

static enum zk_result get(struct zookeeper *zk, long long *highest,
                          int *version) {
    char value[VALUE_SIZE];
    enum zk_result result = zk_get(zk, path, value, sizeof value, version);

    if (result == ZK_EXPIRED)
        result = zk_get(zk, path, value, sizeof value, version);
    if (sscanf(value, "written %lld", highest) != 1)
        *highest = NO_FENCE;
    return result;
}

static void words(char value[VALUE_SIZE], long long fence) {
    if (fence == NO_FENCE)
        snprintf(value, VALUE_SIZE, "written");
    else
        snprintf(value, VALUE_SIZE, "written %lld", fence);
}

enum lock_result resource_write(long long fence) {
    struct zookeeper *zk = connected();
    int version = ZK_ANY_VERSION;
    char value[VALUE_SIZE];
    enum zk_result result;
    long long highest;

    if (!zk)
        return LOCK_UNKNOWN;
    words(value, fence);
    do {
        if (fence != NO_FENCE) {
            result = get(zk, &highest, &version);
            if (result != ZK_OK)
                return understood(result);
            if (fence < highest)
                return LOCK_LOST;
        }
        result = set(zk, value, version);
    } while (result == ZK_BAD_VERSION);
    return understood(result);
}

enum lock_result resource_write_apart(long long fence) {
    struct zookeeper *zk = connected();
    char value[VALUE_SIZE];
    long long highest;
    int version;

    if (!zk)
        return LOCK_UNKNOWN;
    words(value, fence);
    enum zk_result result = get(zk, &highest, &version);
    if (result != ZK_OK)
        return understood(result);
    if (fence != NO_FENCE && fence < highest)
        return LOCK_LOST;
    return understood(set(zk, value, ZK_ANY_VERSION));
}
