// Verbs: what happens between a client and its server.
#include "director.h"

static void begin_choice(struct client *client, struct choice choice) {
    enum verdict before = client->race->judge.verdict;

    client = begin_operation(client, choice);
    hold(client);
    client->releases = choice.operation == OPERATION_LEAVE;
    check_pace(client, before);
}

static void begin(struct client *client, enum operation operation) {
    begin_choice(client, (struct choice){.operation = operation});
}

// Has the connection of the held command ended? The client or the server may
// have closed it meanwhile.
static bool is_gone(const struct client *client) {
    return world_stage(client->race->world, client->number, client->held) ==
           STAGE_QUIET;
}

static void need_held(struct client *client) {
    if (!client->held)
        cannot_happen(client, client->race->judge.local
                                  ? "sends nothing to a server"
                                  : "has no command on its way here");
    if (is_gone(client))
        cannot_happen(client, "has lost the connection with its command");
}

void begin_enter(struct client *client) {
    begin(client, OPERATION_ENTER);
}

void begin_enter_for(struct client *client, int64_t lease_ns) {
    begin_choice(client, (struct choice){.operation = OPERATION_ENTER,
                                         .ns = lease_ns});
    if (!client->held)
        pass_all(client); // says why, if there is no such operation
    need_held(client);
}

void begin_wait(struct client *client, int64_t patience_ns) {
    struct client *itself = client_itself(client);

    need_exact_instants(client->race);
    itself->patience_end_ns = world_now() + patience_ns;
    if (patience_ns == 0)
        patience_ns = NO_PATIENCE_NS;
    begin_choice(client, (struct choice){.operation = OPERATION_ENTER,
                                         .patience_ns = patience_ns});
    if (!itself->held)
        pass_all(itself);
}

void wait_for_lock(struct client *client, int64_t patience_ns) {
    begin_wait(client, patience_ns);
    client = client_itself(client);
    client->held = 0;
    pass_all(client);
}

void begin_last_attempt(struct client *client) {
    struct race *race = client->race;

    advance(race, client->patience_end_ns - MILLISECOND - world_now());
    move_clock(race, MILLISECOND);
    if (world_next_wait(race->world, client->number) == world_now())
        choose(client, CHOOSE_WAKE);
    else
        move_clock(race, MILLISECOND); // its command waits in a server
    hold(client);
    while (client->held &&
           world_stage(race->world, client->number, client->held) ==
               STAGE_ANSWERED) { // its command has waited in the server
        choose_on_wire(client, CHOOSE_DELIVER, client->held);
        hold(client);
    }
    need_held(client);
}

void break_subscription(struct client *client) {
    int connection = world_listens(client->race->world, client->number);

    if (!connection)
        cannot_happen(client, "listens to nothing while it waits");
    choose_on_wire(client, CHOOSE_CUT, connection);
}

void lose_subscription(struct client *client) {
    break_subscription(client);
    pass_all(client);
}

void begin_leave(struct client *client) {
    begin(client, OPERATION_LEAVE);
}

static int pass_next(struct client *client) {
    need_held(client);
    int passed = pass(client, client->held);
    hold(client);
    return passed;
}

static bool lock_exists(const struct client *client) {
    return client->race->judge.lock.exists;
}

int leave_and_find_end(struct client *client) {
    int end = 0, passed = 0;

    begin_leave(client);
    while (client->held) {
        bool existed = lock_exists(client);
        passed += pass_next(client);
        if (existed && !lock_exists(client))
            end = passed;
    }
    return end;
}

void begin_write(struct client *client) {
    begin(client, OPERATION_WRITE);
    need_held(client);
}

void begin_write_apart(struct client *client) {
    begin(client, OPERATION_WRITE_APART);
    need_held(client);
}

static bool is_silent(const struct client *client) {
    return !world_pending(client->race->world, client->number, 0);
}

void begin_renewal(struct client *client) {
    struct race *race = client->race;
    int64_t due_ns = world_next_wait(race->world, client->number);

    if (race->options.real) {
        wait_real_us(race, race->options.real_lease_ms * 1000, is_silent,
                    client);
    } else if (due_ns < 0) {
        cannot_happen(client, "renews nothing");
    } else {
        move_clock(race, due_ns - world_now());
        choose(client, CHOOSE_WAKE);
    }
    hold(client);
    client->releases = false;
    if (!client->held)
        cannot_happen(client, "renews nothing");
}

