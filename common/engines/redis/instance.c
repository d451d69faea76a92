#include "instance.h"

#include "machine/clock.h"
#include "base/fail.h"
#include "resp.h"
#include "session.h"

#include <errno.h>
#include <ftw.h>
#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OLDEST_MAJOR = 7 };
enum { MAX_ARGUMENTS = 48 };

static const char debug_option[] = "--enable-debug-command"; // new in 7

static const char *program(void) {
    const char *named = getenv("REDIS_SERVER");
    return named && *named ? named : "redis-server";
}

// " (an operator typed CLIENT PAUSE 1000)", for messages: when a server fails
// in the middle of a run, the last command of an operator is mostly the cause.
static const char *what_was_typed(const struct instance *server) {
    static char text[sizeof server->typed + 32];

    text[0] = '\0';
    if (server->typed[0])
        snprintf(text, sizeof text, " (an operator typed %s)", server->typed);
    return text;
}

void instance_fail(struct instance *server, const redisContext *session) {
    const char *typed = what_was_typed(server);

    int number = server->daemon.number;

    if (daemon_ends(&server->daemon))
        fail("server %d %s%s", number, process_end(&server->daemon.process),
             typed);
    if (!session)
        fail("server %d takes no connection any more%s", number, typed);
    if (session->err)
        fail("server %d no longer answers: %s%s", number, session->errstr,
             typed);
    fail("server %d has not answered for %d s%s", number, PATIENCE_MS / 1000,
         typed);
}

// A line of the server's log without its first words (process, time, level):
//     22811:M 09 Sep 2001 01:46:40.000 # Out of memory
static const char *words_of(const char *line) {
    int length = 0;

    sscanf(line, "%*d:%*c %*d %*s %*d %*d:%*d:%*d.%*d %*c %n", &length);
    return line + length;
}

// A server's complaint about an option comes after the option, on a line of its
// own:
//     >>> 'nonsense yes'
//     Bad directive or wrong number of arguments
static void note_line(struct daemon *daemon, const char *line) {
    static const char quote[] = ">>> ";
    char *last = daemon->last_line;
    size_t size = sizeof daemon->last_line, used = 0;

    if (strncmp(last, quote, strlen(quote)) == 0) {
        memmove(last, last + strlen(quote), strlen(last + strlen(quote)) + 1);
        used = strlen(last);
        used += (size_t)snprintf(last + used, size - used, ": ");
    }
    if (used < size)
        snprintf(last + used, size - used, "%s", words_of(line));
}

void instance_fail_at(struct instance *server, const char *question,
                      const redisReply *reply) {
    bool refused = reply->type == REDIS_REPLY_ERROR;

    fail("server %d answers the world's %.*s with '%s'%s",
         server->daemon.number, (int)strcspn(question, " "), question,
         refused ? reply->str : resp_answer(reply), what_was_typed(server));
}

redisReply *instance_hear(struct instance *server, int type,
                          const char *question) {
    redisReply *reply = session_hear(server->own);

    if (!reply)
        instance_fail(server, server->own);
    if (reply->type != type)
        instance_fail_at(server, question, reply);
    return reply;
}

redisReply *instance_ask(struct instance *server, int type,
                         const char *format, ...) {
    va_list args;

    va_start(args, format);
    redisvAppendCommand(server->own, format, args);
    va_end(args);
    return instance_hear(server, type, format);
}

int instance_replicas(struct instance *server) {
    redisReply *setting = instance_ask(server, REDIS_REPLY_ARRAY,
                                       "CONFIG GET min-replicas-to-write");
    int count = setting->elements == 2 ? atoi(setting->element[1]->str) : 0;

    freeReplyObject(setting);
    return count;
}

void instance_want_replicas(struct instance *server, int count) {
    freeReplyObject(instance_ask(server, REDIS_REPLY_STATUS,
                                 "CONFIG SET min-replicas-to-write %d", count));
}

void instance_note_replicas(struct instance *server) {
    if (server->replicas < 0)
        server->replicas = instance_replicas(server);
}

void instance_forget(struct instance *server) {
    static const char *const commands[] = {
        "FLUSHALL", "SCRIPT FLUSH", "FUNCTION FLUSH",
    };
    enum { COMMANDS = sizeof commands / sizeof *commands };

    session_close(&server->operator);
    server->typed[0] = '\0';
    server->synced_count = 0;
    if (server->replicas >= 0)
        instance_want_replicas(server, server->replicas);
    server->replicas = -1;
    for (int i = 0; i < COMMANDS; i++)
        redisAppendCommand(server->own, commands[i]);
    for (int i = 0; i < COMMANDS; i++)
        freeReplyObject(
            instance_hear(server, REDIS_REPLY_STATUS, commands[i]));
}

void instance_stay_connected(struct instance *server) {
    if (!session_is_closed(server->own))
        return;
    session_close(&server->own);
    server->own = session_open(&server->daemon.door);
    if (!server->own)
        instance_fail(server, NULL);
}

