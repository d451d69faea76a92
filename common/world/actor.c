#include "actor.h"

#include "base/environment.h"
#include "base/paths.h"
#include "base/units.h"
#include "machine/clock.h"
#include "machine/fork_server_page.h"
#include "depth.h"
#include "base/fail.h"
#include "engines/engine.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- the line protocol -------------------------------------------------------

static const char *doing(const struct actor *client) {
    if (!client->ready)
        return "before it was ready";
    return client->asked ? operation_word(client->operation)
                         : "without being asked anything";
}

// "ok", "busy", "lost", or "unknown" and "error" with a reason.
static bool understand(struct actor *client, char *line) {
    size_t length = strcspn(line, " ");

    for (int i = RESULT_OK; i <= RESULT_CANNOT; i++) {
        const char *word = result_word((enum result)i);
        if (strlen(word) != length || strncmp(line, word, length) != 0)
            continue;
        client->result = (enum result)i;
        gate_copy_words(&client->gate, line[length] ? line + length + 1 : "",
                        client->reason, sizeof client->reason);
        return true;
    }
    return false;
}

// May the client lack its present operation? Every lock can be acquired,
// released and asked about; the others are optional.
static bool may_lack(const struct actor *client) {
    return operation_writes(client->operation) ||
           client->operation == OPERATION_REOPEN ||
           client->lock_number != client->turned ||
           client->thread > 1 || client->lease_ns > 0 ||
           client->patience_ns > 0;
}

// The words that a client may not know.
static const char *const more_words[] = {"enter-for", "wait", "write-apart",
                                         "reopen", "reopen-for"};

enum { MORE_WORDS = sizeof more_words / sizeof *more_words };

// The bit of such a word; 0 if it is none.
static unsigned word_bit(const char *word, size_t length) {
    for (unsigned i = 0; i < MORE_WORDS; i++)
        if (strlen(more_words[i]) == length &&
            strncmp(word, more_words[i], length) == 0)
            return 1u << i;
    return 0;
}

// "ready", and the words that not every client knows.
static bool is_ready(struct actor *client, const char *line) {
    const char *word = line + strcspn(line, " ");

    if (strncmp(line, "ready", strlen("ready")) != 0 ||
        word != line + strlen("ready"))
        return false;
    client->knows = 0;
    while (*word) {
        size_t length = strcspn(++word, " ");
        unsigned bit = word_bit(word, length);
        if (!bit)
            return false;
        client->knows |= bit;
        word += length;
    }
    return true;
}

static void hear(struct actor *client, char *line) {
    if (!client->ready && is_ready(client, line)) {
        client->ready = true;
        return;
    }
    if (!client->ready || !client->asked || client->answered ||
        !understand(client, line))
        fail("client %s said '%s' (%s): an answer is ok, busy, lost, "
             "unknown, error or cannot, once for each line it is told",
             client->name, line, doing(client));
    if (client->result == RESULT_CANNOT && !may_lack(client))
        fail("client %s said '%s' (%s): every client can do this; cannot is an "
             "answer to enter-for, to wait, to write, and where a second lock or a "
             "second thread is named", client->name, line, doing(client));
    client->answered = true;
    client->asked = false;
}

// Is it a signal that a process causes by a mistake?
static bool is_crash(int signal) {
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS,
                                  SIGFPE,  SIGILL,  SIGTRAP};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i] == signal)
            return true;
    return false;
}

void actor_forget_holds(struct actor *client) {
    memset(client->depth, 0, sizeof client->depth);
    memset(client->leaving, 0, sizeof client->leaving);
}

static void shut(struct actor *client) {
    loop_close(&client->output);
    waits_close(&client->waits);
    client->asked = false;
    actor_forget_holds(client);
}

// The client has closed its standard output.
static void see_end(struct actor *client) {
    loop_close(&client->output);
    const char *how = process_end(&client->process);
    bool unknown = client->process.leads && !client->ready &&
                   strcmp(how, "exited with 127") == 0;

    client->crashed = client->one_life && client->ready &&
                      is_crash(client->process.ended_by);
    // In real time a message can be on its way at any time.
    bool troubled = client->troubled ||
                    (client->real_time && gate_pending(&client->gate, 0));
    client->quit = client->one_life && client->ready && !client->asked &&
                   troubled && client->process.ended_by == 0;
    if (client->quit)
        snprintf(client->quit_how, sizeof client->quit_how, "%s", how);
    if (client->crashed || client->quit)
        shut(client);
    else
        fail("client %s %s (%s)%s", client->name, how, doing(client),
             unknown ? ": --client takes one simple command, such as "
                             "'env NAME=value python3 guest.py'" : "");
}

