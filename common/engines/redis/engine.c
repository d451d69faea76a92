#include "engine.h"

#include "instance.h"
#include "look.h"
#include "operator.h"
#include "requests.h"
#include "resp.h"

#include "base/fail.h"
#include "engines/relay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The master sends its data to a replica as a file. (If it sent them directly,
// it would wait for the replica's acknowledgement before it sends more. An
// acknowledgement that comes too early is lost, and the next comes a second
// later.) With --hz 500 the master looks 500 times a second, not 10 times,
// whether the file is written.
static const char replicating[] = "--repl-diskless-sync no --hz 500";

struct redis_engine {
    struct engine engine; // the first: this is how others know it
    struct instance servers[MAX_SERVERS];
    struct relay *relays[MAX_SERVERS]; // before the first, for each replica
    const char *options; // of the masters
    int least_replicas; // what a server wanted before it began to refuse writes
};

static struct redis_engine *redis_of(struct engine *engine) {
    return (struct redis_engine *)engine;
}

static struct instance *server_of(struct engine *engine, int number) {
    return &redis_of(engine)->servers[number];
}

static struct instance *add_server(struct engine *engine,
                                   const char *options) {
    struct instance *server = server_of(engine, engine->count);
    instance_open(server, engine->count + 1);
    size_t length = (size_t)snprintf(server->options, sizeof server->options,
                                     "%s %s", replicating, options);
    if (length >= sizeof server->options)
        fail("the server's options are too long: at most %zu characters",
             sizeof server->options - sizeof replicating - 1);
    instance_start(server);
    engine_register_server(engine, &server->daemon);
    return server;
}

static struct engine *open_engine(const char *options) {
    struct redis_engine *redis = must_have(calloc(1, sizeof *redis));

    redis->engine.kind = &redis_engine;
    add_server(&redis->engine, options);
    redis->options = options;
    redis->engine.masters = 1;
    return &redis->engine;
}

static void add_master(struct engine *engine) {
    add_server(engine, redis_of(engine)->options);
}

static void starts_often(struct engine *engine) {
    for (int i = 0; i < engine->masters; i++)
        server_of(engine, i)->starts_often = true;
}

// (A search runs for minutes and has no replica. A server that woke five
// hundred times a second for one would take a twelfth of all the work.)
static void serves_search(struct engine *engine) {
    starts_often(engine);
    for (int i = 0; i < engine->masters; i++) {
        struct instance *server = server_of(engine, i);
        snprintf(server->options, sizeof server->options, "--hz 10 %s",
                 redis_of(engine)->options);
        freeReplyObject(instance_ask(server, REDIS_REPLY_STATUS,
                                     "CONFIG SET hz 10"));
    }
}

static void close_engine(struct engine *engine) {
    for (int i = 0; i < engine->count; i++) {
        if (redis_of(engine)->relays[i])
            relay_shut(redis_of(engine)->relays[i]);
        instance_close(server_of(engine, i));
    }
    free(engine);
}

// "\nmaster_repl_offset:123" in INFO replication; -1: not there.
static long long info_number(struct instance *server, const char *name) {
    redisReply *info = instance_ask(server, REDIS_REPLY_STRING,
                                    "INFO replication");
    const char *found = strstr(info->str, name);
    long long number = found ? atoll(found + strlen(name)) : -1;

    freeReplyObject(info);
    return number;
}

// Does the master have this many replicas, and does it send to all of them?
static bool feeds(struct instance *master, int replicas) {
    redisReply *info = instance_ask(master, REDIS_REPLY_STRING,
                                    "INFO replication");
    int online = 0;

    for (const char *found = info->str;
         found && (found = strstr(found, "state=online")); found++)
        online++;
    freeReplyObject(info);
    return online == replicas;
}

static bool has_everything(struct instance *master,
                           struct instance *replica) {
    redisReply *role = instance_ask(replica, REDIS_REPLY_ARRAY, "ROLE");
    bool connected = role->elements > 3 &&
                     strcmp(role->element[3]->str, "connected") == 0;

    freeReplyObject(role);
    return connected && info_number(replica, "\nslave_repl_offset:") >=
                            info_number(master, "\nmaster_repl_offset:");
}

