#include "mariadb.h"

#include "base/fail.h"
#include "engines/relay.h"
#include "look.h"
#include "machine/clock.h"
#include "mariadbd.h"
#include "packets.h"
#include "replica.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct mariadb_engine {
    struct engine engine; // the first: this is how others know it
    struct mariadbd servers[MAX_SERVERS];
    struct relay *relays[MAX_SERVERS]; // before the first, for each replica
    bool held[MAX_SERVERS]; // the relay lets nothing through any more
};

static struct mariadb_engine *mariadb_of(struct engine *engine) {
    return (struct mariadb_engine *)engine;
}

static struct mariadbd *server_of(struct engine *engine, int number) {
    return &mariadb_of(engine)->servers[number];
}

// --- replicas ----------------------------------------------------------------

// While a replica is stopped, its master goes on sending what it has committed.
// Is all of it on its way? If the master is killed now, that will arrive.
static bool has_sent(struct engine *engine, int number) {
    struct process *master = &server_of(engine, 0)->daemon.process;
    uint64_t mark;

    return !engine_runs(engine, 0) ||
           (tasks_rest(&master->tasks, master->pid, &mark) &&
            relay_has_read(mariadb_of(engine)->relays[number]));
}

// Have they all that has been committed? The data in the relay never come.
static bool rests(struct engine *engine, int number) {
    struct mariadbd *replica = server_of(engine, number);

    if (engine_is_dead(engine, number))
        return true;
    if (!engine_runs(engine, number))
        return mariadb_of(engine)->held[number] || has_sent(engine, number);
    if (mariadb_of(engine)->held[number])
        return replica_did_all(replica);
    if (engine_is_dead(engine, 0))
        return replica_rests(replica, NULL);
    return !engine_runs(engine, 0) ||
           replica_rests(replica, server_of(engine, 0));
}

static bool replicas_rest(struct engine *engine) {
    for (int i = engine->masters; i < engine->count; i++)
        if (!rests(engine, i))
            return false;
    return true;
}

// The relay works in this loop, and passes on the changes on their way.
static void await_replicas(struct engine *engine) {
    struct patience patience = {0};

    while (!replicas_rest(engine)) {
        if (!process_patience(&patience))
            fail("a replica did not catch up within %d s",
                 PATIENCE_MS / 1000);
        loop_turn(999);
    }
}

// --- life --------------------------------------------------------------------

static struct mariadbd *add_server(struct engine *engine, bool is_replica) {
    struct mariadbd *server = server_of(engine, engine->count);

    mariadbd_open(server, engine->count + 1);
    server->is_replica = is_replica;
    mariadbd_start(server);
    engine_register_server(engine, &server->daemon);
    return server;
}

static struct engine *open_engine(const char *options) {
    struct mariadb_engine *mariadb = must_have(calloc(1, sizeof *mariadb));
    struct engine *engine = &mariadb->engine;

    (void)options; // Redis's, for what is always so here
    engine->kind = &mariadb_engine;
    add_server(engine, false);
    engine->masters = 1;
    return engine;
}

static void add_replica(struct engine *engine) {
    int number = engine->count, port;
    struct door *door = engine_door(engine, 0);

    mariadb_of(engine)->relays[number] = relay_open(door, &port);
    replica_begin(add_server(engine, true), server_of(engine, 0)->forgotten,
                  port);
    await_replicas(engine);
}

static void close_engine(struct engine *engine) {
    for (int i = 0; i < engine->count; i++) {
        if (mariadb_of(engine)->relays[i])
            relay_shut(mariadb_of(engine)->relays[i]);
        mariadbd_close(server_of(engine, i));
    }
    free(engine);
}

static const char *version(const struct engine *engine) {
    return ((const struct mariadb_engine *)engine)->servers[0].version;
}

static int client_environment(struct variable *environment,
                              const struct address *addresses, int count) {
    static char url[SANDBOX_PATH_SIZE + 64];

    (void)count;
    snprintf(url, sizeof url, "mysql://" MARIADB_CLIENT "@localhost/"
             MARIADB_DATABASE "?unix_socket=%s", addresses[0].socket);
    environment[0] = (struct variable){"MYSQL_URL", url};
    return 1;
}

static void kill_server(struct engine *engine, int number) {
    mariadbd_kill(server_of(engine, number));
    await_replicas(engine);
}

