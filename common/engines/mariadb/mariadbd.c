#include "mariadbd.h"

#include "base/fail.h"
#include "machine/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *program(void) {
    const char *named = getenv("MARIADB_SERVER");
    return named && *named ? named : "mariadbd";
}

void mariadbd_fail(struct mariadbd *server) {
    struct daemon *daemon = &server->daemon;

    daemon_hear(daemon);
    if (daemon_ends(daemon))
        fail("server %d %s: %s", daemon->number, process_end(&daemon->process),
             daemon->last_line);
    fail("server %d has not answered '%s' (for %d s at most): %s",
         daemon->number, server->asked, SQL_PATIENCE_S, daemon->last_line);
}

// The system says the one, and InnoDB the other, of a new table's first pages.
static const char no_space[] = "No space left on device",
                  no_room[] = "No more room";

// A line of the server's log without its first words (day, time, thread):
//     2001-09-09  1:46:40 0 [Note] InnoDB: Using Linux native AIO
// That it has few system tables is so on purpose. When its disk is full it
// ends, or waits a minute for room; error 28 is the system's ENOSPC.
static void note_line(struct daemon *daemon, const char *line) {
    int length = 0;

    if (strstr(line, "failed with error 28") || strstr(line, no_space))
        daemon_blame_disk(daemon);
    sscanf(line, "%*d-%*d-%*d %*d:%*d:%*d %*d %n", &length);
    if (!strstr(daemon->last_line, "[ERROR]") &&
        !strstr(line, "Missing system table"))
        snprintf(daemon->last_line, sizeof daemon->last_line, "%s",
                 line + length);
}

__attribute__((format(printf, 3, 0)))
static struct sql_answer ask(struct mariadbd *server, int tolerated,
                             const char *format, va_list args) {
    struct sql_answer answer;
    char *statement = NULL;

    if (vasprintf(&statement, format, args) < 0)
        fail("no memory for a statement");
    snprintf(server->asked, sizeof server->asked, "%s", statement);
    if (!sql_ask(server->own, statement, &answer))
        mariadbd_fail(server);
    if (answer.error && (strstr(answer.reason, no_room) ||
                         strstr(answer.reason, no_space)))
        daemon_blame_disk(&server->daemon);
    if (answer.error && answer.error != tolerated)
        fail("server %d answers the world's '%s' with error %d: %s",
             server->daemon.number, statement, answer.error, answer.reason);
    free(statement);
    return answer;
}

struct sql_answer mariadbd_ask(struct mariadbd *server, const char *format,
                               ...) {
    va_list args;

    va_start(args, format);
    struct sql_answer answer = ask(server, 0, format, args);
    va_end(args);
    return answer;
}

struct sql_answer mariadbd_look(struct mariadbd *server, const char *format,
                                ...) {
    va_list args;

    va_start(args, format);
    struct sql_answer answer = ask(server, ERROR_NO_TABLE, format, args);
    va_end(args);
    return answer;
}

long long mariadbd_number(struct mariadbd *server, const char *statement,
                          int column) {
    struct sql_answer answer = mariadbd_ask(server, "%s", statement);
    const char *cell = answer.rows > 0 ? answer.cells[column] : NULL;
    long long number = cell ? atoll(cell) : 0;

    packets_free(&answer);
    return number;
}

static unsigned connections(struct mariadbd *server) {
    return (unsigned)mariadbd_number(
        server, "SHOW GLOBAL STATUS LIKE 'Connections'", 1);
}

bool mariadbd_has_met_others(struct mariadbd *server) {
    struct daemon *daemon = &server->daemon;

    if (daemon->process.state == PROCESS_RUNS && server->own)
        daemon->met_others |= connections(server) - server->foreign !=
                              daemon->door.connections;
    return daemon->met_others;
}

// --- starting ----------------------------------------------------------------

static void explain(const struct daemon *daemon, const char *how) {
    (void)daemon;
    if (strcmp(how, "exited with 127") == 0)
        fail("there is no %s here: Debian's package mariadb-server-core has one "
             "(make roads), or name yours in MARIADB_SERVER", program());
}

static void fail_by_itself(struct daemon *daemon) {
    mariadbd_fail((struct mariadbd *)daemon);
}

