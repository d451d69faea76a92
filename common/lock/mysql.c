// libmariadb behind mysql.h: reconnecting, quoting, answers by value.
//
// The library has time-outs of its own, which it keeps with poll(). An answer
// is waited for with a time-out of the socket instead, as hiredis does it. So
// the two engines' clients are alike, also where time is not the machine's.
#include "mysql.h"

#include "lock.h"
#include "mysql_address.h"

#include <errno.h>
#include <mariadb/mysql.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { LIMIT_MS = 2000 };

struct sql {
    struct mysql_address address;
    MYSQL *connection; // NULL: not connected
};

// --- the connection ----------------------------------------------------------

static void disconnect(struct sql *sql) {
    if (sql->connection)
        mysql_close(sql->connection);
    sql->connection = NULL;
}

// The first words of the reason when a statement was never sent.
static const char cannot_connect[] = "cannot connect to the server";

// The library says why with a number: "Can't connect to local server through
// socket '/tmp/s' (111)". A socket that MYSQL_URL names is not repeated: in
// each run it is another one.
static void explain_socket(const struct mysql_address *address,
                           const char *words) {
    int error = atoi(strrchr(words, '(') + 1);
    const char *path = strstr(words, " '") + 2;

    if (*address->socket)
        lock_explain("%s: %s%s", cannot_connect, strerror(error),
                     error == ENOENT ? " (unix_socket in MYSQL_URL)" : "");
    else
        lock_explain("%s: nobody listens at %.*s, where localhost is; for a "
                     "port say 127.0.0.1 in MYSQL_URL",
                     cannot_connect, (int)strcspn(path, "'"), path);
}

static void explain_refusal(const struct mysql_address *address,
                            MYSQL *connection) {
    enum { NO_HOST = 2005, OF_THE_LIBRARY = 2000 };
    unsigned error = mysql_errno(connection);
    const char *words = mysql_error(connection);

    if (strstr(words, "through socket '"))
        explain_socket(address, words);
    else if (error == NO_HOST)
        lock_explain("%s: there is no host %s, which MYSQL_URL names",
                     cannot_connect, address->host);
    else if (strstr(words, "Can't connect"))
        lock_explain("%s: nobody answers at %s, port %d, which MYSQL_URL names",
                     cannot_connect, address->host, address->port);
    else
        lock_explain("%s: %s%s", cannot_connect, words, error < OF_THE_LIBRARY
                     ? " (MYSQL_URL names user, password and database)" : "");
}

static bool connect_now(struct sql *sql) {
    const struct mysql_address *address = &sql->address;
    const unsigned limit_s = LIMIT_MS / 1000;
    MYSQL *connection = mysql_init(NULL);

    if (!connection) {
        lock_explain("no memory");
        return false;
    }
    mysql_options(connection, MYSQL_OPT_CONNECT_TIMEOUT, &limit_s);
    mysql_options(connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (mysql_real_connect(connection, address->host,
                           *address->user ? address->user : NULL,
                           *address->password ? address->password : NULL,
                           address->database, (unsigned)address->port,
                           *address->socket ? address->socket : NULL,
                           CLIENT_FOUND_ROWS)) {
        sql->connection = connection;
        return true;
    }
    explain_refusal(address, connection);
    mysql_close(connection);
    return false;
}

struct sql *sql_open(void) {
    const char *url = getenv("MYSQL_URL");
    struct sql *sql = calloc(1, sizeof *sql);

    if (!sql) {
        lock_explain("no memory");
        return NULL;
    }
    const char *wrong = mysql_address_read(
        url && *url ? url : "mysql://localhost/test", &sql->address);
    if (wrong)
        lock_explain("%s", wrong);
    else if (connect_now(sql))
        return sql;
    free(sql);
    return NULL;
}

void sql_close(struct sql *sql) {
    if (!sql)
        return;
    disconnect(sql);
    free(sql);
}

// --- statements --------------------------------------------------------------

static void put_text(struct sql *sql, FILE *out, const char *text) {
    size_t length = strlen(text);
    char *quoted = malloc(2 * length + 1);

    if (!quoted)
        return;
    mysql_real_escape_string(sql->connection, quoted, text, length);
    fprintf(out, "'%s'", quoted);
    free(quoted);
}

// The statement, with what stands for %s and %d. NULL: there is no memory.
static char *statement_of(struct sql *sql, const char *format, va_list args) {
    char *statement = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&statement, &size);

    if (!out)
        return NULL;
    for (const char *c = format; *c; c++) {
        if (c[0] == '%' && c[1] == 's')
            put_text(sql, out, va_arg(args, const char *));
        else if (c[0] == '%' && c[1] == 'd')
            fprintf(out, "%d", va_arg(args, int));
        else
            putc(*c, out);
        c += c[0] == '%' && (c[1] == 's' || c[1] == 'd');
    }
    fclose(out);
    return statement;
}

