// What the lock protects, where the lock is in ZooKeeper: a node /resource on
// the same servers, in a session of its own, as it would be on another server.
#include "resource.h"
#include "zookeeper.h"

#include <stddef.h>

enum { SESSION_MS = 30000 };

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
    default:      return LOCK_ERROR;
    }
}

// In a session that is over nothing is done; the next one is a new one.
enum lock_result resource_write(long long fence) {
    struct zookeeper *zk = connected();

    (void)fence;
    if (!zk)
        return LOCK_UNKNOWN;
    enum zk_result result = zk_set(zk, "/resource", "written");
    if (result == ZK_EXPIRED)
        result = zk_set(zk, "/resource", "written");
    return understood(result);
}

enum lock_result resource_write_apart(long long fence) {
    struct zookeeper *zk = connected();
    char value[16];

    if (!zk)
        return LOCK_UNKNOWN;
    enum zk_result result = zk_get(zk, "/resource", value, sizeof value);
    if (result == ZK_EXPIRED)
        result = zk_get(zk, "/resource", value, sizeof value);
    return result == ZK_OK ? resource_write(fence) : understood(result);
}