static bool answers(struct daemon *daemon) {
    struct mariadbd *server = (struct mariadbd *)daemon;

    server->own = sql_open(&daemon->door, NULL);
    return server->own != NULL;
}

static const struct daemon_kind mariadb_server = {
    .name = "maria",
    .program = program,
    .answers = answers,
    .note_line = note_line,
    .explain = explain,
    .fail = fail_by_itself,
};

// These options have five reasons. Nothing is asked of the machine (no port, no
// other user, no settings of its own), and little memory is used. Nothing
// happens by itself that a later statement could notice. Every version does the
// same: a newer one has another default for snapshots. And a replica can copy
// the server: a log of the changed rows is on the disk as soon as the change
// itself. (A replica that hears nothing takes its connection for dead after a
// minute of real time. Here it is a year: the world decides when a connection
// ends. And a thread that has served one connection does not serve another: it
// would hand on how far its NOW() has counted.)
static void spawn(struct mariadbd *server) {
    char socket[DAEMON_PATH_SIZE + 16], folder[SANDBOX_PATH_SIZE + 16];
    char pid_file[SANDBOX_PATH_SIZE + 16], temporary[SANDBOX_PATH_SIZE + 16];
    char number[32];
    char *argv[] = {
        (char *)program(), "--no-defaults", socket, folder, pid_file, temporary,
        geteuid() == 0 ? "--user=root" : "--skip-networking",
        server->is_replica ? "--read-only" : "--skip-networking", number,
        "--skip-slave-start", "--thread-cache-size=0",
        "--skip-networking", "--skip-grant-tables", "--skip-name-resolve",
        "--skip-stack-trace", "--default-time-zone=+00:00",
        "--log-bin=changes", "--binlog-format=ROW", "--sync-binlog=1",
        "--relay-log=heard", "--slave-net-timeout=31536000",
        "--gtid-cleanup-batch-size=2147483647",
        "--character-set-server=utf8mb4", "--innodb-buffer-pool-size=8M",
        "--innodb-log-file-size=4M", "--innodb-autoextend-increment=1",
        "--innodb-data-file-path=ibdata1:2M:autoextend",
        "--innodb-temp-data-file-path=ibtmp1:2M:autoextend",
        "--loose-innodb-snapshot-isolation=OFF", "--innodb-use-native-aio=0",
        "--innodb-stats-auto-recalc=0",
        "--innodb-buffer-pool-dump-at-shutdown=0",
        "--innodb-buffer-pool-load-at-startup=0", "--performance-schema=0",
        "--innodb-print-all-deadlocks=0", NULL,
    };
    struct variable environment[CLOCK_VARIABLES + 1];

    snprintf(number, sizeof number, "--server-id=%d", server->daemon.number);
    snprintf(socket, sizeof socket, "--socket=%s", server->daemon.path);
    snprintf(folder, sizeof folder, "--datadir=%s", server->daemon.folder);
    snprintf(pid_file, sizeof pid_file, "--pid-file=%s/pid",
             server->daemon.folder);
    // At its start a server removes the temporary tables that it finds there.
    snprintf(temporary, sizeof temporary, "--tmpdir=%s", server->daemon.folder);
    mkdir(server->daemon.folder, 0700);
    clock_environment(environment, &server->daemon.process,
                      server->daemon.slot, NULL);
    process_start(&server->daemon.process, argv, environment);
}

// Is the first page of InnoDB's first file on the disk? It is never all zero.
static bool has_first_page(const struct mariadbd *server) {
    enum { PAGE_SIZE = 16384 };
    char path[SANDBOX_PATH_SIZE + 16];

    snprintf(path, sizeof path, "%s/ibdata1", server->daemon.folder);
    FILE *file = fopen(path, "r");
    int byte = file ? 0 : EOF;
    for (int i = 0; i < PAGE_SIZE && byte == 0; i++)
        byte = getc(file);
    if (file)
        fclose(file);
    return byte > 0;
}

// A server that has just made its files can answer some moments before that
// page is written. If it were killed then, InnoDB would never start again. No
// story means that: its server was installed long ago.
static void await_first_page(const struct mariadbd *server) {
    struct patience patience = {0};

    while (!has_first_page(server)) {
        if (!process_patience(&patience))
            fail("server %d does not write the first page of its ibdata1",
                 server->daemon.number);
        loop_turn(1);
    }
}

