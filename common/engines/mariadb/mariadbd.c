#include "mariadbd.h"

#include "base/fail.h"
#include "machine/clock.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENDING_MS = 200 };

static const char *program(void) {
    const char *named = getenv("MARIADB_SERVER");
    return named && *named ? named : "mariadbd";
}

static bool ends(const struct mariadbd *server) {
    for (int ms = 0; ms < ENDING_MS; ms++) {
        if (process_ended(&server->process))
            return true;
        poll(NULL, 0, 1);
    }
    return false;
}

void mariadbd_fail(struct mariadbd *server) {
    if (ends(server))
        fail("server %d %s: %s", server->number, process_end(&server->process),
             server->last_line);
    fail("server %d has not answered '%s' (for %d s at most): %s",
         server->number, server->asked, SQL_PATIENCE_S, server->last_line);
}

// A line of the server's log without its first words (day, time, thread):
//     2001-09-09  1:46:40 0 [Note] InnoDB: Using Linux native AIO
static void keep_line(struct mariadbd *server, const char *line) {
    int length = 0;

    sscanf(line, "%*d-%*d-%*d %*d:%*d:%*d %*d %n", &length);
    if (!strstr(server->last_line, "[ERROR]"))
        snprintf(server->last_line, sizeof server->last_line, "%s",
                 line + length);
}

// Reads the server's log, so that the pipe never fills.
static void read_log(void *owner) {
    struct mariadbd *server = owner;
    char text[4096];
    ssize_t length = read(server->log.fd, text, sizeof text - 1);

    if (length <= 0) {
        loop_close(&server->log);
        if (server->own && ends(server)) // nobody here has killed it
            mariadbd_fail(server);
        return;
    }
    text[length] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        keep_line(server, line);
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
    if (answer.error && answer.error != tolerated)
        fail("server %d answers the world's '%s' with error %d: %s",
             server->number, statement, answer.error, answer.reason);
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
    if (server->process.state == PROCESS_RUNS && server->own)
        server->met_others |= connections(server) - server->foreign !=
                              server->door.connections;
    return server->met_others;
}

// --- starting ----------------------------------------------------------------

static void end_of_start(struct mariadbd *server) {
    const char *how = process_end(&server->process);

    while (server->log.fd >= 0) // its last words
        read_log(server);
    if (strcmp(how, "exited with 127") == 0)
        fail("there is no %s here: Debian's package mariadb-server has one "
             "(make roads), or name yours in MARIADB_SERVER", program());
    fail("%s %s before it was ready: %s", program(), how,
         server->last_line[0] ? server->last_line : "it said nothing");
}

static bool answers(struct mariadbd *server) {
    if (door_take(&server->door, server->path) || server->listens)
        server->listens = true;
    server->own = server->listens ? sql_open(&server->door, NULL) : NULL;
    return server->own != NULL;
}

// What is said here has three reasons: nothing is asked of the machine (no
// port, no other user, no settings of its own), little memory is used, and
// nothing happens by itself that a later statement could notice.
static void spawn(struct mariadbd *server) {
    char socket[SANDBOX_PATH_SIZE + 16], folder[SANDBOX_PATH_SIZE + 16];
    char pid_file[SANDBOX_PATH_SIZE + 16], temporary[SANDBOX_PATH_SIZE + 16];
    char *argv[] = {
        (char *)program(), "--no-defaults", socket, folder, pid_file, temporary,
        geteuid() == 0 ? "--user=root" : "--skip-networking",
        "--skip-networking", "--skip-grant-tables", "--skip-name-resolve",
        "--skip-stack-trace", "--skip-log-bin", "--default-time-zone=+00:00",
        "--character-set-server=utf8mb4", "--innodb-buffer-pool-size=8M",
        "--innodb-log-file-size=4M", "--innodb-autoextend-increment=1",
        "--innodb-data-file-path=ibdata1:2M:autoextend",
        "--innodb-temp-data-file-path=ibtmp1:2M:autoextend",
        "--innodb-use-native-aio=0", "--innodb-stats-auto-recalc=0",
        "--innodb-buffer-pool-dump-at-shutdown=0",
        "--innodb-buffer-pool-load-at-startup=0", "--performance-schema=0",
        "--innodb-print-all-deadlocks=0", NULL,
    };
    struct variable environment[CLOCK_VARIABLES + 1];

    snprintf(socket, sizeof socket, "--socket=%s", server->path);
    snprintf(folder, sizeof folder, "--datadir=%s", server->folder);
    snprintf(pid_file, sizeof pid_file, "--pid-file=%s/pid", server->folder);
    // A server that starts removes the temporary tables that it finds there.
    snprintf(temporary, sizeof temporary, "--tmpdir=%s", server->folder);
    mkdir(server->folder, 0700);
    clock_environment(environment, server->slot, NULL);
    process_start(&server->process, argv, environment);
    loop_watch(&server->log, process_output(&server->process), read_log,
               server);
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
    int64_t wall_s = clock_wall_s(server->slot);

    if (wall_s &&
        mariadbd_number(server, "SELECT UNIX_TIMESTAMP()", 0) != wall_s)
        fail("%s does not live on the world's clock", program());
}