void renew(struct client *client) {
    begin_renewal(client);
    finish(client);
}

void pass_command(struct client *client) {
    pass_next(client);
}

void pass_command_if_any(struct client *client) {
    hold(client);
    if (client->held)
        pass_command(client);
}

void pass_commands(struct client *client, int count) {
    for (int i = 0; i < count; i++)
        pass_command(client);
}

void run_command(struct client *client) {
    need_held(client);
    choose_on_wire(client, CHOOSE_FORWARD, client->held);
}

static bool held_may_change(const struct client *client) {
    return world_may_change(client->race->world, client->number, client->held);
}

static bool held_would_change(const struct client *client) {
    return world_would_change(client->race->world, client->number,
                              client->held);
}

static bool held_reads(const struct client *client) {
    return world_reads(client->race->world, client->number, client->held);
}

void pass_read(struct client *client) {
    need_held(client);
    while (client->held && !held_reads(client) && !held_would_change(client))
        pass_command(client);
    if (!client->held || !held_reads(client))
        cannot_happen(client, "does not read before it writes");
    pass_command(client);
}

void pass_first_read(struct client *client) {
    need_held(client);
    while (client->held && !held_reads(client))
        pass_command(client);
    if (!client->held)
        cannot_happen(client, "does not look who is there");
    pass_command(client);
}

static int hold_first(struct client *client,
                      bool (*changes)(const struct client *client)) {
    int passed = 0;

    while (client->held && !changes(client)) {
        passed += pass(client, client->held);
        hold(client);
    }
    if (!client->held)
        cannot_happen(client, "sends no command here that can change the lock");
    return passed;
}

int hold_change(struct client *client) {
    return hold_first(client, held_may_change);
}

void hold_write(struct client *client) {
    hold_first(client, held_would_change);
}

void hold_later_command(struct client *client, int n) {
    if (n < 2)
        cannot_happen(client, "releases with its first command");
    for (int passed = 1; passed < n;)
        passed += pass_next(client);
    if (!client->held)
        cannot_happen(client, "sends no further command");
}

void hold_answer(struct client *client, int n) {
    for (int passed = 1; passed < n && client->held;) {
        passed += pass(client, client->held);
        hold(client);
    }
    if (n == 0)
        return;
    run_command(client);
    while (has_missed_script(client)) {
        pass_next(client);
        run_command(client);
    }
}

static void arrive(struct client *client) {
    client->held = 0;
    pass_all(client);
}

// In real time a client has time-outs of its own. A release is done when its
// commands have arrived. Any other operation needs its answer: without it the
// run is not the story.
void finish(struct client *client) {
    struct race *race = client->race;
    enum verdict before = race->judge.verdict;
    bool must_hear = race->options.real && client->held && !client->releases;

    if (client->held)
        need_held(client);
    race->cut = false;
    arrive(client);
    if (must_hear && race->judge.verdict != VERDICT_BROKEN &&
        (race->cut ||
         world_result(race->world, client->number) == RESULT_UNKNOWN))
        end_inconclusive(client, "does not wait for its answer so long in real "
                              "time");
    check_pace(client, before);
}

void finish_on_any_connection(struct client *client) {
    if (client->held && is_gone(client))
        client->held = 0;
    finish(client);
}

static void note_lock(struct client *client) {
    client->had_lock = client->race->judge.lock.exists;
}

void lose_answer(struct client *client) {
    need_held(client);
    note_lock(client);
    choose_on_wire(client, CHOOSE_CUT, client->held);
    arrive(client);
}

void lose_command(struct client *client) {
    lose_answer(client);
}

void lose_answer_before_retry(struct client *client) {
    struct world *world = client->race->world;
    need_held(client);
    int server = world_server_of(world, client->number, client->held);

    choose_on_wire(client, CHOOSE_CUT, client->held);
    hold(client);
    if (!client->held ||
        world_server_of(world, client->number, client->held) != server)
        cannot_happen(client, "does not try a second time by itself");
}

static bool was_refused(const struct client *client) {
    return client->race->judge.operations[client->number].refused;
}

