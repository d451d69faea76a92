// The main() of every stage: a client. It has one lock (or several). It reads
// commands line by line on standard input, and answers line by line on standard
// output. docs/protocol.md describes the lines.
#include "base/arguments.h"
#include "lock.h"
#include "resource.h"
#include "threads.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_MS = 24 * 60 * 60 * 1000, MAX_KEYS = 4 };

struct client_settings {
    const char *keys[MAX_KEYS];
    int key_count;
    const char *lease_ms;
};

enum { KEY_LEASE_MS = 1000 };

static const struct argp_option options[] = {
    {"key", 'k', "KEY", 0, "the lock's name (may be given more than once; default $LOCK_KEY and "
     "$LOCK_SECOND_KEY, or lock)", 0},
    {"lease-ms", KEY_LEASE_MS, "MS", 0,
     "the lease in milliseconds (default $LOCK_LEASE_MS, or 30000)", 0},
    {0},
};

static void add_key(struct client_settings *settings, const char *key) {
    if (!*key)
        refuse("the key is empty: give the lock a name");
    for (const char *c = key; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            refuse("the key has a space or a control character in it: "
                   "use visible characters");
    if (settings->key_count == MAX_KEYS)
        refuse("more than %d keys", MAX_KEYS);
    settings->keys[settings->key_count++] = key;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
    struct client_settings *settings = state->input;
    switch (key) {
    case 'k': add_key(settings, argument); return 0;
    case KEY_LEASE_MS: settings->lease_ms = argument; return 0;
    default:  return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse_option,
    .doc = "A lock on standard input and output: enter, wait, leave, held, quit.\v"
           "The server is the one that REDIS_URL names: unix:///path or "
           "redis://[[user]:password@]host[:port][/database], by default "
           "redis://127.0.0.1:6379. For a lock in a database MYSQL_URL names it "
           "(mysql://[user[:password]@]host[:port]/database, with %40 for @), "
           "for one in ZooKeeper ZOOKEEPER_HOSTS (host:port,host:port).",
};

static const char *from_environment(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value ? value : otherwise;
}

static int check_ms(const char *what, const char *text, int least_ms) {
    char *end;
    errno = 0;
    long ms = strtol(text, &end, 10);
    if (end == text || *end || errno || ms < least_ms || ms > DAY_MS)
        refuse("the %s '%s' is not a number of milliseconds from %d to "
               "86400000", what, text, least_ms);
    return (int)ms;
}

// --- handles -----------------------------------------------------------------

static struct handle {
    const char *key;
    int lease_ms;
    struct lock *lock;
} handles[MAX_KEYS];

static void open_handles(const struct client_settings *settings, int lease_ms) {
    for (int i = 0; i < settings->key_count; i++) {
        handles[i].key = settings->keys[i];
        handles[i].lease_ms = lease_ms;
        handles[i].lock = lock_open(settings->keys[i], lease_ms);
        if (!handles[i].lock)
            refuse("%s", lock_reason());
    }
}

static void close_handle(struct handle *handle) {
    if (handle->lock)
        lock_close(handle->lock);
    handle->lock = NULL;
}

static void close_handles(void) {
    for (int i = 0; i < MAX_KEYS; i++)
        close_handle(&handles[i]);
}

static struct handle *find_handle(const char *key) {
    for (int i = 0; i < MAX_KEYS && handles[i].key; i++)
        if (strcmp(handles[i].key, key) == 0)
            return &handles[i];
    refuse("'%s' is not one of the keys that this client was started with",
           key);
}

// --- operations --------------------------------------------------------------

#define COMMANDS \
    "enter, enter-for, wait, leave, held, write, write-apart, reopen, " \
    "reopen-for or quit"

struct operation {
    const char *word;
    struct handle *handle;
    int thread;
    int lease_ms;    // with enter-for and reopen-for
    int patience_ms; // with wait
    enum lock_result result;
    char reason[256];
};

static bool opens_anew(const char *word) {
    return strcmp(word, "reopen") == 0 || strcmp(word, "reopen-for") == 0;
}

// As a program that ends and is started again; with another lease, if
// lease_ms is not 0.
static enum lock_result reopen(struct handle *handle, int lease_ms) {
    close_handle(handle);
    handle->lock = lock_open(handle->key,
                             lease_ms ? lease_ms : handle->lease_ms);
    return handle->lock ? LOCK_OK : LOCK_UNKNOWN;
}

static enum lock_result not_open(void) {
    lock_explain("the lock is not open");
    return LOCK_UNKNOWN;
}

static void perform(void *argument) {
    struct operation *operation = argument;
    const char *word = operation->word;
    struct lock *lock = operation->handle->lock;

    lock_explain("no reason given");
    if (!lock && !opens_anew(word))
        operation->result = not_open();
    else if (strcmp(word, "enter") == 0)
        operation->result = lock_acquire(lock);
    else if (strcmp(word, "enter-for") == 0)
        operation->result = lock_acquire_for(lock, operation->lease_ms);
    else if (strcmp(word, "wait") == 0)
        operation->result = lock_wait(lock, operation->patience_ms);
    else if (strcmp(word, "leave") == 0)
        operation->result = lock_release(lock);
    else if (strcmp(word, "held") == 0)
        operation->result = lock_held(lock) ? LOCK_OK : LOCK_LOST;
    else if (strcmp(word, "write") == 0)
        operation->result = resource_write(lock_fence(lock));
    else if (strcmp(word, "write-apart") == 0)
        operation->result = resource_write_apart(lock_fence(lock));
    else if (opens_anew(word))
        operation->result = reopen(operation->handle, operation->lease_ms);
    else
        refuse("'%s' is not a command: say " COMMANDS, word);
    snprintf(operation->reason, sizeof operation->reason, "%s", lock_reason());
}

static void answer(const struct operation *operation) {
    switch (operation->result) {
    case LOCK_OK:      puts("ok"); break;
    case LOCK_BUSY:    puts("busy"); break;
    case LOCK_LOST:    puts("lost"); break;
    case LOCK_UNKNOWN: printf("unknown %s\n", operation->reason); break;
    case LOCK_ERROR:   printf("error %s\n", operation->reason); break;
    case LOCK_CANNOT:  printf("cannot %s\n", operation->reason); break;
    }
}

// WORD [KEY] [@THREAD]; after enter-for and reopen-for a lease, after wait a
// patience
static struct operation parse_line(char *line) {
    char *saved = NULL, *word = strtok_r(line, " ", &saved);
    struct operation operation = {
        .word = word ? word : "", .handle = &handles[0], .thread = 1};

    if (strcmp(operation.word, "enter-for") == 0 ||
        strcmp(operation.word, "reopen-for") == 0) {
        word = strtok_r(NULL, " ", &saved);
        operation.lease_ms = check_ms("lease", word ? word : "", 1);
    } else if (strcmp(operation.word, "wait") == 0) {
        word = strtok_r(NULL, " ", &saved);
        operation.patience_ms = check_ms("patience", word ? word : "", 0);
    }
    while ((word = strtok_r(NULL, " ", &saved))) {
        if (*word != '@')
            operation.handle = find_handle(word);
        else if (word[1] < '1' || word[1] > '0' + MAX_THREAD || word[2])
            refuse("'%s' is not a thread: say @1 to @4", word);
        else
            operation.thread = word[1] - '0';
    }
    return operation;
}

// Does what the lines say until "quit" or the end of the input. Returns the
// exit status of the process.
static int obey(void) {
    int status = 0;
    char *line = NULL;
    size_t size = 0;
    ssize_t length;

    while ((length = getline(&line, &size, stdin)) > 0) {
        if (line[length - 1] == '\n')
            line[--length] = '\0';
        if (strlen(line) != (size_t)length)
            refuse("a zero byte in '%s': say " COMMANDS, line);
        if (strcmp(line, "quit") == 0)
            break;
        struct operation operation = parse_line(line);
        run_on_thread(operation.thread, perform, &operation);
        answer(&operation);
        if (operation.result == LOCK_ERROR)
            status = EXIT_WRONG_USE;
    }
    free(line);
    return status;
}

int main(int argc, char **argv) {
    struct client_settings settings = {
        .lease_ms = from_environment("LOCK_LEASE_MS", "30000"),
    };

    setvbuf(stdout, NULL, _IOLBF, 0);
    arguments_parse(&argp, argc, argv, &settings);
    if (settings.key_count == 0) {
        add_key(&settings, from_environment("LOCK_KEY", "lock"));
        if (getenv("LOCK_SECOND_KEY"))
            add_key(&settings, getenv("LOCK_SECOND_KEY"));
    }
    int lease_ms = check_ms("lease", settings.lease_ms, 1);

    open_handles(&settings, lease_ms);
    puts("ready enter-for wait write-apart reopen reopen-for");
    int status = obey();
    close_handles();
    return status;
}