static void start_server(struct engine *engine, int number) {
    mariadbd_start(server_of(engine, number));
    if (number >= engine->masters)
        replica_go_on(server_of(engine, number));
    await_replicas(engine);
}

// A replica that has lost its master tries again as time passes.
static void pass_time(struct engine *engine, int64_t ns) {
    clock_move(ns);
    await_replicas(engine);
}

static void hold_replication(struct engine *engine, int number) {
    relay_hold(mariadb_of(engine)->relays[number]);
    mariadb_of(engine)->held[number] = true;
}

// Clients get error 1290, also those that only want to lock rows.
static void refuse_writes(struct engine *engine, int number) {
    struct mariadbd *server = server_of(engine, number);

    server->was_read_only =
        mariadbd_number(server, "SELECT @@GLOBAL.read_only", 0) != 0;
    mariadbd_set_read_only(server, true);
}

static void accept_writes(struct engine *engine, int number) {
    struct mariadbd *server = server_of(engine, number);
    mariadbd_set_read_only(server, server->was_read_only);
}

static bool has_met_others(struct engine *engine, int number) {
    return mariadbd_has_met_others(server_of(engine, number));
}

static void wipe_disk(struct engine *engine, int number) {
    server_of(engine, number)->emptied = true;
}

static void forget(struct engine *engine) {
    mariadbd_forget(server_of(engine, 0));
}

// Rows go away with their tables; a setting stays.
static bool forgets_command(const char *command) {
    return !strchr(command, ';') && (strncmp(command, "DELETE ", 7) == 0 ||
                                     strncmp(command, "TRUNCATE ", 9) == 0 ||
                                     strncmp(command, "KILL ", 5) == 0);
}

// --- coming to rest ----------------------------------------------------------

// In the list of transactions, those that wait begin a line so, and the next
// line names their threads. (Before the list, the last deadlock is described in
// the same words.) A transaction is called so a moment before its thread waits,
// and a moment after: -1 then.
//     LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
//     MariaDB thread id 6, OS thread handle 140, query id 21
static long long count_waiting(struct mariadbd *server) {
    static const char begin[] = "\nLOCK WAIT ", thread[] = "OS thread handle ",
                      next[] = "\n---TRANSACTION ";
    struct sql_answer status =
        mariadbd_ask(server, "SHOW ENGINE INNODB STATUS");
    const char *text = status.rows == 1 ? status.cells[2] : "";
    const char *at = strstr(text, "\nLIST OF TRANSACTIONS ");
    long long count = 0;

    for (; at && count >= 0 && (at = strstr(at, begin)); at++) {
        const char *handle = strstr(at, thread), *end = strstr(at, next);
        if (!handle || (end && handle > end))
            fail("server %d names no thread for a transaction that waits",
                 server->daemon.number);
        bool waits = clock_thread_waits(
            server->daemon.slot, strtoull(handle + strlen(thread), NULL, 10));
        count = waits ? count + 1 : -1;
    }
    packets_free(&status);
    return count;
}

// The threads of the server that serve clients, and us. (Others send its log to
// replicas, or do what a master has done: replicas_rest().)
static long long count_threads(struct mariadbd *server) {
    enum { USER = 1, COMMAND = 4 };
    struct sql_answer list = mariadbd_ask(server, "SHOW PROCESSLIST");
    long long count = 0;

    for (long long i = 0; i < list.rows; i++) {
        char **row = list.cells + i * list.columns;
        count += strcmp(row[USER], "system user") != 0 &&
                 strcmp(row[COMMAND], "Binlog Dump") != 0;
    }
    packets_free(&list);
    return count;
}

// Every connection has a thread in the server, which lasts until what the
// connection had is undone. A thread has nothing to do if it waits for the next
// statement or for a lock. So nothing moves when as many are left as there are
// connections on which nothing runs, but for those that wait for a lock.
static bool catch_up(struct engine *engine, int number, int idle, bool works) {
    struct mariadbd *server = server_of(engine, number);

    if (!works && server->rested && idle == server->rested_idle &&
        server->daemon.door.connections == server->rested_connections)
        return replicas_rest(engine); // they may have been stopped then
    if (clock_has_overdue(server->daemon.slot))
        return false;
    long long threads = count_threads(server);
    long long waiting = count_waiting(server);
    int ours = MARIADB_OURS + (server->operator != NULL);
    if (waiting < 0 || clock_has_overdue(server->daemon.slot) ||
        threads - ours - waiting != idle || !replicas_rest(engine))
        return false;
    server->rested = waiting == 0;
    server->rested_idle = idle;
    server->rested_connections = server->daemon.door.connections;
    return true;
}