bool sql_is_open(struct sql *sql) {
    char first;

    return sql->connection &&
           recv((int)mysql_get_socket(sql->connection), &first, 1,
                MSG_PEEK | MSG_DONTWAIT) != 0;
}

// Waits until the answer begins to come.
static bool hears(struct sql *sql, int limit_ms) {
    const struct timeval limit = {limit_ms / 1000, limit_ms % 1000 * 1000};
    int fd = (int)mysql_get_socket(sql->connection);
    char first;
    ssize_t length;

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    do
        length = recv(fd, &first, 1, MSG_PEEK);
    while (length < 0 && errno == EINTR);
    if (length > 0)
        return true;
    lock_explain(length < 0 && errno == EAGAIN
                     ? "no answer in time" : "connection lost before the answer");
    return false;
}

static struct sql_result refused(struct sql *sql) {
    enum { DUPLICATE = 1062, LOCK_TIMEOUT = 1205, DEADLOCK = 1213,
           NO_WAIT = 3572, // MySQL's answer to NOWAIT; MariaDB's is 1205
           OF_THE_LIBRARY = 2000, AFTER_THOSE = 3000 };
    unsigned error = mysql_errno(sql->connection);

    lock_explain("%s", mysql_error(sql->connection));
    if (error >= OF_THE_LIBRARY && error < AFTER_THOSE) {
        disconnect(sql);
        return (struct sql_result){.type = SQL_NONE};
    }
    switch (error) {
    case DUPLICATE: return (struct sql_result){.type = SQL_DUPLICATE};
    case LOCK_TIMEOUT:
    case NO_WAIT:   return (struct sql_result){.type = SQL_TIMEOUT};
    case DEADLOCK:  return (struct sql_result){.type = SQL_DEADLOCK};
    default:        return (struct sql_result){.type = SQL_ERROR};
    }
}

static struct sql_result selected(MYSQL_RES *table) {
    struct sql_result result = {.type = SQL_ROWS,
                                .rows = (long long)mysql_num_rows(table)};
    MYSQL_ROW row = mysql_fetch_row(table);

    for (unsigned i = 0; row && i < mysql_num_fields(table) && i < SQL_FIELDS;
         i++)
        snprintf(result.field[i], SQL_FIELD_SIZE, "%s", row[i] ? row[i] : "");
    mysql_free_result(table);
    return result;
}

static struct sql_result ask(struct sql *sql, int limit_ms, const char *format,
                             va_list args) {
    const struct sql_result none = {.type = SQL_NONE};

    if (!sql_is_open(sql))
        disconnect(sql); // the server has closed it meanwhile
    if (!sql->connection && !connect_now(sql))
        return none;
    char *statement = statement_of(sql, format, args);
    bool sent = statement && mysql_send_query(sql->connection, statement,
                                              strlen(statement)) == 0;
    free(statement);
    if (!sent)
        lock_explain("connection lost before the answer");
    if (!sent || !hears(sql, limit_ms)) {
        disconnect(sql);
        return none;
    }
    if (mysql_read_query_result(sql->connection))
        return refused(sql);
    MYSQL_RES *table = mysql_store_result(sql->connection);
    if (table)
        return selected(table);
    if (mysql_errno(sql->connection))
        return refused(sql);
    return (struct sql_result){
        .type = SQL_DONE,
        .rows = (long long)mysql_affected_rows(sql->connection)};
}

struct sql_result sql_call(struct sql *sql, const char *format, ...) {
    va_list args;

    va_start(args, format);
    struct sql_result result = ask(sql, LIMIT_MS, format, args);
    va_end(args);
    return result;
}

struct sql_result sql_call_kept(struct sql *sql, int kept_ms,
                                const char *format, ...) {
    va_list args;

    va_start(args, format);
    struct sql_result result = ask(sql, kept_ms + LIMIT_MS, format, args);
    va_end(args);
    return result;
}
