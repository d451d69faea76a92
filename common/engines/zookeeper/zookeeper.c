#include "zookeeper.h"

#include "base/fail.h"
#include "base/units.h"
#include "children.h"
#include "ensemble.h"
#include "frames.h"
#include "machine/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct zookeeper_engine {
    struct engine engine; // the first: this is how others know it
    struct zookeeperd servers[ENSEMBLE]; // the first alone, or all
};

enum { PATH_SIZE = 512 };

static struct zookeeperd *server_of(struct engine *engine, int number) {
    return &((struct zookeeper_engine *)engine)->servers[number];
}

// NULL: one server stands alone.
static struct zookeeperd *ensemble_of(struct engine *engine) {
    struct zookeeperd *first = server_of(engine, 0);
    return first->peers ? first : NULL;
}

// --- life --------------------------------------------------------------------

static struct engine *open_engine(const char *options) {
    struct zookeeper_engine *zookeeper =
        must_have(calloc(1, sizeof *zookeeper));
    struct zookeeperd *server = &zookeeper->servers[0];

    (void)options; // Redis's, for what is always so here
    zookeeper->engine.kind = &zookeeper_engine;
    zookeeperd_open(server, 1);
    zookeeperd_start(server);
    engine_register_server(&zookeeper->engine, &server->daemon);
    zookeeper->engine.masters = 1;
    return &zookeeper->engine;
}

static void close_engine(struct engine *engine) {
    if (ensemble_of(engine))
        ensemble_close(ensemble_of(engine));
    else
        zookeeperd_close(server_of(engine, 0));
    free(engine);
}

// An ensemble of two would not survive the death of one: there are always
// three, also where a story knows only two of them.
static void add_replica(struct engine *engine) {
    if (engine->count == ENSEMBLE)
        fail("an ensemble has %d servers here", ENSEMBLE);
    if (!ensemble_of(engine))
        ensemble_begin(server_of(engine, 0));
    engine_register_server(engine, &server_of(engine, engine->count)->daemon);
}

static const char *version(const struct engine *engine) {
    return ((const struct zookeeper_engine *)engine)->servers[0].version;
}

static int client_environment(struct variable *environment,
                              const struct address *addresses, int count) {
    static char hosts[64];

    (void)count;
    snprintf(hosts, sizeof hosts, "127.0.0.1:%d", addresses[0].port);
    environment[0] = (struct variable){"ZOOKEEPER_HOSTS", hosts};
    return 1;
}

static void kill_server(struct engine *engine, int number) {
    if (ensemble_of(engine))
        ensemble_kill(ensemble_of(engine), number);
    else
        zookeeperd_kill(server_of(engine, number));
}

static void start_server(struct engine *engine, int number) {
    if (ensemble_of(engine))
        ensemble_start(ensemble_of(engine), number);
    else
        zookeeperd_start(server_of(engine, number));
}

static bool has_met_others(struct engine *engine, int number) {
    return ensemble_of(engine)
               ? ensemble_has_met_others(ensemble_of(engine))
               : zookeeperd_has_met_others(server_of(engine, number));
}

static void pass_time(struct engine *engine, int64_t ns) {
    if (ensemble_of(engine))
        ensemble_pass_time(ensemble_of(engine), ns);
    else
        clock_move(ns);
}

static void hold_replication(struct engine *engine, int number) {
    ensemble_part(ensemble_of(engine), number);
}

static void wipe_disk(struct engine *engine, int number) {
    zookeeperd_wipe(server_of(engine, number));
}

static bool catch_up(struct engine *engine, int number, int idle, bool works) {
    struct zookeeperd *server = server_of(engine, number);

    (void)idle;
    server->rested = server->rested && !works;
    return ensemble_of(engine) ? ensemble_rests(ensemble_of(engine))
                               : zookeeperd_rests(server);
}

// --- the nodes ---------------------------------------------------------------

// NULL: there is no such node.
static char **children_of(struct zookeeperd *server, const char *path) {
    int32_t error;
    char **names = zoo_children(server->own, path, &error);

    server->rested = false;
    if (!names && error != ERROR_NO_NODE)
        zookeeperd_fail(server, "ls");
    return names;
}

static int32_t delete_node(struct zookeeperd *server, const char *path) {
    int32_t error;

    if (!zoo_delete(server->own, path, &error))
        zookeeperd_fail(server, "delete");
    server->rested = false;
    return error;
}