static bool has_table(struct mariadbd *server, const char *name) {
    struct sql_answer found =
        mariadbd_ask(server, "SHOW TABLES LIKE '%s'", name);
    bool has = found.rows > 0;

    packets_free(&found);
    return has;
}

// --- an operator -------------------------------------------------------------

// A row that is there all the time and is locked cannot be taken away, and a
// name that is locked is nowhere. Both end with the connection that has them.
// (Another lock, under another key, stays.)
static const char *end_owner(struct mariadbd *server, const char *key) {
    static char command[32];
    int owner = look_find_owner(server, key);

    snprintf(command, sizeof command, "KILL %d", owner);
    return owner > 0 ? command : NULL;
}

static const char *operators_words(struct engine *engine, const char *command,
                                   const char *key) {
    static const char *const both[][2] = {
        {"DEL KEY", "DELETE FROM method_lock WHERE method_name = 'KEY'"},
        {"FLUSHALL", "TRUNCATE method_lock"},
    };

    if (!engine_runs(engine, 0))
        return NULL;
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        if (strcmp(both[i][0], command) == 0)
            return has_table(server_of(engine, 0), "method_lock")
                       ? both[i][1] : end_owner(server_of(engine, 0), key);
    return NULL;
}

// A command that had to wait for a client's statement is refused at once.
static void open_operator(struct mariadbd *server) {
    struct sql_answer answer;

    server->operator = sql_open(&server->daemon.door, MARIADB_DATABASE);
    if (!server->operator ||
        !sql_ask(server->operator, "SET lock_wait_timeout = 0, "
                                   "innodb_lock_wait_timeout = 0", &answer))
        mariadbd_fail(server);
    packets_free(&answer);
}

// Until its transaction is undone, a killed connection is in the list.
static void await_end(struct mariadbd *server, int connection) {
    struct patience patience = {0};
    char count[96];

    snprintf(count, sizeof count, "SELECT COUNT(*) FROM "
             "information_schema.processlist WHERE id = %d", connection);
    while (mariadbd_number(server, count, 0) > 0) {
        if (!process_patience(&patience))
            fail("connection %d does not end, though it was killed %d s ago",
                 connection, PATIENCE_MS / 1000);
        loop_turn(100);
    }
}

static char *type(struct mariadbd *server, const char *command, char *why,
                  size_t size) {
    struct sql_answer answer;
    char kill[32];
    int victim = 0;

    if (!server->operator)
        open_operator(server);
    bool starts = strncasecmp(command, "START ", strlen("START ")) == 0;
    if (starts) // SLAVE, perhaps: two threads, which get numbers
        mariadbd_has_met_others(server);
    snprintf(server->asked, sizeof server->asked, "%s", command);
    if (sscanf(command, "KILL %d", &victim) == 1) { // as a trace numbers it
        victim += server->numbered_before;
        snprintf(kill, sizeof kill, "KILL %d", victim);
        command = kill;
    }
    if (!sql_ask(server->operator, command, &answer))
        mariadbd_fail(server);
    if (victim && !answer.error)
        await_end(server, victim);
    if (starts)
        mariadbd_excuse_threads(server);
    char *text = packets_text_to(command, &answer);
    snprintf(why, size, "%s", answer.reason);
    packets_free(&answer);
    return text;
}

// The end of the first of several statements: a "; " outside quotes. NULL:
// there is only one.
static char *end_of_statement(char *text) {
    char quote = '\0';

    for (; *text; text++)
        if (quote)
            quote = *text == quote ? '\0' : quote;
        else if (*text == '\'' || *text == '"' || *text == '`')
            quote = *text;
        else if (strncmp(text, "; ", 2) == 0)
            return text;
    return NULL;
}