static void read_output(void *owner) {
    struct actor *client = owner;
    char *line = client->line;
    ssize_t length = read(client->output.fd, line + client->line_length,
                          CLIENT_LINE - 1 - client->line_length);

    if (length < 0 && errno == EAGAIN)
        return;
    if (length <= 0) {
        see_end(client);
        return;
    }
    client->line_length += (size_t)length;
    line[client->line_length] = '\0';
    for (char *end; (end = strchr(line, '\n'));) {
        *end = '\0';
        hear(client, line);
        client->line_length -= (size_t)(end + 1 - line);
        memmove(line, end + 1, client->line_length + 1);
    }
    if (client->line_length == CLIENT_LINE - 1 ||
        strlen(line) != client->line_length)
        fail("client %s wrote something that is not a line of text (%s)",
             client->name,
             doing(client));
}

void actor_suspend(struct actor *client, int64_t now_ns) {
    client->suspended_since_ns = now_ns;
    process_stop(&client->process);
}

void actor_end_suspension(struct actor *client, int64_t now_ns) {
    int64_t ns = now_ns - client->suspended_since_ns;

    if (client->suspended_since_ns < 0)
        return;
    client->suspended_since_ns = -1;
    clock_add_suspension(client->clock_slot, ns);
    waits_put_off(&client->waits, ns);
}

// Stories are written for a lease of 30 seconds. In real time a lease is
// shorter; then all times that the story gives are shortened alike.
static int scaled_ms(const struct actor *client, int64_t ns) {
    int64_t ms = ns / MILLISECOND;

    if (client->real_time)
        ms = ms * client->lease_ms / (LEASE_S * 1000);
    return ms > 0 ? (int)ms : 1;
}

// The word of the client protocol for this operation.
static const char *asking_word(const struct choice *choice) {
    if (choice->patience_ns > 0)
        return "wait";
    if (choice->ns > 0 && choice->operation == OPERATION_REOPEN)
        return "reopen-for";
    return choice->ns > 0 ? "enter-for" : operation_word(choice->operation);
}

// Ends the operation before it has begun, if the client does not know the word
// for it.
static bool lacks_word(struct actor *client, const struct choice *choice) {
    const char *word = asking_word(choice);
    unsigned bit = word_bit(word, strlen(word));

    if ((client->knows & bit) == bit)
        return false;
    snprintf(client->reason, sizeof client->reason,
             "it has not said that it knows %s", word);
    client->result = RESULT_CANNOT;
    client->answered = true;
    return true;
}

void actor_ask(struct actor *client, const struct choice *choice) {
    char line[CLIENT_LINE];
    int length = snprintf(line, sizeof line, "%s", asking_word(choice));

    if (choice->lock >= CLIENT_LOCKS || !client->keys[choice->lock])
        fail("client %s has no lock %d%s", client->name, choice->lock + 1,
             client->keys[1] ? "" : ": it was opened with one");
    client->operation = choice->operation;
    client->lock_number = choice->lock;
    client->thread = choice->thread > 1 ? choice->thread : 1;
    client->lease_ns = choice->ns;
    client->patience_ns = choice->patience_ns;
    if (lacks_word(client, choice))
        return;
    if (choice->patience_ns > 0)
        length += snprintf(line + length, sizeof line - (size_t)length, " %d",
                           choice->patience_ns == NO_PATIENCE_NS
                               ? 0 : scaled_ms(client, choice->patience_ns));
    else if (choice->ns > 0)
        length += snprintf(line + length, sizeof line - (size_t)length,
                           " %d", scaled_ms(client, choice->ns));
    if (choice->lock != client->turned) // not the one that it opened first
        length += snprintf(line + length, sizeof line - (size_t)length, " %s",
                           client->keys[choice->lock]);
    if (choice->thread > 1)
        length += snprintf(line + length, sizeof line - (size_t)length, " @%d",
                           choice->thread);
    line[length++] = '\n';
    client->asked = true;
    client->gate.unheard = false;
    client->sleeps = false;
    actor_woken(client);
    if (write(client->process.input, line, (size_t)length) != length)
        fail("client %s no longer reads its standard input", client->name);
}