// Does this to all nodes below this one, and then to itself, but not to the
// server's own. To how many it could be done.
static int to_all(struct zookeeperd *server, const char *path,
                  int32_t (*act)(struct zookeeperd *server, const char *path)) {
    char **names = children_of(server, path), below[PATH_SIZE];
    int done = 0;

    for (char **name = names; name && *name; name++) {
        snprintf(below, sizeof below, "%s/%s", strcmp(path, "/") ? path : "",
                 *name);
        if (strcmp(below, "/zookeeper") != 0)
            done += to_all(server, below, act);
    }
    children_free(names);
    return done + (act(server, path) == 0);
}

// Ends the sessions of the clients, which are all gone, and deletes the nodes
// that they have left.
static void forget(struct engine *engine) {
    struct zookeeperd *server = server_of(engine, 0);

    zookeeperd_come_to_rest(server);
    to_all(server, "/", delete_node); // but for itself
    zookeeperd_make_resource(server);
}

// --- refused writes ----------------------------------------------------------

// A node that is gone by now needs none. One whose maker has given it rights of
// its own is its maker's: then not every write would be refused.
static int32_t set_rights(struct zookeeperd *server, const char *path,
                          enum zoo_rights rights) {
    int32_t error;

    if (!zoo_set_rights(server->own, path, rights, &error))
        zookeeperd_fail(server, "setAcl");
    server->rested = false;
    if (error != 0 && error != ERROR_NO_NODE)
        fail("the server cannot refuse what is written to %s: %s", path,
             frames_error(error));
    return error;
}

static int32_t allow_reading(struct zookeeperd *server, const char *path) {
    return set_rights(server, path, ZOO_READ | ZOO_GIVE_RIGHTS);
}

static int32_t allow_all(struct zookeeperd *server, const char *path) {
    return set_rights(server, path, ZOO_ALL_RIGHTS);
}

// A client's write is refused with the error NoAuth.
static void refuse_writes(struct engine *engine, int number) {
    to_all(server_of(engine, number), "/", allow_reading);
}

static void accept_writes(struct engine *engine, int number) {
    to_all(server_of(engine, number), "/", allow_all);
}

// Nodes are gone anyway; rights stay.
static bool forgets_command(const char *command) {
    return strncmp(command, "delete", strlen("delete")) == 0;
}

static bool serves(struct engine *engine, int number) {
    return !ensemble_of(engine) || zookeeperd_serves(server_of(engine, number));
}

// --- the lock ----------------------------------------------------------------

static int place_of(const char *name) {
    return 1 + (int)children_number(name);
}

static struct lock_state look(struct engine *engine, int number,
                              const char *key) {
    struct lock_state state = {.ttl_ms = -1};
    char path[PATH_SIZE];

    if (!serves(engine, number)) {
        state.down = true;
        return state;
    }
    snprintf(path, sizeof path, "/%s", key);
    char **names = children_of(server_of(engine, number), path);
    if (names && names[0]) {
        char **last = names;
        while (last[1])
            state.places += place_of(*last++);
        state.exists = state.with_holder = true;
        state.behind = (int)(last - names);
        snprintf(state.value, sizeof state.value, "%s", names[0]);
        state.first = place_of(names[0]);
        state.last = place_of(*last);
        state.places += state.last;
    }
    children_free(names);
    return state;
}

// --- an operator -------------------------------------------------------------

// An operator's words that delete the node of the lock's holder. The node's
// name begins with a token that differs in every run, so the words have a star
// there. NULL: there is none.
static const char *delete_first(struct engine *engine, const char *key) {
    static char command[64];
    struct lock_state lock = look(engine, 0, key);

    snprintf(command, sizeof command, "delete /KEY/*-%010d", lock.first - 1);
    return lock.exists ? command : NULL;
}

static const char *operators_words(struct engine *engine, const char *command,
                                   const char *key) {
    if (!engine_runs(engine, 0))
        return NULL;
    if (strcmp(command, "FLUSHALL") == 0)
        return "deleteall /KEY";
    return strcmp(command, "DEL KEY") == 0 ? delete_first(engine, key) : NULL;
}

// Deletes the node with this number in its queue: "/lock/*-0000000000". How
// many there were.
static int delete_numbered(struct zookeeperd *server, const char *path) {
    const char *star = strchr(path, '*');
    char parent[PATH_SIZE], below[2 * PATH_SIZE];
    int done = 0;

    if (!star || star == path)
        return delete_node(server, path) == 0;
    snprintf(parent, sizeof parent, "%.*s", (int)(star - 1 - path), path);
    char **names = children_of(server, parent);
    for (char **name = names; name && *name; name++)
        if (children_number(*name) == atoi(star + strlen("*-"))) {
            snprintf(below, sizeof below, "%s/%s", parent, *name);
            done += delete_node(server, below) == 0;
        }
    children_free(names);
    return done;
}

