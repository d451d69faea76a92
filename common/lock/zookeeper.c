#include "zookeeper.h"

#include "wait.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADED // the half of the library that has threads
#include <zookeeper/zookeeper.h>

struct zookeeper {
    zhandle_t *handle; // NULL: not open
    int session_ms;
    bool has_met; // a server has answered
    struct flag flag;
};

// --- the session -------------------------------------------------------------

// Called by a thread of the library's. A connection that comes and goes is no
// news: the library watches again what was watched, and says what it has
// missed.
static void happened(zhandle_t *handle, int type, int state, const char *path,
                     void *context) {
    struct zookeeper *zk = context;

    (void)handle;
    (void)path;
    if (type != ZOO_SESSION_EVENT || state == ZOO_EXPIRED_SESSION_STATE)
        flag_raise(&zk->flag);
}

static void end_session(struct zookeeper *zk) {
    if (zk->handle)
        zookeeper_close(zk->handle);
    zk->handle = NULL;
}

static const char *hosts(void) {
    const char *named = getenv("ZOOKEEPER_HOSTS");
    return named && *named ? named : "127.0.0.1:2181";
}

// (The library connects by itself, and queues requests until then.)
static bool begin_session(struct zookeeper *zk) {
    zoo_set_debug_level(0); // says nothing on standard error
    zk->handle =
        zookeeper_init(hosts(), happened, zk->session_ms, NULL, zk, 0);
    if (!zk->handle)
        lock_explain("cannot connect to ZooKeeper: ZOOKEEPER_HOSTS is not "
                     "host:port,host:port… with hosts that there are: '%s'",
                     hosts());
    return zk->handle != NULL;
}

struct zookeeper *zk_open(int session_ms) {
    struct zookeeper *zk = calloc(1, sizeof *zk);

    if (!zk) {
        lock_explain("no memory");
        return NULL;
    }
    zk->session_ms = session_ms;
    zk->flag.fd = -1;
    if (!flag_open(&zk->flag))
        lock_explain("no descriptors left");
    else if (begin_session(zk))
        return zk;
    zk_close(zk);
    return NULL;
}

void zk_close(struct zookeeper *zk) {
    if (!zk)
        return;
    end_session(zk);
    flag_close(&zk->flag);
    free(zk);
}

long long zk_session(struct zookeeper *zk) {
    return zk->handle && !is_unrecoverable(zk->handle)
               ? zoo_client_id(zk->handle)->client_id : 0;
}

bool zk_is_connected(struct zookeeper *zk, long long session) {
    return zk->handle && zoo_state(zk->handle) == ZOO_CONNECTED_STATE &&
           zk_session(zk) == session;
}

// --- calls -------------------------------------------------------------------

// True if there is a session to call in.
static bool is_open(struct zookeeper *zk) {
    if (zk->handle && is_unrecoverable(zk->handle))
        end_session(zk);
    return zk->handle || begin_session(zk);
}

static enum zk_result understood(struct zookeeper *zk, int error) {
    zk->has_met |= error != ZCONNECTIONLOSS && error != ZOPERATIONTIMEOUT;
    switch (error) {
    case ZOK:         return ZK_OK;
    case ZNONODE:     return ZK_NO_NODE;
    case ZNODEEXISTS: return ZK_NODE_EXISTS;
    case ZBADVERSION: return ZK_BAD_VERSION;
    case ZSESSIONEXPIRED:
    case ZINVALIDSTATE:
        lock_explain("the session is over");
        return ZK_EXPIRED;
    case ZCONNECTIONLOSS:
    case ZOPERATIONTIMEOUT:
        lock_explain(zk->has_met
                         ? "the connection was lost before an answer came"
                         : "cannot connect to the server");
        return ZK_NONE;
    default:
        lock_explain("ZooKeeper: %s", zerror(error));
        return ZK_ERROR;
    }
}

enum lock_result zk_answer(enum zk_result result, enum lock_result gone) {
    switch (result) {
    case ZK_OK:      return LOCK_OK;
    case ZK_NO_NODE:
    case ZK_EXPIRED: return gone;
    case ZK_NONE:    return LOCK_UNKNOWN;
    default:         return LOCK_ERROR;
    }
}

static enum zk_result create(struct zookeeper *zk, const char *path, int flags,
                             char made[ZK_PATH_SIZE]) {
    if (!is_open(zk))
        return ZK_NONE;
    return understood(zk, zoo_create(zk->handle, path, "", 0,
                                     &ZOO_OPEN_ACL_UNSAFE, flags, made,
                                     made ? ZK_PATH_SIZE : 0));
}

enum zk_result zk_ensure(struct zookeeper *zk, const char *path) {
    if (strlen(path) >= ZK_QUEUE_SIZE - 1) {
        lock_explain("a lock's name has at most %d bytes in ZooKeeper",
                     ZK_QUEUE_SIZE - 3);
        return ZK_ERROR;
    }
    bool has_met = zk->has_met;
    enum zk_result result = create(zk, path, ZOO_PERSISTENT, NULL);
    if (result == ZK_NONE && !has_met && zk->handle)
        lock_explain("cannot connect to ZooKeeper: no server answers at %s "
                     "(ZOOKEEPER_HOSTS)", hosts());
    if (result == ZK_NO_NODE)
        lock_explain("the node that is to hold %s is not there", path);
    return result == ZK_NODE_EXISTS ? ZK_OK : result;
}

enum zk_result zk_set(struct zookeeper *zk, const char *path,
                      const char *value, int version) {
    if (!is_open(zk))
        return ZK_NONE;
    return understood(zk, zoo_set(zk->handle, path, value, (int)strlen(value),
                                  version));
}

