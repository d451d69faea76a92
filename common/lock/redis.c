// hiredis behind redis.h: addresses, reconnecting, replies by value, scripts.
//
// After a failure the next call that needs the connection makes a new one. The
// alternative was to send the command again inside the failing call. It was
// rejected: the command can then run twice, and only the lock knows whether
// that is harmless.
#include "redis.h"

#include "lock.h"
#include "wait.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { DEFAULT_PORT = 6379, LONGEST_LIMIT_MS = 2000 };

struct redis_address {
    char host[256]; // or the socket's path
    int port;       // 0: a Unix socket
    char user[128];
    char password[256];
    int database;
};

struct redis {
    struct redis_address address;
    int limit_ms;          // for connecting, and for each answer
    redisContext *context; // NULL: not connected
};

static bool copy(char *to, size_t size, const char *from, size_t length) {
    if (length >= size)
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

static bool parse_number(const char *text, int max, int *number) {
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 0 || value > max)
        return false;
    *number = (int)value;
    return true;
}

// [[user]:password@]host[:port][/database]
static bool parse_tcp(const char *rest, struct redis_address *address) {
    const char *at = strrchr(rest, '@');
    if (at) {
        const char *colon = memchr(rest, ':', (size_t)(at - rest));
        if (!colon)
            return false;
        if (!copy(address->user, sizeof address->user, rest,
                  (size_t)(colon - rest)) ||
            !copy(address->password, sizeof address->password, colon + 1,
                  (size_t)(at - colon - 1)))
            return false;
        rest = at + 1;
    }

    char host[sizeof address->host];
    if (!copy(host, sizeof host, rest, strlen(rest)))
        return false;
    char *slash = strchr(host, '/');
    if (slash) {
        *slash = '\0';
        if (slash[1] && !parse_number(slash + 1, 1 << 20, &address->database))
            return false;
    }
    address->port = DEFAULT_PORT;
    char *name = host;
    char *port = strrchr(host, ':');
    if (host[0] == '[') { // [::1]:6379
        char *bracket = strchr(host, ']');
        if (!bracket)
            return false;
        *bracket = '\0';
        name = host + 1;
        port = bracket[1] == ':' ? bracket + 1 : NULL;
    }
    if (port) {
        *port = '\0';
        if (!parse_number(port + 1, 65535, &address->port) || !address->port)
            return false;
    }
    strcpy(address->host, *name ? name : "127.0.0.1");
    return true;
}

static bool parse_url(const char *url, struct redis_address *address) {
    memset(address, 0, sizeof *address);
    if (strncmp(url, "unix://", 7) == 0)
        return url[7] == '/' && copy(address->host, sizeof address->host,
                                     url + 7, strlen(url + 7));
    if (strncmp(url, "redis://", 8) == 0)
        return parse_tcp(url + 8, address);
    return false;
}

static void disconnect(struct redis *redis) {
    if (redis->context)
        redisFree(redis->context);
    redis->context = NULL;
}

// The reason in our own words, as hiredis's differ from version to version.
static const char *why_broken(const redisContext *context) {
    if (errno == EAGAIN && (!context->err || context->err == REDIS_ERR_IO))
        return "no answer in time";
    if (context->err == REDIS_ERR_OOM)
        return "no memory for the answer";
    if (context->err == REDIS_ERR_PROTOCOL || context->err == REDIS_ERR_OTHER)
        return "not understood: no answer in the form that Redis gives them";
    return "connection lost before the answer";
}

