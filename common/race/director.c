#include "director.h"

#include "base/fail.h"

#include <stdlib.h>
#include <time.h>

void race_end(struct race *race) {
    if (race->in_story)
        longjmp(race->end, 1);
    exit(verdict_status(race->judge.verdict));
}

void cannot_happen(struct client *client, const char *why) {
    struct race *race = client->race;
    char sentence[128];

    if (*race->judge.untrue.sentence) // may be the machine's fault
        check_pace(client, race->judge.verdict);
    snprintf(sentence, sizeof sentence, "%s %s.", client->name, why);
    judge_cannot_happen(&race->judge, sentence);
    race_end(race);
}

void end_inconclusive(struct client *client, const char *why) {
    struct race *race = client->race;
    char sentence[128];

    snprintf(sentence, sizeof sentence, "%s %s.", client->name, why);
    judge_give_up(&race->judge, sentence);
    race_end(race);
}

void note_step(struct client *client, enum step_kind kind) {
    record_step(&client->race->record,
                (struct step){kind, {.client = client->number}});
}

static void make(struct race *race, struct choice choice) {
    world_do(race->world, choice);
    if (race->judge.over)
        race_end(race);
}

// Has the client ended its own process? Then nothing happens to it any more.
// Its messages are still on their way.
static bool is_too_late(const struct race *race, const struct choice *choice) {
    return choice_names_client(choice->kind) &&
           !choice_names_connection(choice->kind) &&
           world_has_quit(race->world, choice->client);
}

void race_do(struct race *race, struct choice choice) {
    if (is_too_late(race, &choice))
        return;
    make(race, choice);
    settle_doubt(race);
}

struct client *client_itself(const struct client *client) {
    return &client->race->clients[client->number];
}

// Before the first operation. In real time a story begins with a whole second
// of the wall clock: some locks count in these.
static void begin_story(struct race *race) {
    if (race->options.real && !race->begun)
        wait_for_second(race, 0, 1);
    race->begun = true;
}

bool has_quit(const struct client *client) {
    return world_has_quit(client->race->world, client->number);
}

struct client *begin_operation(struct client *client, struct choice choice) {
    begin_story(client->race);
    if (has_quit(client) && (choice.operation == OPERATION_ENTER ||
                             choice.operation == OPERATION_REOPEN))
        cannot_happen(client, "has ended its own process");
    choice.kind = CHOOSE_ASK;
    choice.client = client->number;
    choice.lock = client->lock;
    choice.thread = client->thread;
    race_do(client->race, choice);
    return client_itself(client);
}

void choose(struct client *client, enum choice_kind kind) {
    race_do(client->race,
            (struct choice){.kind = kind, .client = client->number});
}

void choose_on_wire(struct client *client, enum choice_kind kind,
                    int connection) {
    race_do(client->race, (struct choice){.kind = kind,
                                          .client = client->number,
                                          .connection = connection});
}

bool busy(const struct client *client) {
    return world_busy(client->race->world, client->number);
}

static enum stage stage_of(const struct client *client, int connection) {
    return world_stage(client->race->world, client->number, connection);
}

int pass(struct client *client, int connection) {
    if (stage_of(client, connection) == STAGE_HELD)
        choose_on_wire(client, CHOOSE_FORWARD, connection);
    bool missed = has_missed_script(client);
    while (stage_of(client, connection) == STAGE_ANSWERED) // what came first
        choose_on_wire(client, CHOOSE_DELIVER, connection);
    return missed ? 0 : 1;
}

bool has_missed_script(const struct client *client) {
    return client->race->clients[client->number].missed_script;
}

// In real time a client can send command after command for as long as it likes.
static void check_patience(const struct client *client,
                           struct patience *patience) {
    struct world *world = client->race->world;

    if (client->race->options.real &&
        !patience_lasts(patience, PATIENCE_MS))
        fail("client %s is still busy with %s after %d s", client->name,
             operation_word(world_operation(world, client->number)),
             PATIENCE_MS / 1000);
}

// (Commands to a stopped server arrive when it continues.)
static int pass_pending(struct client *client) {
    struct world *world = client->race->world;
    struct patience patience = {0};
    int connection, passed = 0;

    while ((connection = world_passable(world, client->number,
                                        client->held))) {
        check_patience(client, &patience);
        passed += pass(client, connection);
    }
    return passed;
}

void wait_real_us(struct race *race, int64_t us,
                 bool (*go_on)(const struct client *client),
                 const struct client *client) {
    int64_t end_ns = real_ns() + us * 1000;

    while (real_ns() < end_ns && go_on(client)) {
        world_wait(race->world, 900);
        settle_doubt(race);
        for (int i = 0; i < race->client_count; i++)
            if (&race->clients[i] != client)
                pass_pending(&race->clients[i]);
    }
}