// "redis_version:7.0.15\r\n" in INFO. Valkey reports the Redis version that it
// is compatible with, and its own.
static bool find(const char *info, const char *name, char *value, size_t size) {
    const char *found = strstr(info, name);
    if (!found)
        return false;
    found += strlen(name);
    snprintf(value, size, "%.*s", (int)strcspn(found, "\r\n"), found);
    return true;
}

_Noreturn static void too_old(const char *version) {
    fail("%s is version '%s', too old: %d or newer is needed", program(),
         version, OLDEST_MAJOR);
}

static void read_version(struct instance *server) {
    redisReply *info = instance_ask(server, REDIS_REPLY_STRING,
                                    "INFO server");
    const char *text = info->str;
    char redis[32] = "", valkey[32] = "", pid[32] = "";

    find(text, "\nredis_version:", redis, sizeof redis);
    find(text, "\nprocess_id:", pid, sizeof pid);
    if (find(text, "\nvalkey_version:", valkey, sizeof valkey))
        snprintf(server->version, sizeof server->version, "valkey %s", valkey);
    else
        snprintf(server->version, sizeof server->version, "redis %s", redis);
    freeReplyObject(info);
    if (atoi(redis) < OLDEST_MAJOR)
        too_old(redis);
    // A race kills and stops the process that we have started. So that must be
    // the server itself and not a wrapper around it.
    if (atoi(pid) != (int)server->daemon.process.pid) {
        redisCommand(server->own, "SHUTDOWN NOSAVE"); // nobody else ends it
        fail("%s is not the server but has started it: a wrapper must end "
             "with 'exec redis-server \"$@\"'", program());
    }
}

static void explain(const struct daemon *daemon, const char *how) {
    if (strcmp(how, "exited with 127") == 0)
        fail("there is no %s here: 'make setup' installs one, or name "
             "yours in REDIS_SERVER", program());
    if (strstr(daemon->last_line, debug_option + strlen("--")) &&
        strstr(daemon->last_line, "Bad directive"))
        too_old("6 or older");
}

static void fail_by_itself(struct daemon *daemon) {
    struct instance *server = (struct instance *)daemon;

    instance_fail(server, server->own);
}

static bool answers(struct daemon *daemon) {
    struct instance *server = (struct instance *)daemon;
    redisReply *pong = NULL;

    server->own = session_open(&daemon->door);
    if (server->own) {
        redisAppendCommand(server->own, "PING");
        pong = session_hear(server->own);
    }
    // While a server loads its files it answers every command with an error.
    bool ready = pong && pong->type == REDIS_REPLY_STATUS;
    if (pong)
        freeReplyObject(pong);
    if (!ready)
        session_close(&server->own);
    return ready;
}

static const struct daemon_kind redis_server = {
    .name = "redis",
    .program = program,
    .answers = answers,
    .note_line = note_line,
    .explain = explain,
    .fail = fail_by_itself,
};

// Most of a start is the loader's work.
static void fork_server_for(struct instance *server, char *const argv[],
                            const struct variable *environment) {
    if (server->fork_server.process.state == PROCESS_NONE) {
        server->fork_server.process.joins_stderr = true;
        fork_server_open(&server->fork_server, FORK_BEFORE_MAIN, argv,
                         environment);
    }
    if (!fork_server_start(&server->fork_server, &server->daemon.process,
                           environment))
        fail("the fork server could not start another server");
}

// --jemalloc-bg-thread no: a background thread of the server's allocator would
// wait until a time of the wall clock. In a world that clock stands still, so
// the thread would never sleep.
static void spawn(struct instance *server) {
    char *saved = NULL, *argv[MAX_ARGUMENTS] = {
        (char *)program(), "--port", "0", "--unixsocket", server->daemon.path,
        "--dir", server->daemon.folder, "--save", "", "--loglevel", "notice",
        "--logfile", "", "--daemonize", "no", "--jemalloc-bg-thread", "no",
        (char *)debug_option, "local",
    };
    char options[sizeof server->options];
    int count = 0;
    struct variable environment[CLOCK_VARIABLES + 1];

    while (argv[count])
        count++;
    strcpy(options, server->options);
    for (char *word = strtok_r(options, " ", &saved); word;
         word = strtok_r(NULL, " ", &saved)) {
        if (count == MAX_ARGUMENTS - 1)
            fail("more than %d words of options for a server", count);
        argv[count++] = word;
    }
    mkdir(server->daemon.folder, 0700);
    clock_environment(environment, &server->daemon.process,
                      server->daemon.slot, NULL);
    if (server->starts_often && server->version[0])
        fork_server_for(server, argv, environment);
    else
        process_start(&server->daemon.process, argv, environment);
}