static void read_version(struct mariadbd *server) {
    struct sql_answer answer = mariadbd_ask(server, "SELECT VERSION()");
    const char *version = answer.rows == 1 ? answer.cells[0] : "";

    snprintf(server->version, sizeof server->version, "mariadb %.*s",
             (int)strspn(version, "0123456789."), version);
    packets_free(&answer);
}

// A server on another clock would give verdicts that mean nothing.
static void check_clock(struct mariadbd *server) {
    int64_t wall_s = clock_wall_s(server->daemon.slot);

    if (wall_s &&
        mariadbd_number(server, "SELECT UNIX_TIMESTAMP()", 0) != wall_s)
        fail("%s does not live on the world's clock", program());
}

// The state after a restore from backups: the tables, as they were made once.
// The table method has its permanent rows; the rows of today are missing.
static void empty_tables(struct mariadbd *server) {
    struct sql_answer tables = mariadbd_ask(server, "SHOW TABLES WHERE "
                                            "Tables_in_" MARIADB_DATABASE
                                            " <> 'method'");

    for (long long i = 0; i < tables.rows; i++) {
        struct sql_answer done = mariadbd_ask(server, "TRUNCATE %s",
                                              tables.cells[i]);
        packets_free(&done);
    }
    packets_free(&tables);
    server->emptied = false;
}

static void run_all(struct mariadbd *server, const char *const *statements) {
    for (; *statements; statements++) {
        struct sql_answer done = mariadbd_ask(server, "%s", *statements);
        packets_free(&done);
    }
}

// Two accounts, and where a replica notes how far it has come. They are not
// copied to replicas, which make their own. (The tables have the columns that
// they must have; grants on single tables would stand in others, and FLUSH says
// that there are none.)
static void make_accounts(struct mariadbd *server) {
    static const char *const statements[] = {
        "SET sql_log_bin = 0",
        "CREATE DATABASE IF NOT EXISTS mysql",
        "CREATE TABLE IF NOT EXISTS mysql.global_priv (Host CHAR(255), "
        "User CHAR(128), Priv JSON, PRIMARY KEY (Host, User)) ENGINE = InnoDB",
        "CREATE TABLE IF NOT EXISTS mysql.db (Host CHAR(255), Db CHAR(64), "
        "User CHAR(128), Select_priv ENUM ('N', 'Y'), "
        "Insert_priv ENUM ('N', 'Y'), Update_priv ENUM ('N', 'Y'), "
        "Delete_priv ENUM ('N', 'Y'), Create_priv ENUM ('N', 'Y'), "
        "Drop_priv ENUM ('N', 'Y'), PRIMARY KEY (Host, Db, User)) "
        "ENGINE = InnoDB",
        "CREATE TABLE IF NOT EXISTS mysql.gtid_slave_pos (domain_id INT "
        "UNSIGNED, sub_id BIGINT UNSIGNED, server_id INT UNSIGNED NOT NULL, "
        "seq_no BIGINT UNSIGNED NOT NULL, PRIMARY KEY (domain_id, sub_id)) "
        "ENGINE = InnoDB",
        "REPLACE INTO mysql.global_priv VALUES ('localhost', 'root', "
        "'{\"access\": 18446744073709551615}'), "
        "('localhost', '" MARIADB_CLIENT "', '{}')",
        "REPLACE INTO mysql.db VALUES ('localhost', '" MARIADB_DATABASE "', '"
        MARIADB_CLIENT "', 'Y', 'Y', 'Y', 'Y', 'Y', 'Y')",
        "SET sql_log_bin = 1",
        NULL,
    };

    run_all(server, statements);
    struct sql_answer done = mariadbd_look(server, "FLUSH PRIVILEGES");
    packets_free(&done);
}

// With the table to which clients write (common/lock/mysql_resource.c).
static void make_database(struct mariadbd *server) {
    static const char *const statements[] = {
        "CREATE DATABASE IF NOT EXISTS " MARIADB_DATABASE,
        "USE " MARIADB_DATABASE,
        "CREATE TABLE IF NOT EXISTS resource (id INT PRIMARY KEY, value "
        "VARCHAR(16)) ENGINE = InnoDB",
        NULL,
    };

    run_all(server, statements);
}