bool always(const struct client *client) {
    (void)client;
    return true;
}

static int64_t wall_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void wait_for_second(struct race *race, int64_t ms, int seconds) {
    enum { TICK_MS = 20 }; // time() reads a clock that may be a tick behind
    int64_t now_ms = wall_ms(), end_ms = (now_ms + ms + 999) / 1000 * 1000;
    int64_t earliest_ms = (now_ms / 1000 + seconds) * 1000;

    if (end_ms < earliest_ms)
        end_ms = earliest_ms;
    while ((now_ms = wall_ms()) < end_ms + TICK_MS)
        wait_real_us(race, (end_ms + TICK_MS - now_ms) * 1000, always, NULL);
    race->second.wall_ms = end_ms;
}

void check_pace(struct client *client, enum verdict before) {
    struct race *race = client->race;
    int64_t needed_ms = wall_ms() - race->second.wall_ms;

    if (!race->options.real || before == VERDICT_BROKEN ||
        world_now() - race->second.story_ns >= LEASE ||
        needed_ms < race->options.real_lease_ms)
        return;
    race->needed_ms = needed_ms;
    end_inconclusive(client, "comes too late: this machine is too busy for real "
                          "time");
}

// In real time a client may be on its way to its next command.
static bool is_under_way(const struct client *client) {
    return busy(client) && !client->held &&
           !world_pending(client->race->world, client->number, 0);
}

// A library may pause in the middle of an operation: before it connects anew,
// say, or before it answers that it has tried for the last time. Such a pause
// passes at once. (Where it waits for the lock, the story says how long.)
static bool let_pause_end(struct client *client, int64_t latest_ns) {
    struct race *race = client->race;
    int64_t due_ns = world_next_wait(race->world, client->number);

    if (!race->options.client || race->options.real || waits(client) ||
        !busy(client) ||
        world_pending(race->world, client->number, client->held) ||
        due_ns < 0 || due_ns > latest_ns)
        return false;
    if (due_ns > world_now())
        move_clock(race, due_ns - world_now());
    choose(client, CHOOSE_WAKE);
    return true;
}

static int pass_to_rest(struct client *client) {
    struct patience patience = {0};
    int passed = pass_pending(client);
    int64_t latest_ns = world_now() + SECOND;

    while (let_pause_end(client, latest_ns))
        passed += pass_pending(client);

    while (client->race->options.real && is_under_way(client)) {
        check_patience(client, &patience);
        wait_real_us(client->race, PATIENCE_MS * 1000LL, is_under_way, client);
        passed += pass_pending(client);
    }
    return passed;
}

int pass_all(struct client *client) {
    struct world *world = client->race->world;
    int passed = pass_to_rest(client);

    if (!busy(client) && world_result(world, client->number) == RESULT_CANNOT)
        cannot_happen(client, "has no such operation");
    return passed;
}

void settle_doubt(struct race *race) {
    int client, lock;

    if (race->settles_doubt)
        return;
    race->settles_doubt = true;
    while ((client = judge_next_to_ask(&race->judge, &lock)) != NOBODY) {
        make(race, (struct choice){.kind = CHOOSE_ASK,
                                   .client = client,
                                   .operation = OPERATION_HELD,
                                   .lock = lock});
        pass_to_rest(&race->clients[client]);
    }
    race->settles_doubt = false;
}

void hold(struct client *client) {
    client->held = world_pending(client->race->world, client->number, 0);
}

void wake_due(struct client *client) {
    struct world *world = client->race->world;
    int64_t due_ns;

    while ((due_ns = world_next_wait(world, client->number)) >= 0 &&
           due_ns <= world_now()) {
        choose(client, CHOOSE_WAKE);
        pass_all(client);
    }
}

bool waits(const struct client *client) {
    return client->race->judge.operations[client->number].waits;
}

void wake_waiters(struct race *race) {
    for (int i = 0; i < race->client_count; i++)
        if (waits(&race->clients[i]) && world_runs(race->world, i))
            pass_all(&race->clients[i]);
}

void move_clock(struct race *race, int64_t ns) {
    int64_t end_ns = world_lease_end(race->world) - world_now();

    if (end_ns > 0 && end_ns < ns) {
        race_do(race,
                (struct choice){.kind = CHOOSE_ADVANCE, .ns = end_ns});
        ns -= end_ns;
    }
    if (ns > 0)
        race_do(race,
                (struct choice){.kind = CHOOSE_ADVANCE, .ns = ns});
}

bool pass_server_wait(struct race *race, int64_t until_ns) {
    int64_t end_ns = world_next_server_wait();

    if (end_ns <= world_now() || end_ns > until_ns)
        return false;
    move_clock(race, end_ns - world_now());
    wake_waiters(race);
    return true;
}