enum zk_result zk_get(struct zookeeper *zk, const char *path, char *value,
                      size_t size, int *version) {
    int length = (int)size - 1;
    struct Stat stat = {0};

    if (!is_open(zk))
        return ZK_NONE;
    enum zk_result result =
        understood(zk, zoo_get(zk->handle, path, 0, value, &length, &stat));
    value[result == ZK_OK && length > 0 ? length : 0] = '\0';
    *version = stat.version;
    return result;
}

enum zk_result zk_exists(struct zookeeper *zk, const char *path,
                         long long session) {
    if (!session || zk_session(zk) != session)
        return ZK_EXPIRED;
    return understood(zk, zoo_exists(zk->handle, path, 0, NULL));
}

enum zk_result zk_watch(struct zookeeper *zk, const char *path) {
    flag_lower(&zk->flag);
    return is_open(zk) ? understood(zk, zoo_exists(zk->handle, path, 1, NULL))
                       : ZK_NONE;
}

void zk_wait(struct zookeeper *zk, int ms) {
    wait_ms(&zk->flag, ms);
}

// --- a queue -----------------------------------------------------------------

static void queue_of(const char *path, char queue[ZK_QUEUE_SIZE]) {
    const char *slash = strrchr(path, '/');

    snprintf(queue, ZK_QUEUE_SIZE, "%.*s", (int)(slash - path), path);
}

// (Another client may have removed the queue, and may do so again.)
enum zk_result zk_join_queue(struct zookeeper *zk, char node[ZK_PATH_SIZE]) {
    char queue[ZK_QUEUE_SIZE], made[ZK_PATH_SIZE];
    enum zk_result result;

    queue_of(node, queue);
    do
        result = create(zk, node, ZOO_EPHEMERAL_SEQUENTIAL, made);
    while (result == ZK_NO_NODE && zk_ensure(zk, queue) == ZK_OK);
    if (result == ZK_OK)
        strcpy(node, made);
    if (result == ZK_ERROR)
        *node = '\0';
    return result;
}

// The server puts ten digits at the end of a name.
enum { DIGITS = 10 };

static const char *number_of(const char *name) {
    size_t length = strlen(name);

    return length > DIGITS ? name + length - DIGITS : name;
}

static bool has_number(const char *name) {
    return strlen(number_of(name)) == DIGITS &&
           strspn(number_of(name), "0123456789") == DIGITS;
}

long long zk_number(const char *path) {
    return atoll(number_of(path));
}

static const char *name_of(const char *path) {
    return strrchr(path, '/') + 1;
}

// The child whose name begins like this; NULL: there is none.
static const char *find(const struct String_vector *children,
                        const char *name) {
    for (int i = 0; i < children->count; i++)
        if (strncmp(children->data[i], name, strlen(name)) == 0)
            return children->data[i];
    return NULL;
}

// The names of all nodes in the queue of this one; to be freed also if it
// fails.
static enum zk_result list(struct zookeeper *zk, const char *node, bool watch,
                           struct String_vector *children) {
    char queue[ZK_QUEUE_SIZE];

    if (!is_open(zk))
        return ZK_NONE;
    queue_of(node, queue);
    return understood(zk,
                      zoo_get_children(zk->handle, queue, watch, children));
}

enum zk_result zk_find(struct zookeeper *zk, char node[ZK_PATH_SIZE]) {
    struct String_vector children = {0};
    enum zk_result result = list(zk, node, false, &children);

    if (result == ZK_OK) {
        const char *found = find(&children, name_of(node));
        if (found)
            strcpy(node + (name_of(node) - node), found);
        else
            result = ZK_NO_NODE;
    }
    deallocate_String_vector(&children);
    return result;
}

// Those before the node in the queue: how many, and the last of them.
static void count_before(const struct String_vector *children,
                         const char *node, struct zk_place *place) {
    const char *last = "";

    place->before = 0;
    for (int i = 0; i < children->count; i++) {
        const char *other = children->data[i];
        if (!has_number(other) ||
            strcmp(number_of(other), number_of(node)) >= 0)
            continue;
        place->before++;
        if (!*last || strcmp(number_of(other), number_of(last)) > 0)
            last = other;
    }
    place->next[0] = '\0';
    if (*last)
        snprintf(place->next, sizeof place->next, "%.*s%s",
                 (int)(name_of(node) - node), node, last);
}

static enum zk_result look(struct zookeeper *zk, const char *node, bool watch,
                           struct zk_place *place) {
    struct String_vector children = {0};
    enum zk_result result = list(zk, node, watch, &children);

    if (result == ZK_OK && !find(&children, name_of(node)))
        result = ZK_NO_NODE;
    if (result == ZK_OK)
        count_before(&children, node, place);
    deallocate_String_vector(&children);
    if (result == ZK_NO_NODE)
        lock_explain("our node was removed");
    return result;
}

enum zk_result zk_get_place(struct zookeeper *zk, const char *node,
                            struct zk_place *place) {
    return look(zk, node, false, place);
}

enum zk_result zk_watch_queue(struct zookeeper *zk, const char *node,
                              struct zk_place *place) {
    flag_lower(&zk->flag);
    return look(zk, node, true, place);
}

enum zk_result zk_leave_queue(struct zookeeper *zk, char node[ZK_PATH_SIZE]) {
    enum zk_result result = *node ? ZK_OK : ZK_NO_NODE;

    if (*node && !has_number(node))
        result = zk_find(zk, node);
    if (result == ZK_OK)
        result = is_open(zk) ? understood(zk, zoo_delete(zk->handle, node, -1))
                             : ZK_NONE;
    if (result != ZK_NONE && result != ZK_ERROR)
        *node = '\0';
    return result;
}
