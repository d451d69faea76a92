// A connection to Redis: hiredis with replies by value.
//
// hiredis hands out replies that somebody must free and check for NULL; five
// lines of that around every command would hide the lock. Here a reply is a
// small struct that is simply dropped. The price is a limit on the length of
// a string reply, which no lock comes near.
#ifndef REDIS_H
#define REDIS_H

struct redis;

enum reply_type {
    REPLY_STATUS,  // +OK: text
    REPLY_INTEGER, // :1: integer
    REPLY_STRING,  // $3 abc: text
    REPLY_NIL,     // $-1: no such thing
    REPLY_ARRAY,   // *2: integer is its first element's; EXEC's answer, say
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
// and without it to redis://127.0.0.1:6379. NULL if there is no answer;
// lock_reason() says why. Not thread-safe: one connection for each thread.
struct redis *redis_open(void);

// The same with a limit of its own, for a connection whose answers are of no
// use after that time: no connecting and no answer takes longer than
// `limit_ms`, nor longer than two seconds.
struct redis *redis_open_within(int limit_ms);

// Frees it. NULL is fine.
void redis_close(struct redis *redis);

// Sends one command and waits for its answer, at most two seconds. A
// connection that broke is never used again, because a late answer would be
// taken for the next one: the next call connects anew. Nothing is retried
// here: whether a command may run twice is for the lock to say. A connection
// that the server has closed raises no SIGPIPE. Formats are hiredis's: %s is
// one argument, whatever it contains.
struct reply redis_call(struct redis *redis, const char *format, ...);

// A script on the server, named there by the SHA-1 of its text.
struct script {
    const char *text;
    char sha1[41];
};

// SCRIPT LOAD. When the server does not answer, the script is sent in full
// with its first call.
struct script redis_script(struct redis *redis, const char *text);

// EVALSHA, and EVAL when the server does not know the script (any more). The
// format is what stands behind the script's name: "1 %s %s" for one key and
// one argument.
struct reply redis_eval(struct redis *redis, const struct script *script,
                        const char *format, ...);

#endif