// In place of hiredis's own function, which calls send(..., 0). When the other
// side has closed the connection, that raises SIGPIPE, and SIGPIPE ends a
// program that does not expect it. With MSG_NOSIGNAL the signal is not raised.
// (A library should not change what signals do in its program.)
static bool send_all(redisContext *context, const char *wire, size_t length) {
    while (length > 0) {
        ssize_t sent = send(context->fd, wire, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return false;
        wire += sent;
        length -= (size_t)sent;
    }
    return true;
}

// Sends a command in wire format and waits for its answer; NULL if none came.
static redisReply *ask(redisContext *context, const char *wire, size_t length) {
    void *answer = NULL;

    if (!send_all(context, wire, length))
        return NULL;
    // Nothing is left in hiredis's own buffer: it only reads.
    return redisGetReply(context, &answer) == REDIS_OK ? answer : NULL;
}

// The first words of the reason when a command was never sent.
static const char cannot_connect[] = "cannot connect to the server";

static bool greet(struct redis *redis, const char *format, const char *first,
                  const char *second) {
    char *wire = NULL;
    int length = redisFormatCommand(&wire, format, first, second);
    redisReply *reply =
        length < 0 ? NULL : ask(redis->context, wire, (size_t)length);
    bool fine = reply && reply->type != REDIS_REPLY_ERROR;
    if (!fine)
        lock_explain("%s: %s", cannot_connect,
                     reply ? reply->str : why_broken(redis->context));
    if (reply)
        freeReplyObject(reply);
    redisFreeCommand(wire);
    return fine;
}

static bool authenticate(struct redis *redis) {
    const struct redis_address *address = &redis->address;
    char database[16];

    if (address->user[0]) {
        if (!greet(redis, "AUTH %s %s", address->user, address->password))
            return false;
    } else if (address->password[0]) {
        if (!greet(redis, "AUTH %s", address->password, NULL))
            return false;
    }
    if (!address->database)
        return true;
    snprintf(database, sizeof database, "%d", address->database);
    return greet(redis, "SELECT %s", database, NULL);
}

static struct timeval timeval_of(int ms) {
    return (struct timeval){ms / 1000, ms % 1000 * 1000};
}

static bool connect_now(struct redis *redis) {
    const struct redis_address *address = &redis->address;
    const struct timeval limit = timeval_of(redis->limit_ms);

    redis->context =
        address->port
            ? redisConnectWithTimeout(address->host, address->port, limit)
            : redisConnectUnixWithTimeout(address->host, limit);
    if (!redis->context || redis->context->err) {
        lock_explain("%s: %s", cannot_connect,
                     redis->context ? redis->context->errstr : "no memory");
        disconnect(redis);
        return false;
    }
    redisSetTimeout(redis->context, limit);
    if (authenticate(redis))
        return true;
    disconnect(redis);
    return false;
}

static const char *environment(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

// A connection that is not made yet. `name`: where the URL is from.
static struct redis *new_connection(const char *name, const char *url,
                                    int limit_ms) {
    struct redis *redis = calloc(1, sizeof *redis);

    if (!redis) {
        lock_explain("no memory");
        return NULL;
    }
    // For a socket a limit of 0 would mean no limit.
    redis->limit_ms = limit_ms < 1                  ? 1
                      : limit_ms < LONGEST_LIMIT_MS ? limit_ms
                                                    : LONGEST_LIMIT_MS;
    // The URL may hold a password: it is not repeated in the message.
    if (parse_url(url, &redis->address))
        return redis;
    lock_explain("%s is not unix:///path or "
                 "redis://[[user]:password@]host[:port][/database]", name);
    free(redis);
    return NULL;
}

static const char default_url[] = "redis://127.0.0.1:6379";

struct redis *redis_open_within(int limit_ms) {
    struct redis *redis =
        new_connection("REDIS_URL", environment("REDIS_URL", default_url),
                       limit_ms);

    if (!redis || connect_now(redis))
        return redis;
    free(redis);
    return NULL;
}

// --- several servers ---------------------------------------------------------

static const char *urls(void) {
    return environment("REDIS_URLS", environment("REDIS_URL", default_url));
}

static const char between[] = " ,";

// The URL with this number, from 0, and its length; of the next one, at the
// end, the length is 0.
static const char *find_url(int number, size_t *length) {
    const char *url = urls() + strspn(urls(), between);

    for (; number > 0; number--) {
        url += strcspn(url, between);
        url += strspn(url, between);
    }
    *length = strcspn(url, between);
    return url;
}

int redis_servers(void) {
    int servers = 0;
    size_t length;

    while (find_url(servers, &length), length > 0)
        servers++;
    return servers;
}

struct redis *redis_open_one(int server, int limit_ms) {
    size_t length;
    const char *found = find_url(server, &length);
    char *url = strndup(found, length);
    struct redis *redis = new_connection(
        *environment("REDIS_URLS", "") ? "a URL in REDIS_URLS" : "REDIS_URL",
        url ? url : "", limit_ms);

    free(url);
    if (redis)
        connect_now(redis);
    return redis;
}

struct redis *redis_open(void) {
    return redis_open_within(LONGEST_LIMIT_MS);
}

void redis_close(struct redis *redis) {
    if (!redis)
        return;
    disconnect(redis);
    free(redis);
}

static struct reply by_value(const redisReply *from) {
    struct reply reply = {.type = REPLY_NONE}; // RESP3's types, too

    // The reason, if the lock does not expect an answer of this type.
    lock_explain("not understood: not the type of answer that was asked for");
    switch (from->type) {
    case REDIS_REPLY_STATUS:  reply.type = REPLY_STATUS; break;
    case REDIS_REPLY_STRING:  reply.type = REPLY_STRING; break;
    case REDIS_REPLY_NIL:     reply.type = REPLY_NIL; break;
    case REDIS_REPLY_INTEGER:
        reply.type = REPLY_INTEGER;
        reply.integer = from->integer;
        break;
    case REDIS_REPLY_ARRAY: // if its first element is an error: that error
        if (from->elements > 0 && from->element[0]->type == REDIS_REPLY_ERROR)
            return by_value(from->element[0]);
        reply.type = REPLY_ARRAY;
        reply.integer = from->elements > 0 ? from->element[0]->integer : 0;
        break;
    case REDIS_REPLY_ERROR:
        reply.type = REPLY_ERROR;
        lock_explain("%s", from->str);
        break;
    }
    if (from->str)
        snprintf(reply.text, sizeof reply.text, "%s", from->str);
    return reply;
}

// Closes the connection if there is something to read on it before anything was
// asked. Then the server has closed it, or it has sent an answer too many. If
// we notice that before a command is sent, nothing is lost. If we noticed it
// later, nobody could say whether the command ran.
static void drop_if_stale(struct redis *redis) {
    char byte;

    if (redis->context &&
        (recv(redis->context->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
         errno != EAGAIN))
        disconnect(redis);
}

// How long to wait for an answer, now and from now on.
static void set_limit(struct redis *redis, int ms) {
    redisSetTimeout(redis->context, timeval_of(ms));
}

// Sends a command in wire format, waits for the answer, which the server may
// keep back for so long.
static struct reply exchange(struct redis *redis, int kept_ms,
                             const char *wire, size_t length) {
    drop_if_stale(redis);
    if (!redis->context && !connect_now(redis))
        return (struct reply){.type = REPLY_NONE};
    if (kept_ms > 0)
        set_limit(redis, redis->limit_ms + kept_ms);
    redisReply *answer = ask(redis->context, wire, length);
    if (!answer) {
        lock_explain("%s", why_broken(redis->context));
        disconnect(redis);
        return (struct reply){.type = REPLY_NONE};
    }
    if (kept_ms > 0)
        set_limit(redis, redis->limit_ms);
    struct reply reply = by_value(answer);
    freeReplyObject(answer);
    return reply;
}

static struct reply call(struct redis *redis, int kept_ms, const char *format,
                         va_list args) {
    char *wire = NULL;
    int length = redisvFormatCommand(&wire, format, args);

    if (length < 0) {
        lock_explain("cannot format the command %s", format);
        return (struct reply){.type = REPLY_ERROR};
    }
    struct reply reply = exchange(redis, kept_ms, wire, (size_t)length);
    redisFreeCommand(wire);
    return reply;
}

struct reply redis_call(struct redis *redis, const char *format, ...) {
    va_list args;

    va_start(args, format);
    struct reply reply = call(redis, 0, format, args);
    va_end(args);
    return reply;
}

struct reply redis_call_kept(struct redis *redis, int kept_ms,
                             const char *format, ...) {
    va_list args;

    va_start(args, format);
    struct reply reply = call(redis, kept_ms, format, args);
    va_end(args);
    return reply;
}

// --- messages ----------------------------------------------------------------

struct redis *redis_subscribe(const char *channel) {
    struct redis *redis = redis_open();

    if (!redis)
        return NULL;
    struct reply reply = redis_call(redis, "SUBSCRIBE %s", channel);
    if (reply.type == REPLY_ARRAY && redis->context)
        return redis;
    redis_close(redis);
    return NULL;
}

// Reads what has come, without waiting. False: the connection is broken.
static bool take_messages(redisContext *context, bool *some) {
    void *message;

    if (redisBufferRead(context) != REDIS_OK)
        return false;
    while (redisGetReplyFromReader(context, &message) == REDIS_OK) {
        if (!message)
            return true;
        freeReplyObject(message);
        *some = true;
    }
    return false;
}

bool redis_listen(struct redis *redis, int ms) {
    long long end_ms = now_ms() + ms;
    bool some = false;

    while (!some && ms > 0 && wait_for_input(redis->context->fd, ms)) {
        if (!take_messages(redis->context, &some))
            return false;
        ms = (int)(end_ms - now_ms());
    }
    return true;
}

struct script redis_script(struct redis *redis, const char *text) {
    struct script script = {.text = text};
    struct reply reply = redis_call(redis, "SCRIPT LOAD %s", text);

    if (reply.type == REPLY_STRING)
        copy(script.sha1, sizeof script.sha1, reply.text, strlen(reply.text));
    return script;
}

// VERB SCRIPT and the arguments that `tail` holds in wire format: "*3\r\n" and
// three strings become "*5\r\n", the verb, the script and the same three.
static struct reply eval(struct redis *redis, const char *verb,
                         const char *script, const char *tail, size_t length) {
    const char *arguments = strchr(tail, '\n') + 1;
    size_t size = length + strlen(script) + 64;
    char *wire = malloc(size);

    if (!wire) {
        lock_explain("no memory");
        return (struct reply){.type = REPLY_ERROR};
    }
    int head = snprintf(wire, size, "*%d\r\n$%zu\r\n%s\r\n$%zu\r\n%s\r\n",
                        atoi(tail + 1) + 2, strlen(verb), verb, strlen(script),
                        script);
    length -= (size_t)(arguments - tail);
    memcpy(wire + head, arguments, length);
    struct reply reply = exchange(redis, 0, wire, (size_t)head + length);
    free(wire);
    return reply;
}

struct reply redis_eval(struct redis *redis, const struct script *script,
                        const char *format, ...) {
    struct reply reply = {.type = REPLY_ERROR, .text = "NOSCRIPT"};
    char *tail = NULL;
    va_list args;

    va_start(args, format);
    int length = redisvFormatCommand(&tail, format, args);
    va_end(args);
    if (length < 0) {
        lock_explain("cannot format the arguments %s", format);
        return reply;
    }
    if (script->sha1[0])
        reply = eval(redis, "EVALSHA", script->sha1, tail, (size_t)length);
    if (reply.type == REPLY_ERROR && strncmp(reply.text, "NOSCRIPT", 8) == 0)
        reply = eval(redis, "EVAL", script->text, tail, (size_t)length);
    redisFreeCommand(tail);
    return reply;
}