void refuse_command(struct client *client) {
    need_refusal(client->race);
    need_held(client);
    choose_on_wire(client, CHOOSE_REFUSE, client->held);
    choose_on_wire(client, CHOOSE_DELIVER, client->held);
    hold(client);
    if (!client->held && !was_refused(client))
        cannot_happen(client, "writes nothing there that could be refused");
}

void need_refused_renewal(struct client *client) {
    if (!was_refused(client))
        cannot_happen(client, "renews with nothing that could be refused");
}

void give_up(struct client *client) {
    need_held(client);
    choose_on_wire(client, CHOOSE_GIVE_UP, client->held);
    pass_all(client);
}

// Time passes until the client gives up on this connection, unless the answer
// comes first, or until `until_ns`. True if its time-out was reached.
static bool let_give_up(struct client *client, int connection,
                        int64_t until_ns) {
    struct race *race = client->race;
    int64_t end_ns = world_gives_up_ns(race->world, client->number, connection);

    if (end_ns < 0 || end_ns > until_ns) {
        advance(race, until_ns - world_now());
        return false;
    }
    advance(race, end_ns - world_now());
    end_ns = world_gives_up_ns(race->world, client->number, connection);
    if (end_ns >= 0 && end_ns <= world_now())
        choose_on_wire(client, CHOOSE_GIVE_UP, connection);
    pass_all(client);
    return true;
}

_Noreturn static void cannot_know_limit(struct client *client) {
    cannot_happen(client, "has a time-out that the world does not know");
}

void hear_nothing(struct client *client) {
    need_exact_instants(client->race);
    need_held(client);
    if (world_gives_up_ns(client->race->world, client->number,
                          client->held) < 0)
        cannot_know_limit(client);
    let_give_up(client, client->held, INT64_MAX);
}

void be_slow(struct client *client, int64_t ns) {
    int64_t end_ns = world_now() + ns;

    if (let_give_up(client, client->held, end_ns))
        advance(client->race, end_ns - world_now());
}

void finish_in_spite_of_silence(struct client *client) {
    const struct world *world = client->race->world;
    int64_t end_ns = world_now() + MINUTE;

    need_exact_instants(client->race);
    arrive(client);
    while (busy(client) && world_now() < end_ns) {
        int64_t due_ns = world_next_wait(world, client->number);
        int connection = world_first_to_give_up(world, client->number);
        if (connection == 0 && due_ns < 0)
            break;
        let_give_up(client, connection,
                    due_ns >= 0 && due_ns < end_ns ? due_ns : end_ns);
    }
    if (busy(client) && world_now() >= end_ns)
        cannot_happen(client, "goes on for more than a minute");
    if (busy(client) && world_awaits(world, client->number))
        cannot_know_limit(client);
    world_expect_answer(world, client->number);
}

void outwait(struct client *client, int64_t ns) {
    const struct world *world = client->race->world;
    int64_t end_ns = world_now() + ns;

    arrive(client);
    while (let_give_up(client, world_first_to_give_up(world, client->number),
                       end_ns))
        continue;
}

void land(struct client *client) {
    if (!client->held || is_gone(client))
        cannot_happen(client, "has nothing on its way that could land");
    pass(client, client->held);
    client->held = 0;
}

void cut_off(struct client *client) {
    note_lock(client);
    choose(client, CHOOSE_ISOLATE);
    client->held = 0;
}

void reconnect(struct client *client) {
    choose(client, CHOOSE_RECONNECT);
}

void need_inside(struct client *client) {
    if (!client->race->judge.view.clients[client->number].inside[0])
        cannot_happen(client, "does not get in");
}

void need_outside(struct client *client) {
    const struct race *race = client->race;

    if (!race->judge.view.clients[client->number].inside[0])
        return;
    if (race->masters > 1)
        cannot_happen(client, "gets in on the other servers all the same");
    if (lock_exists(client))
        cannot_happen(client, "gets in all the same, with its next command");
}

void need_busy(struct client *client) {
    const struct race *race = client->race;

    if (busy(client) ||
        race->judge.operations[client->number].result != RESULT_BUSY)
        cannot_happen(client, "is not told that somebody else has the lock");
}

void need_no_wait(struct client *client) {
    if (busy(client))
        cannot_happen(client, "waits for its own command before it goes on");
}
