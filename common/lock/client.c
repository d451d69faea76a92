// A client: one lock, told what to do in lines on standard input, answering in
// lines on standard output. docs/protocol.md describes the lines; this is the
// main() of every stage.
#include "arguments.h"
#include "lock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEASE_MS = 24 * 60 * 60 * 1000 };

struct settings {
    const char *key;
    const char *lease_ms;
};

static const struct argp_option options[] = {
    {"key", 'k', "KEY", 0, "the lock's name (default $LOCK_KEY, or lock)", 0},
    {"lease-ms", 'l', "MS", 0,
     "the lease in milliseconds (default $LOCK_LEASE_MS, or 30000)", 0},
    {0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
    struct settings *settings = state->input;
    switch (key) {
    case 'k': settings->key = argument; return 0;
    case 'l': settings->lease_ms = argument; return 0;
    default:  return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse_option,
    .doc = "A lock on standard input and output: enter, leave, held, quit.\v"
           "The server is the one that REDIS_URL names: unix:///path or "
           "redis://[[user]:password@]host[:port][/database], by default "
           "redis://127.0.0.1:6379.",
};

static const char *from_environment(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value ? value : otherwise;
}

static void check_key(const char *key) {
    if (!*key)
        refuse("the key is empty: give the lock a name");
    for (const char *c = key; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            refuse("the key has a space or a control character in it: "
                   "use visible characters");
}

static int check_lease(const char *text) {
    char *end;
    errno = 0;
    long ms = strtol(text, &end, 10);
    if (end == text || *end || errno || ms < 1 || ms > MAX_LEASE_MS)
        refuse("the lease '%s' is not a number of milliseconds from 1 to "
               "86400000", text);
    return (int)ms;
}

// Answers one line. False if the answer was an error of the server's.
static bool answer(enum lock_result result) {
    switch (result) {
    case LOCK_OK:      puts("ok"); break;
    case LOCK_BUSY:    puts("busy"); break;
    case LOCK_LOST:    puts("lost"); break;
    case LOCK_UNKNOWN: printf("unknown %s\n", lock_reason()); break;
    case LOCK_ERROR:   printf("error %s\n", lock_reason()); break;
    }
    return result != LOCK_ERROR;
}

// Obeys until "quit" or the end of the input; the process's exit status.
static int obey(struct lock *lock) {
    int status = 0;
    char *line = NULL;
    size_t size = 0;
    ssize_t length;

    while ((length = getline(&line, &size, stdin)) > 0) {
        if (line[length - 1] == '\n')
            line[--length] = '\0';
        lock_explain("no reason given");
        if (strlen(line) != (size_t)length)
            refuse("a zero byte in '%s': say enter, leave, held or quit", line);
        else if (strcmp(line, "enter") == 0)
            status = answer(lock_acquire(lock)) ? status : EXIT_WRONG_USE;
        else if (strcmp(line, "leave") == 0)
            status = answer(lock_release(lock)) ? status : EXIT_WRONG_USE;
        else if (strcmp(line, "held") == 0)
            answer(lock_held(lock) ? LOCK_OK : LOCK_LOST);
        else if (strcmp(line, "quit") == 0)
            break;
        else
            refuse("'%s' is not a command: say enter, leave, held or quit",
                   line);
    }
    free(line);
    return status;
}

int main(int argc, char **argv) {
    struct settings settings = {
        .key = from_environment("LOCK_KEY", "lock"),
        .lease_ms = from_environment("LOCK_LEASE_MS", "30000"),
    };

    // hiredis writes without MSG_NOSIGNAL: a broken connection must be an
    // error that the lock can answer, not the end of the process.
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    arguments_parse(&argp, argc, argv, &settings);
    check_key(settings.key);
    int lease_ms = check_lease(settings.lease_ms);

    struct lock *lock = lock_open(settings.key, lease_ms);
    if (!lock)
        refuse("%s", lock_reason());
    puts("ready");
    int status = obey(lock);
    lock_close(lock);
    return status;
}