int actor_conclude(struct actor *client) {
    int *depth = &client->depth[client->lock_number];
    int *owner = &client->owner[client->lock_number];

    if (*depth == 0)
        *owner = client->thread;
    // "lost" to another thread says nothing about the owner's hold.
    if (client->result != RESULT_LOST || client->thread == *owner)
        depth_conclude(depth, &client->leaving[client->lock_number],
                       client->operation, client->result);
    return *depth;
}

static bool has_ran(const struct connection *connection) {
    return connection && connection->stage == STAGE_ANSWERED &&
           !connection->reported;
}

int actors_count_ran(const struct actor *clients, int count) {
    int ran = 0;

    for (int i = 0; i < count; i++)
        for (int n = 0; n < MAX_CONNECTIONS; n++)
            ran += has_ran(clients[i].gate.connections[n]) &&
                   !clients[i].gate.connections[n]->was_blocked;
    return ran;
}

// A request that waited in the server comes after the others: another client,
// or time, has let it run.
static bool ran_before(const struct connection *one,
                       const struct connection *other) {
    return one->was_blocked == other->was_blocked
               ? one->forwarded < other->forwarded : other->was_blocked;
}

struct connection *actors_next_ran(struct actor *clients, int count,
                                   int *number) {
    struct connection *next = NULL;

    for (int i = 0; i < count; i++)
        for (int n = 0; n < MAX_CONNECTIONS; n++) {
            struct connection *c = clients[i].gate.connections[n];
            if (!has_ran(c) || (next && ran_before(next, c)))
                continue;
            next = c;
            *number = i;
        }
    return next;
}

// --- life --------------------------------------------------------------------

static bool is_ours(const char *variable, const void *argument) {
    static const char *const ours[] = {"LOCK_", "LOCKSTEP_"};
    (void)argument;

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strncmp(variable, ours[i], strlen(ours[i])) == 0)
            return true;
    return false;
}

void actor_clear_environment(const struct engine_kind *engine) {
    struct variable variables[ENGINE_VARIABLES];
    static const struct address any[] = {{"", 1}, {"", 1}};
    int count = engine->client_environment(variables, any, 2);

    for (int i = 0; i < count; i++)
        unsetenv(variables[i].name);
    environment_drop(is_ours, NULL);
}

// The command line of a client; valid until the next call. A guest is a shell
// command. `exec` puts the guest in the shell's place, so that signals reach
// the guest itself.
static char *const *command_line(const char *program, bool guest) {
    static char command[PATHS_SIZE];
    static char *words[4];

    snprintf(command, sizeof command, "exec %s", program);
    words[0] = guest ? (char *)"/bin/sh" : (char *)program;
    words[1] = guest ? (char *)"-c" : NULL;
    words[2] = command;
    words[3] = NULL;
    return words;
}

// Sets the variables by which the client finds its servers, and returns their
// number. A guest also gets ports: not every library takes a socket.
static int open_ways(struct actor *client, const struct actor_setup *setup,
                     struct variable *environment) {
    static_assert((int)ENGINE_MASTERS == (int)MAX_MASTERS, "for each a way");
    struct address addresses[MAX_MASTERS];
    char path[SANDBOX_PATH_SIZE], file[sizeof client->name + 16];

    gate_open(&client->gate, client->name, setup->engine->kind->wire,
              setup->host);
    for (int i = 0; i < setup->server_count; i++) {
        snprintf(file, sizeof file, i == 0 ? "%s/gate" : "%s/gate%d",
                 client->name, i + 1);
        sandbox_path(path, file);
        struct way *way =
            gate_add_way(&client->gate, path, setup->servers[i],
                         engine_door(setup->engine, setup->servers[i]),
                         setup->guest || setup->engine->kind->by_port);
        addresses[i] = (struct address){way->path, way->port};
    }
    return setup->engine->kind->client_environment(environment, addresses,
                                                   setup->server_count);
}

// Each client's machine stands in another place of the world.
static const char *time_zone(const char *name) {
    return (const char *[]){"TOKYO-9", "LIMA5", "UTC0"}[(unsigned char)*name % 3];
}

void actor_folder(char path[SANDBOX_PATH_SIZE], const char *name) {
    sandbox_path(path, name);
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        fail("cannot make a folder in %s: %s", sandbox_folder(),
             strerror(errno));
}