// Several statements, with "; " between them, are typed one after the other,
// until one is refused.
static char *operate(struct engine *engine, int number, const char *command,
                     char *why, size_t size) {
    struct mariadbd *server = server_of(engine, number);
    char *rest = must_have(strdup(command)), *next = rest, *text = NULL;
    size_t length;
    FILE *answers = must_have(open_memstream(&text, &length));

    await_replicas(engine);
    do {
        char *statement = next;
        next = end_of_statement(statement);
        if (next)
            *next = '\0';
        char *answer = type(server, statement, why, size);
        fprintf(answers, "%s%s", statement == rest ? "" : "; ", answer);
        free(answer);
        next = next ? next + strlen("; ") : NULL;
    } while (next && !*why);
    fclose(answers);
    free(rest);
    await_replicas(engine);
    return text;
}

// --- the lock ----------------------------------------------------------------

static struct lock_state look(struct engine *engine, int number,
                              const char *key) {
    return look_at_lock(server_of(engine, number), key);
}

static bool is_word(const struct message *request, int n, const char *word) {
    for (int i = 0; i <= n; i++)
        if (!request->words[i])
            return false;
    return strcasecmp(request->words[n], word) == 0;
}

static bool has_word(const struct message *request, const char *wanted) {
    for (char **word = request->words; *word; word++)
        if (strcasecmp(*word, wanted) == 0)
            return true;
    return false;
}

static bool locks_rows(const struct message *request) {
    return is_word(request, 0, "SELECT") && has_word(request, "FOR");
}

static bool is_about_name(const struct message *request) {
    return has_word(request, "GET_LOCK") || has_word(request, "RELEASE_LOCK") ||
           has_word(request, "RELEASE_ALL_LOCKS");
}

static bool may_change(struct engine *engine, int number,
                       const struct message *request, bool in_transaction) {
    static const char *const verbs[] = {"INSERT", "UPDATE", "DELETE",
                                        "REPLACE", "COMMIT", "ROLLBACK"};

    (void)engine;
    (void)number;
    (void)in_transaction;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (is_word(request, 0, verbs[i]))
            return true;
    return locks_rows(request) || is_about_name(request);
}

// A SELECT that is to lock rows and finds none locks none: it only reads.
static bool would_change(struct engine *engine, int number,
                         const struct message *request, bool in_transaction) {
    const char *locks = strcasestr(request->text, " FOR UPDATE");

    if (locks_rows(request) && locks)
        return look_count_rows(server_of(engine, number), "%.*s",
                               (int)(locks - request->text), request->text) > 0;
    return may_change(engine, number, request, in_transaction);
}

static bool reads(struct engine *engine, int number,
                  const struct message *request, bool in_transaction,
                  const char *key) {
    (void)engine;
    (void)number;
    (void)in_transaction;
    return is_word(request, 0, "SELECT") && !locks_rows(request) &&
           !is_about_name(request) && has_word(request, key);
}

static enum write look_at_write(const struct message *request,
                                const struct message *answer) {
    if (!answer || answer->is_error || !has_word(request, "resource") ||
        is_word(request, 0, "SELECT") || is_word(request, 0, "CREATE"))
        return WRITE_NONE;
    if (strcmp(answer->text, "no row") == 0)
        return WRITE_REFUSED;
    return has_word(request, "WHERE") ? WRITE_FENCED : WRITE_TAKEN;
}

// --- the table ---------------------------------------------------------------

const struct engine_kind mariadb_engine = {
    .name = "mariadb",
    .title = "MariaDB",
    .wire = &packets,
    .acts_by_itself = true,
    .open = open_engine,
    .close = close_engine,
    .add_replica = add_replica,
    .version = version,
    .client_environment = client_environment,
    .kill = kill_server,
    .start = start_server,
    .has_met_others = has_met_others,
    .wipe_disk = wipe_disk,
    .forget = forget,
    .forgets_command = forgets_command,
    .finishes_first = true,
    .refuse_writes = refuse_writes,
    .accept_writes = accept_writes,
    .catch_up = catch_up,
    .hold_replication = hold_replication,
    .pass_time = pass_time,
    .operate = operate,
    .operators_words = operators_words,
    .refusal = "SET GLOBAL read_only = ON",
    .acceptance = "SET GLOBAL read_only = OFF",
    .replication = "replicates server 1",
    .promotion = "STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only = OFF",
    .look = look,
    .may_change = may_change,
    .would_change = would_change,
    .reads = reads,
    .look_at_write = look_at_write,
};