enum { READER = 1 }; // is numbered after the world's own connection

static int number_of_own(struct mariadbd *server) {
    return (int)mariadbd_number(server, "SELECT CONNECTION_ID()", 0);
}

// Opens the world's connection for looking at the server. A server removes
// deleted rows by itself, some moments later, and a transaction can notice
// that. It leaves the rows that an open transaction may still read: so the
// world has one open all the time. The numbers of other connections are counted
// from this one.
static void open_reader(struct mariadbd *server) {
    enum { OF_A_NEW_SERVER = 3 };
    struct sql_answer begun;

    server->numbered_before =
        number_of_own(server) + READER - OF_A_NEW_SERVER;
    server->reader = sql_open(&server->daemon.door, NULL);
    snprintf(server->asked, sizeof server->asked, "a second connection");
    if (!server->reader ||
        !sql_ask(server->reader,
                 "START TRANSACTION WITH CONSISTENT SNAPSHOT", &begun))
        mariadbd_fail(server);
    packets_free(&begun);
}

void mariadbd_excuse_threads(struct mariadbd *server) {
    server->foreign = connections(server) - server->daemon.door.connections;
}

void mariadbd_count_anew(struct mariadbd *server) {
    mariadbd_excuse_threads(server);
    server->numbered_before +=
        (int)connections(server) - number_of_own(server) - READER;
}

void mariadbd_set_read_only(struct mariadbd *server, bool on) {
    struct sql_answer done = mariadbd_ask(server, "SET GLOBAL read_only = %s",
                                          on ? "ON" : "OFF");
    packets_free(&done);
}

// The clients are gone; the server may not be done with their connections.
static void lose_clients(struct mariadbd *server) {
    struct patience patience = {0};
    long long threads;

    sql_close(server->operator);
    server->operator = NULL;
    do {
        struct sql_answer list = mariadbd_ask(server, "SHOW PROCESSLIST");
        threads = list.rows;
        packets_free(&list);
        loop_turn(threads > MARIADB_OURS ? 1000 : 0);
    } while (threads > MARIADB_OURS && process_patience(&patience));
    if (threads > MARIADB_OURS)
        fail("server %d is not done with its clients", server->daemon.number);
}

// A replica that a later race adds must not hear of this race. (RESET MASTER
// would empty the log that it reads. But now and then that statement waits for
// what InnoDB does once a second, and here a second may never pass.)
static void note_last_transaction(struct mariadbd *server) {
    struct sql_answer last =
        mariadbd_ask(server, "SELECT @@GLOBAL.gtid_binlog_pos");

    snprintf(server->forgotten, sizeof server->forgotten, "%s", last.cells[0]);
    packets_free(&last);
}

void mariadbd_forget(struct mariadbd *server) {
    static const char *const statements[] = {
        "DROP DATABASE " MARIADB_DATABASE, NULL,
    };

    lose_clients(server);
    run_all(server, statements);
    note_last_transaction(server);
    sql_close(server->own);
    sql_close(server->reader);
    server->own = sql_open(&server->daemon.door, NULL);
    if (!server->own)
        mariadbd_fail(server);
    open_reader(server);
    make_database(server);
    server->rested = false;
    server->holder = 0;
}

void mariadbd_open(struct mariadbd *server, int number) {
    memset(server, 0, sizeof *server);
    daemon_open(&server->daemon, &mariadb_server, number);
}

void mariadbd_start(struct mariadbd *server) {
    server->rested = false;
    spawn(server);
    daemon_await(&server->daemon);
    await_first_page(server);
    mariadbd_excuse_threads(server);
    open_reader(server);
    read_version(server);
    check_clock(server);
    make_accounts(server);
    make_database(server);
    if (server->emptied)
        empty_tables(server);
}

void mariadbd_kill(struct mariadbd *server) {
    sql_close(server->own);
    sql_close(server->reader);
    sql_close(server->operator);
    server->own = server->reader = server->operator = NULL;
    daemon_kill(&server->daemon);
    clock_forget_waits(server->daemon.slot);
}

void mariadbd_close(struct mariadbd *server) {
    if (server->own)
        mariadbd_kill(server);
    door_close(&server->daemon.door);
}