static void take_setup(struct actor *client, const struct actor_setup *setup) {
    client->real_time = setup->real_time;
    client->one_life = setup->one_life;
    client->suspended_since_ns = -1;
    client->keys[0] = setup->key;
    client->keys[1] = setup->second_key;
    client->turned = setup->turned;
    client->lease_ms = setup->lease_ms;
}

static void waits_path(char path[SANDBOX_PATH_SIZE], const char *name) {
    char file[16];

    snprintf(file, sizeof file, "%.8s/waits", name);
    sandbox_path(path, file);
}

// The variables that a guest has before it is loaded, too.
enum { START_VARIABLES = 2 };
static int put_start(struct variable *environment, const char *name,
                     const struct actor_setup *setup) {
    environment[0] = (struct variable){"TZ", time_zone(name)};
    environment[1] = (struct variable){LOADED_VARIABLE, LOADED_FILE};
    return setup->guest && !setup->real_time ? 2 : 1;
}

static void set_process(struct process *process,
                        const struct actor_setup *setup) {
    process->same_addresses = setup->guest && !setup->real_time;
    process->hidden = setup->hidden;
    process->host = setup->host;
}

void actor_load(struct fork_server *fork_server, const char *name,
                const struct actor_setup *setup) {
    char waits[SANDBOX_PATH_SIZE];
    struct variable environment[START_VARIABLES + CLOCK_VARIABLES + 1];
    int count = put_start(environment, name, setup);

    *fork_server = (struct fork_server){.socket = -1};
    set_process(&fork_server->process, setup);
    waits_path(waits, name);
    clock_environment(environment + count, &fork_server->process, setup->slot,
                      setup->guest ? waits : NULL);
    fork_server_open(fork_server,
                     setup->guest ? FORK_WHEN_LOADED : FORK_BEFORE_MAIN,
                     command_line(setup->program, setup->guest), environment);
}

static void start(struct actor *client, const struct actor_setup *setup,
                  const struct variable *environment) {
    bool forked = setup->fork_server &&
                  fork_server_start(setup->fork_server, &client->process,
                                    environment);

    if (!forked && setup->fork_server && !setup->guest)
        fail("the fork server could not start another client");
    if (!forked && setup->fork_server) {
        clock_clean(setup->slot);
        say_once(SAID_NO_COPIES, "this guest cannot be loaded for its copies, "
                 "and is started anew each time: docs/ci.md");
    }
    if (!forked)
        process_start(&client->process,
                      command_line(setup->program, setup->guest), environment);
}

void actor_start(struct actor *client, const char *name,
                 const struct actor_setup *setup) {
    char waits[SANDBOX_PATH_SIZE], lease[16];

    memset(client, 0, sizeof *client);
    actor_folder(waits, name);
    snprintf(client->name, sizeof client->name, "%s", name);
    waits_path(waits, name);
    client->clock_slot = setup->slot;
    client->waits.client = client->name;
    client->waits.process = &client->process;
    client->waits.clock_slot = client->clock_slot;
    waits_open(&client->waits, waits);

    take_setup(client, setup);
    snprintf(lease, sizeof lease, "%d", setup->lease_ms);
    struct variable environment[CLOCK_VARIABLES + ENGINE_VARIABLES +
                                START_VARIABLES + 5] = {
        {"LOCK_KEY", client->keys[setup->turned]},
        {"LOCK_LEASE_MS", lease},
    };
    int count = 2;
    if (setup->guest)
        environment[count++] = (struct variable){FORK_SERVER_VARIABLE, ""};
    count += put_start(environment + count, name, setup);
    count += open_ways(client, setup, environment + count);
    if (setup->second_key)
        environment[count++] =
            (struct variable){"LOCK_SECOND_KEY", client->keys[!setup->turned]};
    clock_environment(environment + count, &client->process,
                      client->clock_slot, waits);
    client->process.leads = setup->guest;
    client->process.number = client->clock_slot + 1;
    set_process(&client->process, setup);
    start(client, setup, environment);
    loop_watch(&client->output, process_output(&client->process), read_output,
               client);
}

void actor_kill(struct actor *client) {
    process_kill(&client->process);
    shut(client);
}

void actor_discard(struct actor *client) {
    process_discard(&client->process);
    shut(client);
}