static void add_replica(struct engine *engine) {
    int number = engine->count;
    struct instance *master = server_of(engine, 0);
    struct instance *replica = add_server(engine, "");
    int replicas = engine->count - engine->masters, port;

    redis_of(engine)->relays[number] = relay_open(&master->daemon.door, &port);
    freeReplyObject(instance_ask(replica, REDIS_REPLY_STATUS,
                                 "REPLICAOF 127.0.0.1 %d", port));
    struct patience patience = {0};
    while (!has_everything(master, replica) || !feeds(master, replicas)) {
        if (!process_patience(&patience))
            fail("a replica did not catch up within %d s: %s",
                 PATIENCE_MS / 1000, replica->daemon.last_line);
        loop_turn(999);
    }
}

// --- a server ----------------------------------------------------------------

static bool has_met_others(struct engine *engine, int number) {
    return instance_has_met_others(server_of(engine, number));
}

static const char *version(const struct engine *engine) {
    return ((const struct redis_engine *)engine)->servers[0].version;
}

static void kill_server(struct engine *engine, int number) {
    instance_kill(server_of(engine, number));
}

static void start_server(struct engine *engine, int number) {
    instance_start(server_of(engine, number));
}

static void sync_disk(struct engine *engine, int number) {
    instance_sync_disk(server_of(engine, number));
}

static void lose_unsynced(struct engine *engine, int number) {
    instance_lose_unsynced(server_of(engine, number));
}

static void wipe_disk(struct engine *engine, int number) {
    instance_wipe_disk(server_of(engine, number));
}

// One thread does everything, in the order in which it came. But it writes the
// answers of one turn of its loop last come, first served: ours can be there
// before the others are. They are when it has answered in the next turn, too.
static bool catch_up(struct engine *engine, int number, int idle, bool works) {
    (void)idle;
    (void)works;
    for (int turn = 0; turn < 2; turn++)
        freeReplyObject(instance_ask(server_of(engine, number),
                                     REDIS_REPLY_STATUS, "PING"));
    return true;
}

static void hold_replication(struct engine *engine, int number) {
    relay_hold(redis_of(engine)->relays[number]);
}

// More than a world has: then a server refuses to write. (Other ways let some
// writes through: a server that has no memory left still takes DEL and
// PEXPIRE.)
enum { TOO_MANY_REPLICAS = 100 };

static void refuse_writes(struct engine *engine, int number) {
    struct instance *server = server_of(engine, number);

    redis_of(engine)->least_replicas = instance_replicas(server);
    instance_want_replicas(server, TOO_MANY_REPLICAS);
}

static void accept_writes(struct engine *engine, int number) {
    instance_want_replicas(server_of(engine, number),
                           redis_of(engine)->least_replicas);
}

static char *operate(struct engine *engine, int number, const char *command,
                     char *why, size_t size) {
    redisReply *reply = operator_type(server_of(engine, number), command);
    char *answer = resp_answer(reply);

    *why = '\0';
    if (reply->type == REDIS_REPLY_ERROR)
        snprintf(why, size, "%s", reply->str);
    freeReplyObject(reply);
    return answer;
}

// Policy and limit in one step of time: Redis 7 and later.
static const struct operator_command full_memory[] = {
    {"CONFIG SET maxmemory-policy volatile-lru", false},
    {"CONFIG SET maxmemory 1", false},
    {"SET filler 1", true},
    {"CONFIG SET maxmemory 0", false},
    {NULL, false},
};

static void forget(struct engine *engine) {
    for (int i = 0; i < engine->masters; i++)
        instance_forget(server_of(engine, i));
}

// --- the lock ----------------------------------------------------------------

static struct lock_state look(struct engine *engine, int number,
                              const char *key) {
    return look_at(server_of(engine, number), key);
}

