#include "engine.h"

#include "look.h"
#include "operator.h"
#include "resp.h"

#include "machine/clock.h"
#include "base/fail.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The master sends its data to a replica as a file. (If it sent them directly,
// it would wait for the replica's acknowledgement before it sends what comes
// afterwards; one that comes too early is lost, and the next comes a second
// later.) With --hz 500 the master looks 500 times a second, not 10 times,
// whether the file is written.
static const char replicating[] = "--repl-diskless-sync no --hz 500";

static struct instance *add_server(struct engine *engine,
                                   const char *options) {
    if (engine->count == MAX_SERVERS)
        fail("more than %d servers in one world", MAX_SERVERS);
    struct instance *server = &engine->servers[engine->count];
    instance_open(server, engine->count + 1);
    size_t length = (size_t)snprintf(server->options, sizeof server->options,
                                     "%s %s", replicating, options);
    if (length >= sizeof server->options)
        fail("the server's options are too long: at most %zu characters",
             sizeof server->options - sizeof replicating - 1);
    instance_start(server);
    engine->count++;
    return server;
}

void engine_open(struct engine *engine, const char *options) {
    memset(engine, 0, sizeof *engine);
    add_server(engine, options);
    engine->options = options;
    engine->masters = 1;
}

int engine_add_master(struct engine *engine) {
    add_server(engine, engine->options);
    return engine->masters++;
}

void engine_starts_often(struct engine *engine) {
    for (int i = 0; i < engine->masters; i++)
        engine->servers[i].starts_often = true;
}

void engine_close(struct engine *engine) {
    for (int i = 0; i < engine->count; i++) {
        if (engine->relays[i])
            relay_shut(engine->relays[i]);
        instance_close(&engine->servers[i]);
    }
}

static struct instance *server_of(struct engine *engine, int number) {
    if (number < 0 || number >= engine->count)
        fail("there is no server %d", number + 1);
    return &engine->servers[number];
}

bool engine_runs(const struct engine *engine, int number) {
    return engine->servers[number].process.state == PROCESS_RUNS;
}

