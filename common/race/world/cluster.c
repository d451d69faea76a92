#include "cluster.h"

#include "clock.h"
#include "fail.h"
#include "resp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A replica gets everything at once, as a file. (Through a socket it would hear
// what comes afterwards only when it has acknowledged that; a word too early is
// not heard, and the next comes a second later.) A server looks 500 times a
// second, not 10, whether the file is written.
static const char replicating[] = "--repl-diskless-sync no --hz 500";

static struct redis_server *add_server(struct cluster *cluster,
                                       const char *options) {
    if (cluster->count == MAX_SERVERS)
        world_fail("more than %d servers in one world", MAX_SERVERS);
    struct redis_server *server = &cluster->servers[cluster->count];
    redis_server_open(server, cluster->count + 1);
    size_t length = (size_t)snprintf(server->options, sizeof server->options,
                                     "%s %s", replicating, options);
    if (length >= sizeof server->options)
        world_fail("the server's options are too long: at most %zu characters",
                   sizeof server->options - sizeof replicating - 1);
    redis_server_start(server);
    cluster->count++;
    return server;
}

void cluster_open(struct cluster *cluster, const char *options) {
    memset(cluster, 0, sizeof *cluster);
    for (int i = 0; i < MAX_SERVERS; i++)
        cluster->relays[i].listener.fd = -1;
    add_server(cluster, options);
}

void cluster_close(struct cluster *cluster) {
    for (int i = 0; i < cluster->count; i++) {
        if (cluster->relays[i].listener.fd >= 0)
            relay_shut(&cluster->relays[i]);
        if (cluster->servers[i].own)
            redis_server_kill(&cluster->servers[i]);
    }
}

struct redis_server *cluster_server(struct cluster *cluster, int number) {
    if (number < 0 || number >= cluster->count)
        world_fail("there is no server %d", number + 1);
    return &cluster->servers[number];
}

bool cluster_runs(const struct cluster *cluster, int number) {
    return cluster->servers[number].process.state == PROCESS_RUNS;
}

bool cluster_is_dead(const struct cluster *cluster, int number) {
    return cluster->servers[number].process.state == PROCESS_NONE;
}

// "\nmaster_repl_offset:123" in INFO replication; -1: not there.
static long long info_number(struct redis_server *server, const char *name) {
    redisReply *info = redis_server_ask(server, "INFO replication");
    const char *found = info->str ? strstr(info->str, name) : NULL;
    long long number = found ? atoll(found + strlen(name)) : -1;

    freeReplyObject(info);
    return number;
}

// The master has as many replicas as it should, and feeds them all.
static bool feeds(struct redis_server *master, int replicas) {
    redisReply *info = redis_server_ask(master, "INFO replication");
    int online = 0;

    for (const char *found = info->str;
         found && (found = strstr(found, "state=online")); found++)
        online++;
    freeReplyObject(info);
    return online == replicas;
}

static bool has_everything(struct redis_server *master,
                           struct redis_server *replica) {
    redisReply *role = redis_server_ask(replica, "ROLE");
    bool connected = role->elements > 3 &&
                     strcmp(role->element[3]->str, "connected") == 0;

    freeReplyObject(role);
    return connected && info_number(replica, "\nslave_repl_offset:") >=
                            info_number(master, "\nmaster_repl_offset:");
}

int cluster_add_replica(struct cluster *cluster) {
    int number = cluster->count;
    struct redis_server *master = &cluster->servers[0];
    struct redis_server *replica = add_server(cluster, "");
    int port = relay_open(&cluster->relays[number], master->path);

    freeReplyObject(redis_server_ask(replica, "REPLICAOF 127.0.0.1 %d", port));
    struct patience patience = {0};
    while (!has_everything(master, replica) || !feeds(master, number)) {
        if (!process_patience(&patience))
            world_fail("a replica did not catch up within %d s: %s",
                       PATIENCE_MS / 1000, replica->last_line);
        loop_turn(999);
    }
    return number;
}

void cluster_stop(struct cluster *cluster, int number) {
    process_stop(&cluster_server(cluster, number)->process);
}

void cluster_continue(struct cluster *cluster, int number) {
    process_continue(&cluster_server(cluster, number)->process);
}

void cluster_skew(struct cluster *cluster, int number, int64_t ns) {
    clock_skew(cluster_server(cluster, number)->slot, ns);
}

void cluster_hold_replication(struct cluster *cluster, int number) {
    cluster_server(cluster, number);
    relay_hold(&cluster->relays[number]);
}

static void need(const struct redis_server *server, enum process_state state,
                 const char *what) {
    static const char *const words[] = {
        [PROCESS_NONE] = "is down",
        [PROCESS_RUNS] = "runs",
        [PROCESS_STOPPED] = "is stopped",
    };

    if (server->process.state != state)
        world_fail("server %d cannot %s: it %s", server->number, what,
                   words[server->process.state]);
}

void cluster_check(struct cluster *cluster, const struct choice *choice) {
    const struct redis_server *server =
        cluster_server(cluster, choice->server);
    bool down = server->process.state == PROCESS_NONE;

    switch (choice->kind) {
    case CHOOSE_OPERATE:
    case CHOOSE_OPERATE_IN_VAIN:
        need(server, PROCESS_RUNS, "be told anything");
        break;
    case CHOOSE_START_SERVER:
        need(server, PROCESS_NONE, "be started");
        break;
    case CHOOSE_STOP_SERVER:
        need(server, PROCESS_RUNS, "be stopped");
        break;
    case CHOOSE_CONTINUE_SERVER:
        need(server, PROCESS_STOPPED, "continue");
        break;
    case CHOOSE_LOSE_UNSYNCED:
    case CHOOSE_WIPE_DISK:
        need(server, PROCESS_NONE, "lose what is on its disk");
        break;
    case CHOOSE_HOLD_REPLICATION:
        if (choice->server == 0)
            world_fail("server 1 replicates nobody");
        break;
    default:
        if (down)
            need(server, PROCESS_RUNS, "be killed or changed");
    }
}

char *cluster_operate(struct cluster *cluster, const struct choice *choice) {
    struct redis_server *server = cluster_server(cluster, choice->server);
    char where[32] = "", why[256] = "", *text = NULL;

    cluster_check(cluster, choice);
    redisReply *reply = redis_server_ask_slowly(server, choice->text);
    bool refused = reply->type == REDIS_REPLY_ERROR;
    if (refused)
        snprintf(why, sizeof why, "%s", reply->str);
    char *answer = resp_answer(reply);
    freeReplyObject(reply);
    if (refused && choice->kind == CHOOSE_OPERATE) {
        free(answer);
        world_fail("the server refuses %s: %s", choice->text, why);
    }
    if (!refused && choice->kind == CHOOSE_OPERATE_IN_VAIN) {
        free(answer);
        world_fail("the server does not refuse %s", choice->text);
    }
    if (cluster->count > 1)
        snprintf(where, sizeof where, " of server %d", server->number);
    if (asprintf(&text, "an operator%s: %s -> %s", where, choice->text,
                 answer) < 0)
        world_fail("no memory for an answer");
    free(answer);
    return text;
}
