#include "look.h"

#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A quote in the key would end the text.
static void check_key(const char *key) {
    if (strpbrk(key, "'\\"))
        fail("the key %s has a quote or a backslash in it", key);
}

static void add(struct lock_state *state, const char *name, const char *cell) {
    size_t used = strlen(state->value), room = sizeof state->value - used;
    size_t added = (size_t)snprintf(state->value + used, room, "%s%s %s",
                                    used > 0 ? ", " : "", name,
                                    cell ? cell : "NULL");

    state->cut = state->cut || added >= room;
}

// "2001-09-09 01:47:10.500" in milliseconds; -1: NULL.
static int64_t ms_of(const char *text) {
    struct tm day = {0};
    int fraction = 0;

    if (!text)
        return -1;
    sscanf(text, "%d-%d-%d %d:%d:%d.%3d", &day.tm_year, &day.tm_mon,
           &day.tm_mday, &day.tm_hour, &day.tm_min, &day.tm_sec, &fraction);
    day.tm_year -= 1900;
    day.tm_mon -= 1;
    return (int64_t)timegm(&day) * 1000 + fraction;
}

// A row whose deadline is over is nobody's lock any more. In the millisecond
// that the deadline names it still is.
static void read_row(const struct sql_answer *row, struct lock_state *state) {
    int64_t now_ms = ms_of(row->cells[0]), end_ms = -1;

    for (int i = 1; i < row->columns; i++)
        if (strcmp(row->names[i], "deadline") == 0)
            end_ms = ms_of(row->cells[i]);
        else if (strcmp(row->names[i], "method_name") != 0)
            add(state, row->names[i], row->cells[i]);
    if (end_ms >= 0 && end_ms < now_ms) {
        *state = (struct lock_state){.ttl_ms = -1};
        return;
    }
    state->exists = true;
    state->ttl_ms = end_ms < 0 ? -1 : end_ms - now_ms;
    if (!state->value[0])
        strcpy(state->value, "a row");
}

long long look_count_rows(struct mariadbd *server, const char *format, ...) {
    struct sql_answer done = mariadbd_ask(
        server, "SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");
    char *statement = NULL;
    va_list args;

    packets_free(&done);
    va_start(args, format);
    if (vasprintf(&statement, format, args) < 0)
        fail("no memory for a statement");
    va_end(args);
    struct sql_answer shown = mariadbd_look(server, "%s", statement);
    long long rows = shown.rows;
    packets_free(&shown);
    free(statement);
    return rows;
}

// Rows that are locked are skipped; the others are locked for no longer than
// this statement lasts.
static bool is_row_locked(struct mariadbd *server, const char *key) {
    long long there = look_count_rows(
        server, "SELECT 1 FROM method WHERE method_name = '%s'", key);
    struct sql_answer free_ones = mariadbd_look(
        server, "SELECT 1 FROM method WHERE method_name = '%s' "
                "FOR UPDATE SKIP LOCKED", key);
    bool locked = free_ones.rows < there;

    packets_free(&free_ones);
    return locked;
}

// The connection whose transaction has locked a row, as SHOW PROCESSLIST calls
// them. One that was refused a row looks the same here: so whoever had it when
// last looked at still has it, if it is one of them.
//     ---TRANSACTION 37, ACTIVE 0 sec
//     2 lock struct(s), heap size 1128, 1 row lock(s)
//     MariaDB thread id 6, OS thread handle 140, query id 21
static int find_holder(struct mariadbd *server) {
    static const char begin[] = "\n---TRANSACTION ", waits[] = "LOCK WAIT ";
    struct sql_answer status =
        mariadbd_ask(server, "SHOW ENGINE INNODB STATUS");
    const char *at = status.rows == 1 ? status.cells[2] : "";
    int holder = 0;

    while ((at = strstr(at, begin))) {
        at += strlen(begin);
        const char *next = strstr(at, begin);
        const char *line = at + strcspn(at, "\n") + 1;
        const char *locks = strstr(line, " row lock(s)");
        const char *id = strstr(line, "thread id ");
        if (!locks || !id || (next && (locks > next || id > next)) ||
            strncmp(locks - strlen(" 0"), " 0", strlen(" 0")) == 0 ||
            strncmp(line, waits, strlen(waits)) == 0)
            continue;
        int number = atoi(id + strlen("thread id "));
        if (holder != server->holder || holder == 0)
            holder = number;
    }
    packets_free(&status);
    return holder;
}

// The connection that has the lock of this name (GET_LOCK), which needs neither
// a row nor a table; 0: nobody has it.
static int find_owner_of_name(struct mariadbd *server, const char *key) {
    struct sql_answer used =
        mariadbd_ask(server, "SELECT IS_USED_LOCK('%s')", key);
    int owner = used.cells[0] ? atoi(used.cells[0]) : 0;

    packets_free(&used);
    return owner;
}

int look_find_owner(struct mariadbd *server, const char *key) {
    check_key(key);
    int owner = find_owner_of_name(server, key);
    if (owner == 0 && is_row_locked(server, key))
        owner = server->holder = find_holder(server);
    return owner == 0 ? 0 : owner - server->numbered_before;
}

static void show_owner(struct lock_state *state, const struct mariadbd *server,
                       int owner) {
    char where[32] = "";

    if (server->daemon.number > 1)
        snprintf(where, sizeof where, " at server %d", server->daemon.number);
    state->exists = state->with_connection = true;
    snprintf(state->value, sizeof state->value, "locked by %d%s", owner,
             where);
}

struct lock_state look_at_lock(struct mariadbd *server, const char *key) {
    struct lock_state state = {.ttl_ms = -1};

    check_key(key);
    // On this connection local time is UTC (mariadbd.c). NOW() would count each
    // statement as a microsecond: the world asks many while its clock stands
    // still.
    struct sql_answer row = mariadbd_look(
        server, "SELECT SYSDATE(3), method_lock.* FROM method_lock "
                "WHERE method_name = '%s'", key);
    bool no_table = row.error != 0;
    if (row.rows > 0)
        read_row(&row, &state);
    packets_free(&row);
    if (!no_table)
        return state;
    int owner = look_find_owner(server, key);
    if (owner > 0)
        show_owner(&state, server, owner);
    return state;
}