// The server's place among several: leader or follower.
static char *ask_mode(struct zookeeperd *server) {
    char mode[128];

    zoo_mode(&server->daemon.door, mode, sizeof mode);
    server->rested = false;
    return must_have(strdup(mode));
}

static char *operate(struct engine *engine, int number, const char *command,
                     char *why, size_t size) {
    static const char all[] = "deleteall ", one[] = "delete ";
    struct zookeeperd *server = server_of(engine, number);
    char *text = NULL;
    int done = 0;

    why[0] = '\0';
    if (strcmp(command, zookeeper_engine.promotion) == 0)
        return ask_mode(server);
    if (strcmp(command, zookeeper_engine.refusal) == 0)
        done = to_all(server, "/", allow_reading);
    else if (strcmp(command, zookeeper_engine.acceptance) == 0)
        done = to_all(server, "/", allow_all);
    else if (strncmp(command, all, strlen(all)) == 0)
        done = to_all(server, command + strlen(all), delete_node);
    else if (strncmp(command, one, strlen(one)) == 0)
        done = delete_numbered(server, command + strlen(one));
    else
        snprintf(why, size, "an operator here types delete, deleteall, setAcl "
                            "or srvr, and not '%s'", command);
    if (asprintf(&text, "%d node%s", done, done == 1 ? "" : "s") < 0)
        fail("no memory for an answer");
    return text;
}

// --- requests ----------------------------------------------------------------

static bool is_word(const struct message *request, const char *word) {
    return request->words[0] && strcmp(request->words[0], word) == 0;
}

// (A ping changes no node, but it prolongs its session and so its nodes. A
// request that is not known here may do anything.)
static bool may_change(struct engine *engine, int number,
                       const struct message *request, bool in_transaction) {
    static const char *const changes[] = {"create", "delete", "set", "multi",
                                          "close", "ping", "request"};

    (void)engine;
    (void)number;
    (void)in_transaction;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (is_word(request, changes[i]))
            return true;
    return false;
}

// "/lock" or something below it.
static bool is_of_lock(const char *path, const char *key) {
    size_t length = strlen(key);

    return path[0] == '/' && strncmp(path + 1, key, length) == 0 &&
           (path[1 + length] == '\0' || path[1 + length] == '/');
}

static bool reads(struct engine *engine, int number,
                  const struct message *request, bool in_transaction,
                  const char *key) {
    (void)engine;
    (void)number;
    (void)in_transaction;
    if (!is_word(request, "ls") && !is_word(request, "stat") &&
        !is_word(request, "get"))
        return false;
    for (char **word = request->words; *word; word++)
        if (is_of_lock(*word, key))
            return true;
    return false;
}

// "written"; with a number behind it, it is fenced.
static bool is_plain(const char *value) {
    return !value || !strpbrk(value, "0123456789");
}

static enum write look_at_write(const struct message *request,
                                const struct message *answer) {
    if (!answer || strcmp(answer->text, "OK") != 0 || !is_word(request, "set"))
        return WRITE_NONE;
    for (char **word = request->words; *word; word++)
        if (strcmp(*word, "/resource") == 0)
            return is_plain(word[1]) ? WRITE_TAKEN : WRITE_FENCED;
    return WRITE_NONE;
}

// --- the table ---------------------------------------------------------------

const struct engine_kind zookeeper_engine = {
    .name = "zookeeper",
    .title = "ZooKeeper",
    .wire = &frames,
    .by_port = true,
    .unordered_after_stop = true,
    .acts_by_itself = true,
    .ends_in_rounds = true,
    .refuses_the_ahead = true,
    .serves = serves,
    .open = open_engine,
    .close = close_engine,
    .version = version,
    .client_environment = client_environment,
    .kill = kill_server,
    .start = start_server,
    .has_met_others = has_met_others,
    .wipe_disk = wipe_disk,
    .add_replica = add_replica,
    .hold_replication = hold_replication,
    .replication = "follows server 1, in an ensemble of three",
    .promotion = "srvr",
    .refuse_writes = refuse_writes,
    .accept_writes = accept_writes,
    .refusal = "setAcl -R / world:anyone:ra",
    .acceptance = "setAcl -R / world:anyone:cdrwa",
    .election_ns = 2 * SECOND,
    .pass_time = pass_time,
    .catch_up = catch_up,
    .operate = operate,
    .operators_words = operators_words,
    .forget = forget,
    .forgets_restarts = true,
    .forgets_refusals = true,
    .forgets_command = forgets_command,
    .look = look,
    .may_change = may_change,
    .would_change = may_change,
    .reads = reads,
    .look_at_write = look_at_write,
};