bool engine_is_dead(const struct engine *engine, int number) {
    return engine->servers[number].process.state == PROCESS_NONE;
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

int engine_add_replica(struct engine *engine) {
    int number = engine->count;
    struct instance *master = &engine->servers[0];
    struct instance *replica = add_server(engine, "");
    int replicas = engine->count - engine->masters, port;

    engine->relays[number] = relay_open(&master->door, &port);
    freeReplyObject(instance_ask(replica, REDIS_REPLY_STATUS,
                                 "REPLICAOF 127.0.0.1 %d", port));
    struct patience patience = {0};
    while (!has_everything(master, replica) || !feeds(master, replicas)) {
        if (!process_patience(&patience))
            fail("a replica did not catch up within %d s: %s",
                 PATIENCE_MS / 1000, replica->last_line);
        loop_turn(999);
    }
    return number;
}

// --- a server ----------------------------------------------------------------

struct door *engine_door(struct engine *engine, int number) {
    return &engine->servers[number].door;
}

bool engine_has_met_others(struct engine *engine) {
    bool some = false;

    for (int i = 0; i < engine->count; i++)
        some = instance_has_met_others(&engine->servers[i]) || some;
    return some;
}

const char *engine_version(const struct engine *engine) {
    return engine->servers[0].version;
}

void engine_kill(struct engine *engine, int number) {
    instance_has_met_others(server_of(engine, number));
    instance_kill(server_of(engine, number));
}

void engine_start(struct engine *engine, int number) {
    instance_start(server_of(engine, number));
}

void engine_stop(struct engine *engine, int number) {
    process_stop(&server_of(engine, number)->process);
}

void engine_continue(struct engine *engine, int number) {
    process_continue(&server_of(engine, number)->process);
}

void engine_skew(struct engine *engine, int number, int64_t ns) {
    clock_skew(server_of(engine, number)->slot, ns);
}

void engine_sync_disk(struct engine *engine, int number) {
    instance_sync_disk(server_of(engine, number));
}

void engine_lose_unsynced(struct engine *engine, int number) {
    instance_lose_unsynced(server_of(engine, number));
}

void engine_wipe_disk(struct engine *engine, int number) {
    instance_wipe_disk(server_of(engine, number));
}

// One thread does everything, in the order in which it came.
void engine_catch_up(struct engine *engine, int number) {
    freeReplyObject(instance_ask(server_of(engine, number), REDIS_REPLY_STATUS,
                                 "PING"));
}

void engine_hold_replication(struct engine *engine, int number) {
    server_of(engine, number);
    relay_hold(engine->relays[number]);
}

// A server can be told how many replicas it must have before it may write. This
// is more than a world has. (Other ways let some writes through: a server that
// has no memory left still takes DEL and PEXPIRE.)
enum { TOO_MANY_REPLICAS = 100 };

static void want_replicas(struct instance *server, int count) {
    freeReplyObject(instance_ask(server, REDIS_REPLY_STATUS,
                                 "CONFIG SET min-replicas-to-write %d", count));
}

void engine_refuse_writes(struct engine *engine, int number) {
    struct instance *server = server_of(engine, number);
    redisReply *setting = instance_ask(server, REDIS_REPLY_ARRAY,
                                       "CONFIG GET min-replicas-to-write");

    engine->least_replicas = setting->elements == 2
                                 ? atoi(setting->element[1]->str) : 0;
    freeReplyObject(setting);
    want_replicas(server, TOO_MANY_REPLICAS);
}

void engine_accept_writes(struct engine *engine, int number) {
    want_replicas(server_of(engine, number), engine->least_replicas);
}

char *engine_operate(struct engine *engine, int number, const char *command,
                     bool in_vain) {
    struct instance *server = server_of(engine, number);
    char where[32] = "", why[256] = "", *text = NULL;
    redisReply *reply = operator_type(server, command);
    bool refused = reply->type == REDIS_REPLY_ERROR;

    if (refused)
        snprintf(why, sizeof why, "%s", reply->str);
    char *answer = resp_answer(reply);
    freeReplyObject(reply);
    if (refused && !in_vain)
        fail("the server refuses %s: %s", command, why);
    if (!refused && in_vain)
        fail("the server does not refuse %s", command);
    if (engine->count > 1)
        snprintf(where, sizeof where, " of server %d", server->number);
    if (asprintf(&text, "an operator%s: %s -> %s", where, command, answer) < 0)
        fail("no memory for an answer");
    free(answer);
    return text;
}

// Policy and limit in one step of time: Redis 7 and later.
const struct operator_command
    engine_full_memory[ENGINE_FULL_MEMORY_COMMANDS] = {
    {"CONFIG SET maxmemory-policy volatile-lru", false},
    {"CONFIG SET maxmemory 1", false},
    {"SET filler 1", true},
    {"CONFIG SET maxmemory 0", false},
};

const char engine_refusal[] = "CONFIG SET min-replicas-to-write 100";
const char engine_acceptance[] = "CONFIG SET min-replicas-to-write 0";
const char engine_promotion[] = "REPLICAOF NO ONE";

void engine_forget(struct engine *engine) {
    for (int i = 0; i < engine->masters; i++)
        instance_forget(&engine->servers[i]);
}

// --- the lock ----------------------------------------------------------------

struct lock_state engine_look(struct engine *engine, int number,
                              const char *key) {
    struct instance *server = server_of(engine, number);

    if (!server->own)
        return (struct lock_state){.ttl_ms = -1, .down = true};
    return look_at(server, key);
}

char *engine_content(struct engine *engine, int number, const char *key,
                     const struct lock_state *lock) {
    return look_at_all(server_of(engine, number), key, lock);
}

bool engine_may_change(struct engine *engine, int number,
                       const struct message *request, bool in_transaction) {
    return look_may_change(server_of(engine, number), request, in_transaction);
}

bool engine_would_change(struct engine *engine, int number,
                         const struct message *request, bool in_transaction) {
    return look_would_change(server_of(engine, number), request,
                             in_transaction);
}

bool engine_reads(struct engine *engine, int number,
                  const struct message *request, bool in_transaction,
                  const char *key) {
    return look_reads(server_of(engine, number), request, in_transaction, key);
}

enum write engine_look_at_write(const struct message *request,
                                const struct message *answer) {
    return look_at_write(request, answer);
}

// --- clients -----------------------------------------------------------------

const struct wire_format *const engine_wire = &resp;

enum { URL_SIZE = sizeof "unix://" + SANDBOX_PATH_SIZE };

// The text, with what is added at its end, a space before it if there is
// something already.
static void add_url(char *urls, size_t size, const char *url) {
    size_t length = strlen(urls);
    snprintf(urls + length, size - length, "%s%s", length > 0 ? " " : "", url);
}

int engine_client_environment(struct variable *environment,
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

void engine_number_scripts_by_text(void) {
    resp_number_scripts_by_text();
}

void engine_forget_scripts(void) {
    resp_forget_scripts();
}

void engine_learn_scripts(bool on) {
    resp_learn_scripts(on);
}