// A server on another clock would give verdicts that mean nothing.
static void check_clock(struct instance *server) {
    int64_t wall_s = clock_wall_s(server->daemon.slot);
    redisReply *time = instance_ask(server, REDIS_REPLY_ARRAY, "TIME");

    if (wall_s &&
        (time->elements == 0 || atoll(time->element[0]->str) != wall_s))
        fail("%s does not live on the world's clock", program());
    freeReplyObject(time);
}

// A server removes an expired key when a command uses it. It also searches for
// expired keys from time to time (active expiry). The moments are of the
// machine's time, and differ from run to run. And Redis 8.0 removes a key one
// millisecond before a client would see it expire. So in a world active expiry
// is switched off. The server starts about 17 years in the past, so that no key
// that it loads from disk has expired before it is switched off.
static void stop_active_expiry(struct instance *server) {
    if (clock_wall_s(server->daemon.slot))
        freeReplyObject(instance_ask(server, REDIS_REPLY_STATUS,
                                     "DEBUG SET-ACTIVE-EXPIRE 0"));
}

void instance_open(struct instance *server, int number) {
    memset(server, 0, sizeof *server);
    daemon_open(&server->daemon, &redis_server, number);
}

void instance_start(struct instance *server) {
    int64_t skew_ns = clock_set_back(server->daemon.slot);

    server->typed[0] = '\0';
    server->replicas = -1;
    spawn(server);
    daemon_await(&server->daemon);
    read_version(server);
    stop_active_expiry(server);
    clock_skew(server->daemon.slot, skew_ns);
    check_clock(server);
}

// "total_connections_received:12\r\n" in INFO.
static unsigned number_in(const char *info, const char *name) {
    char text[32] = "";
    find(info, name, text, sizeof text);
    return (unsigned)strtoul(text, NULL, 10);
}

static unsigned connections_of(struct instance *server) {
    redisReply *info = instance_ask(server, REDIS_REPLY_STRING, "INFO stats");
    unsigned met = number_in(info->str, "\ntotal_connections_received:") +
                   number_in(info->str, "\nrejected_connections:");

    freeReplyObject(info);
    return met;
}

// A server can answer before it accepts a connection that was made before it
// was asked. When it is asked again it has accepted it.
bool instance_has_met_others(struct instance *server) {
    enum { QUESTIONS = 3 };
    struct daemon *daemon = &server->daemon;
    bool differs = daemon->process.state == PROCESS_RUNS && server->own;

    for (int i = 0; i < QUESTIONS && differs; i++)
        differs = connections_of(server) != daemon->door.connections;
    daemon->met_others = daemon->met_others || differs;
    return daemon->met_others;
}

void instance_kill(struct instance *server) {
    session_close(&server->own);
    session_close(&server->operator);
    daemon_kill(&server->daemon);
}

void instance_close(struct instance *server) {
    if (server->own)
        instance_kill(server);
    if (server->fork_server.process.state != PROCESS_NONE)
        fork_server_close(&server->fork_server);
    if (access(server->daemon.folder, F_OK) == 0)
        instance_wipe_disk(server); // the next one there is new
    door_close(&server->daemon.door);
}

// --- its disk ----------------------------------------------------------------

// nftw() hands its visitor no argument.
static struct instance *visited;

static int forget_file(const char *path, const struct stat *status, int type,
                       struct FTW *position) {
    (void)status;
    (void)type;
    if (position->level > 0)
        remove(path);
    return 0;
}

static int note_file(const char *path, const struct stat *status, int type,
                     struct FTW *position) {
    struct synced_file *file = &visited->synced[visited->synced_count];

    (void)position;
    if (type != FTW_F)
        return 0;
    if (visited->synced_count == MAX_SYNCED)
        fail("the server has more than %d files", MAX_SYNCED);
    snprintf(file->path, sizeof file->path, "%s", path);
    file->size = status->st_size;
    visited->synced_count++;
    return 0;
}

static int lose_file(const char *path, const struct stat *status, int type,
                     struct FTW *position) {
    (void)status;
    (void)position;
    for (int i = 0; i < visited->synced_count; i++)
        if (strcmp(visited->synced[i].path, path) == 0)
            return truncate(path, visited->synced[i].size);
    return type == FTW_F ? remove(path) : 0;
}

static void visit(struct instance *server,
                  int (*visitor)(const char *, const struct stat *, int,
                                 struct FTW *)) {
    visited = server;
    if (nftw(server->daemon.folder, visitor, 8, FTW_DEPTH | FTW_PHYS) != 0)
        fail("cannot go through the files of %s: %s", server->daemon.folder,
             strerror(errno));
}

void instance_wipe_disk(struct instance *server) {
    visit(server, forget_file);
}

void instance_sync_disk(struct instance *server) {
    server->synced_count = 0;
    visit(server, note_file);
}

void instance_lose_unsynced(struct instance *server) {
    visit(server, lose_file);
}
