// Verbs: what happens to servers.
#include "director.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void do_to(struct race *race, enum choice_kind kind, int server) {
    race_do(race, (struct choice){.kind = kind, .server = server});
}

// Puts the lock's key in place of each word KEY, also in KEY:signal, 'KEY' and
// /KEY.
static char *with_key(const struct race *race, const char *command) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&text, &size));

    for (const char *word = command; *word;) {
        if (*word == '\'' || *word == '/')
            fputc(*word++, out);
        size_t length = strcspn(word, " ");
        size_t name = strcspn(word, " :'/");
        if (name == strlen("KEY") && memcmp(word, "KEY", name) == 0) {
            fputs(world_place(race->world), out);
            fwrite(word + name, 1, length - name, out);
        } else {
            fwrite(word, 1, length, out);
        }
        word += length;
        for (; *word == ' '; word++)
            fputc(' ', out);
    }
    fclose(out);
    return text;
}

static void type(struct race *race, enum choice_kind kind, int server,
                 const char *command) {
    char *text = with_key(race, command);

    race_do(race, (struct choice){.kind = kind, .server = server,
                                  .text = text});
    free(text);
}

// Ends the race because the server cannot do this: "The server has no replica
// …".
_Noreturn static void server_cannot(struct race *race, const char *why) {
    char sentence[256];

    snprintf(sentence, sizeof sentence, "The server %s.", why);
    judge_cannot_happen(&race->judge, sentence);
    race_end(race);
}

static void type_at_masters(struct race *race, const char *command) {
    for (int i = 0; i < race->masters; i++)
        type(race, CHOOSE_OPERATE, i, command);
}

// A command about the lock is typed at each of its masters.
void operate(struct race *race, const char *command) {
    const char *words = world_operators_words(race->world, command);

    if (!words) {
        char why[200], *text = with_key(race, command);
        snprintf(why, sizeof why,
                 "has nothing like Redis's \"%s\" for this lock", text);
        free(text);
        server_cannot(race, why);
    }
    if (strstr(words, "KEY"))
        type_at_masters(race, words);
    else
        type(race, CHOOSE_OPERATE, 0, words);
}

void sync_disk(struct race *race) {
    do_to(race, CHOOSE_SYNC_DISK, 0);
}

void lose_power(struct race *race) {
    do_to(race, CHOOSE_KILL_SERVER, 0);
    do_to(race, CHOOSE_LOSE_UNSYNCED, 0);
    do_to(race, CHOOSE_START_SERVER, 0);
}

// The server may use less memory than it does: it throws out the keys that its
// policy names, and refuses commands that need more room.
void run_out_of_memory(struct race *race) {
    const struct operator_command *command = race->engine->full_memory;

    if (!command)
        server_cannot(race, "throws nothing out when its memory is full");
    for (; command->text; command++)
        type(race, command->in_vain ? CHOOSE_OPERATE_IN_VAIN : CHOOSE_OPERATE,
             0, command->text);
}

void need_refusal(struct race *race) {
    if (!race->engine->refusal)
        server_cannot(race, "cannot be told to refuse a client's writes");
}

void refuse_writes(struct race *race) {
    need_refusal(race);
    type_at_masters(race, race->engine->refusal);
}

void accept_writes(struct race *race) {
    type_at_masters(race, race->engine->acceptance);
}

struct server *race_server(struct race *race, int number) {
    char why[64];

    race_begin(race);
    if (race->masters == 1)
        strcpy(why, "speaks with one server, and not with several");
    else
        snprintf(why, sizeof why, "speaks with %d masters, and not with %d",
                 race->masters, number);
    if (number > race->masters)
        cannot_happen(&race->clients[0], why);
    return &race->servers[number - 1];
}

void crash_server(struct server *server) {
    do_to(server->race, CHOOSE_KILL_SERVER, server->number);
}

void start_server(struct server *server) {
    do_to(server->race, CHOOSE_START_SERVER, server->number);
}

void need_masters(struct race *race, int count) {
    char why[64];

    snprintf(why, sizeof why, "has %d masters, and the story %d",
             race->masters, count);
    if (race->masters != count)
        cannot_happen(&race->clients[0], why);
}

// (An engine that refuses the ahead would still serve a client opened
// afterwards. That is another story.)
void restart_server_empty(struct server *server) {
    crash_server(server);
    do_to(server->race, CHOOSE_WIPE_DISK, server->number);
    start_server(server);
    if (server->race->engine->refuses_the_ahead)
        server_cannot(server->race, "is empty now, and speaks with no client "
                                    "that has seen more than itself");
}

void stop_server(struct server *server) {
    do_to(server->race, CHOOSE_STOP_SERVER, server->number);
}

void resume_server(struct server *server) {
    do_to(server->race, CHOOSE_CONTINUE_SERVER, server->number);
}

void set_server_clock_ahead(struct server *server, int64_t ns) {
    struct race *race = server->race;

    if (race->options.real)
        cannot_happen(&race->clients[0], "and its server have the machine's "
                                         "clock in real time");
    race_do(race, (struct choice){.kind = CHOOSE_SKEW_SERVER,
                                  .server = server->number,
                                  .ns = ns});
}

static void do_to_way(struct client *client, enum choice_kind kind,
                      const struct server *server) {
    race_do(client->race, (struct choice){.kind = kind,
                                          .client = client->number,
                                          .server = server->number});
}

void cut_off_from(struct client *client, struct server *server) {
    do_to_way(client, CHOOSE_ISOLATE_FROM, server);
}

void reconnect_to(struct client *client, struct server *server) {
    do_to_way(client, CHOOSE_RECONNECT_TO, server);
}

struct server *race_replica(struct race *race) {
    race_begin(race);
    if (!race->engine->add_replica)
        server_cannot(race, "has no replica in these runs");
    if (race->engine->election_ns && race->options.real)
        server_cannot(race, "needs too long to elect a leader in real time");
    record_step(&race->record,
                (struct step){STEP_REPLICA,
                              {.server = world_servers(race->world)}});
    int number = world_add_replica(race->world);
    struct server *server = &race->servers[number];

    *server = (struct server){.race = race, .number = number};
    return server;
}

void hold_replication(struct server *replica) {
    do_to(replica->race, CHOOSE_HOLD_REPLICATION, replica->number);
}

void promote(struct server *replica) {
    struct race *race = replica->race;

    if (race->engine->election_ns)
        advance(race, race->engine->election_ns);
    race_do(race, (struct choice){.kind = CHOOSE_OPERATE,
                                  .server = replica->number,
                                  .text = race->engine->promotion});
}

void reach(struct client *client, struct server *server) {
    do_to_way(client, CHOOSE_REACH, server);
}
