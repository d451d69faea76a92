#include "operator.h"

#include "base/fail.h"
#include "session.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_WORDS = 16 };

// The one of these with which a command begins, as words; NULL: none. The last
// of them is NULL.
static const char *beginning(const char *command, const char *const *words) {
    for (; *words; words++) {
        size_t length = strlen(*words);
        if (strncasecmp(command, *words, length) == 0 &&
            (command[length] == ' ' || !command[length]))
            return *words;
    }
    return NULL;
}

// Does the command set the number of replicas, and nothing else?
static bool sets_replicas(const char *command) {
    int count, length = 0;

    return sscanf(command, "CONFIG SET min-replicas-to-write %d%n", &count,
                  &length) == 1 && !command[length];
}

bool operator_is_forgotten(const char *command) {
    static const char *const forgotten[] = {
        "DEL", "SET", "LPUSH", "PERSIST", "PUBLISH", "FLUSHALL", "SCRIPT FLUSH",
        NULL,
    };

    return beginning(command, forgotten) || sets_replicas(command);
}

// The server sends to such a connection whenever it likes, or not at all: there
// would be no telling which command an answer belongs to.
static void refuse_streams(const char *command) {
    static const char *const streams[] = {
        "MONITOR", "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE",
        "SYNC", "PSYNC", "CLIENT REPLY", "HELLO 3", NULL,
    };
    const char *stream = beginning(command, streams);

    if (stream)
        fail("an operator cannot type %s: its answer is not one answer",
             stream);
}

// By this number a run knows whether others have connected to the server.
static void refuse_to_forget_connections(const char *command) {
    static const char reset[] = "CONFIG RESETSTAT";

    if (strncasecmp(command, reset, strlen(reset)) == 0)
        fail("an operator cannot type %s: the run counts by it who connects",
             reset);
}

static void append_words(redisContext *session, const char *command) {
    const char *words[MAX_WORDS];
    char *saved = NULL, *copy = must_have(strdup(command));
    int count = 0;

    for (char *word = strtok_r(copy, " ", &saved); word;
         word = strtok_r(NULL, " ", &saved)) {
        if (count == MAX_WORDS)
            fail("a command of more than %d words", MAX_WORDS);
        words[count++] = word;
    }
    if (count == 0)
        fail("an operator's command has no word in it");
    redisAppendCommandArgv(session, count, words, NULL);
    free(copy);
}

static void answer_is_there(void *owner) {
    *(bool *)owner = true;
}

static void await_answer(struct instance *server) {
    struct patience patience = {0};
    struct watch watch;
    bool ready = false;

    loop_watch(&watch, fcntl(server->operator->fd, F_DUPFD_CLOEXEC, 0),
               answer_is_there, &ready);
    while (!ready && process_patience(&patience))
        loop_turn(999);
    loop_close(&watch);
    if (!ready)
        instance_fail(server, server->operator);
}

static void reach(struct instance *server) {
    if (server->operator && session_is_closed(server->operator))
        session_close(&server->operator); // by CLIENT KILL, or QUIT
    if (!server->operator)
        server->operator = session_open(&server->daemon.door);
    if (!server->operator)
        instance_fail(server, NULL);
}

redisReply *operator_type(struct instance *server, const char *command) {
    redisReply *reply = NULL;

    refuse_streams(command);
    refuse_to_forget_connections(command);
    if (sets_replicas(command))
        instance_note_replicas(server);
    snprintf(server->typed, sizeof server->typed, "%s", command);
    reach(server);
    append_words(server->operator, command);
    if (session_send(server->operator)) {
        await_answer(server);
        reply = session_hear(server->operator);
    }
    if (!reply)
        instance_fail(server, server->operator);
    instance_stay_connected(server);
    return reply;
}