static char *content(struct engine *engine, int number, const char *key,
                     const struct lock_state *lock) {
    return look_at_all(server_of(engine, number), key, lock);
}

static bool may_change(struct engine *engine, int number,
                       const struct message *request, bool in_transaction) {
    return look_may_change(server_of(engine, number), request, in_transaction);
}

static bool would_change(struct engine *engine, int number,
                         const struct message *request, bool in_transaction) {
    return look_would_change(server_of(engine, number), request,
                             in_transaction);
}

static bool reads(struct engine *engine, int number,
                  const struct message *request, bool in_transaction,
                  const char *key) {
    return look_reads(server_of(engine, number), request, in_transaction, key);
}

// --- clients -----------------------------------------------------------------

enum { URL_SIZE = sizeof "unix://" + SANDBOX_PATH_SIZE };

// The text, with what is added at its end, a space before it if there is
// something already.
static void add_url(char *urls, size_t size, const char *url) {
    size_t length = strlen(urls);
    snprintf(urls + length, size - length, "%s%s", length > 0 ? " " : "", url);
}

static int client_environment(struct variable *environment,
                              const struct address *addresses, int count) {
    static char url[URL_SIZE], loopback[URL_SIZE];
    static char urls[ENGINE_MASTERS * URL_SIZE];
    static char loopbacks[ENGINE_MASTERS * URL_SIZE];
    char next[URL_SIZE];
    int variables = 0;

    *urls = *loopbacks = '\0';
    for (int i = 0; i < count; i++) {
        snprintf(next, sizeof next, "unix://%s", addresses[i].socket);
        add_url(urls, sizeof urls, next);
        snprintf(next, sizeof next, "redis://127.0.0.1:%d", addresses[i].port);
        add_url(loopbacks, sizeof loopbacks, next);
    }
    snprintf(url, sizeof url, "%.*s", (int)strcspn(urls, " "), urls);
    snprintf(loopback, sizeof loopback, "%.*s",
             (int)strcspn(loopbacks, " "), loopbacks);
    environment[variables++] = (struct variable){"REDIS_URL", url};
    if (count > 1)
        environment[variables++] = (struct variable){"REDIS_URLS", urls};
    if (addresses[0].port == 0)
        return variables;
    environment[variables++] =
        (struct variable){"REDIS_LOOPBACK_URL", loopback};
    if (count > 1)
        environment[variables++] =
            (struct variable){"REDIS_LOOPBACK_URLS", loopbacks};
    return variables;
}

// --- the table ---------------------------------------------------------------

const struct engine_kind redis_engine = {
    .name = "redis",
    .title = "Redis",
    .wire = &resp,
    .open = open_engine,
    .close = close_engine,
    .add_master = add_master,
    .add_replica = add_replica,
    .starts_often = starts_often,
    .serves_search = serves_search,
    .version = version,
    .client_environment = client_environment,
    .kill = kill_server,
    .start = start_server,
    .has_met_others = has_met_others,
    .sync_disk = sync_disk,
    .lose_unsynced = lose_unsynced,
    .takes_options = true,
    .wipe_disk = wipe_disk,
    .refuse_writes = refuse_writes,
    .accept_writes = accept_writes,
    .catch_up = catch_up,
    .hold_replication = hold_replication,
    .operate = operate,
    .full_memory = full_memory,
    .refusal = "CONFIG SET min-replicas-to-write 100",
    .acceptance = "CONFIG SET min-replicas-to-write 0",
    .replication = "replicates server 1",
    .promotion = "REPLICAOF NO ONE",
    .forget = forget,
    .forgets_restarts = true,
    .forgets_refusals = true,
    .forgets_command = operator_is_forgotten,
    .look = look,
    .content = content,
    .may_change = may_change,
    .would_change = would_change,
    .reads = reads,
    .look_at_write = look_at_write,
    .requests = &redis_requests,
    .number_scripts_by_text = resp_number_scripts_by_text,
    .forget_scripts = resp_forget_scripts,
    .learn_scripts = resp_learn_scripts,
};
