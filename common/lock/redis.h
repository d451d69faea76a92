// A connection to Redis: hiredis with replies by value.
//
// A reply of hiredis must be checked for NULL and freed. Five such lines around
// every command would hide the lock. Here a reply is a small struct, returned
// by value, that nobody has to free. The price is a limit on the length of a
// string reply; no lock needs so long a string.
#ifndef REDIS_H
#define REDIS_H

#include <stdbool.h>

struct redis;

enum reply_type {
    REPLY_STATUS,  // +OK: text
    REPLY_INTEGER, // :1: integer
    REPLY_STRING,  // $3 abc: text
    REPLY_NIL,     // $-1: no value
    REPLY_ARRAY,   // *2, such as EXEC's: integer is that of the first element
    REPLY_ERROR,   // -ERR: text; the server refused
    REPLY_NONE,    // no answer came: the command may have run; it was not even
                   // sent if lock_reason() begins with "cannot connect"
};

struct reply {
    enum reply_type type;
    long long integer;
    char text[128];
};

// Connects to the server that the environment names in REDIS_URL:
//     unix:///path/to/socket
//     redis://[[user]:password@]host[:port][/database]
// or, if REDIS_URL is not set, to redis://127.0.0.1:6379. NULL if that fails;
// lock_reason() says why. Not thread-safe: one connection for each thread.
struct redis *redis_open(void);

// The same, with a shorter time-out, for a caller that cannot use a later
// answer. Neither connecting nor an answer takes longer than `limit_ms`, nor
// longer than two seconds.
struct redis *redis_open_within(int limit_ms);

// The number of servers in REDIS_URLS: URLs as above, with spaces or commas
// between them. If it is not set: one, that of REDIS_URL.
int redis_servers(void);

// A connection to one of these servers, from 0, with a time-out as above. That
// one of several servers is down is no reason to do without the others: if it
// cannot be reached now, each command tries to reach it again.
struct redis *redis_open_one(int server, int limit_ms);

// Closes the connection and frees it. NULL is fine.
void redis_close(struct redis *redis);

// Sends one command and waits for its answer, at most two seconds. After a
// time-out or an error the connection is closed: a late answer would be taken
// for that of the next command. The next call makes a new connection. Nothing
// is sent twice: whether a command may run twice, only the lock knows. No
// SIGPIPE is raised when the server has closed the connection. The format is
// hiredis's: %s is one argument, whatever it contains.
struct reply redis_call(struct redis *redis, const char *format, ...);

// The same for a command that the server keeps until something happens, at most
// `kept_ms` (BLPOP): the answer has two seconds more than that.
struct reply redis_call_kept(struct redis *redis, int kept_ms,
                             const char *format, ...);

// Makes a connection that listens to a channel and does nothing else: it hears
// what is published there from now on, and nothing of what was published
// before. NULL if that fails; lock_reason() says why. redis_close() ends it.
struct redis *redis_subscribe(const char *channel);

// Waits at most `ms` milliseconds for a message. False if the connection is
// broken: no message will come any more. (The message itself is dropped:
// anybody can publish anything, so it is only a reason to look.)
bool redis_listen(struct redis *redis, int ms);

// A script. The server knows it by the SHA-1 of its text.
struct script {
    const char *text;
    char sha1[41];
};

// Sends SCRIPT LOAD. If the server does not answer, the first redis_eval()
// sends the script's whole text.
struct script redis_script(struct redis *redis, const char *text);

// Runs a script with EVALSHA, and with EVAL if the server does not know the
// script (any more). The format gives what follows the script's name in the
// command: "1 %s %s" is one key and one argument.
struct reply redis_eval(struct redis *redis, const struct script *script,
                        const char *format, ...);

#endif