// What a server has when it comes back from its backups: the tables, as they
// were made once, with the rows that are there all the time (of the table
// method), and none of the rows of today.
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

// With the table to which clients write (common/lock/mysql_resource.c).
static void make_database(struct mariadbd *server) {
    static const char *const statements[] = {
        "CREATE DATABASE IF NOT EXISTS " MARIADB_DATABASE,
        "USE " MARIADB_DATABASE,
        "CREATE TABLE IF NOT EXISTS resource (id INT PRIMARY KEY, value "
        "VARCHAR(16)) ENGINE = InnoDB",
    };

    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        struct sql_answer done = mariadbd_ask(server, "%s", statements[i]);
        packets_free(&done);
    }
}

// Numbers of connections are shown as a server would count them in which this
// is the world's only one.
static void read_number(struct mariadbd *server) {
    enum { OF_A_NEW_SERVER = 3 };
    server->numbered_before =
        (int)mariadbd_number(server, "SELECT CONNECTION_ID()", 0) -
        OF_A_NEW_SERVER;
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
        loop_turn(threads > 1 ? 1000 : 0);
    } while (threads > 1 && process_patience(&patience));
    if (threads > 1)
        fail("server %d is not done with its clients", server->number);
}

void mariadbd_forget(struct mariadbd *server) {
    lose_clients(server);
    struct sql_answer done = mariadbd_ask(server, "DROP DATABASE "
                                          MARIADB_DATABASE);
    packets_free(&done);
    sql_close(server->own);
    server->own = sql_open(&server->door, NULL);
    if (!server->own)
        mariadbd_fail(server);
    read_number(server);
    make_database(server);
    server->rested = false;
    server->holder = 0;
}

void mariadbd_open(struct mariadbd *server, int number) {
    char file[16];

    memset(server, 0, sizeof *server);
    server->number = number;
    snprintf(file, sizeof file, "maria%d.sock", number);
    sandbox_path(server->path, file);
    snprintf(file, sizeof file, "maria%d", number);
    sandbox_path(server->folder, file);
    server->slot = clock_slot();
    server->process.joins_stderr = true;
    server->door.fd = -1;
    server->log.fd = -1;
}

void mariadbd_start(struct mariadbd *server) {
    struct patience patience = {0};

    server->last_line[0] = '\0';
    server->rested = false;
    spawn(server);
    while (!answers(server)) {
        loop_turn(1000);
        if (process_ended(&server->process))
            end_of_start(server);
        if (!process_patience(&patience))
            fail("%s was started and does not answer: %s", program(),
                 server->last_line);
    }
    server->foreign = connections(server) - server->door.connections;
    read_number(server);
    read_version(server);
    check_clock(server);
    make_database(server);
    if (server->emptied)
        empty_tables(server);
}

void mariadbd_kill(struct mariadbd *server) {
    sql_close(server->own);
    sql_close(server->operator);
    server->own = server->operator = NULL;
    loop_close(&server->log);
    process_kill(&server->process);
    clock_forget_waits(server->slot);
    server->listens = false;
}

void mariadbd_close(struct mariadbd *server) {
    if (server->own)
        mariadbd_kill(server);
    door_close(&server->door);
}
