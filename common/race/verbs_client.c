// Verbs: what a client does, what it must, and what happens to its process.
#include "base/fail.h"
#include "director.h"

// --- operations --------------------------------------------------------------

// Is the client's command in a server that has not answered it? Then the client
// has to wait until the server refuses it.
static bool waits_in_server(const struct client *client) {
    return busy(client) && !waits(client) &&
           !world_pending(client->race->world, client->number, 0);
}

// Returns the number of commands that the operation took.
static int do_operation(struct client *client, struct choice choice) {
    enum verdict before = client->race->judge.verdict;

    client = begin_operation(client, choice);
    int passed = pass_all(client);
    while (waits_in_server(client) && pass_server_wait(client->race, INT64_MAX))
        passed += pass_all(client);
    world_expect_answer(client->race->world, client->number);
    check_pace(client, before);
    return passed;
}

int enter(struct client *client) {
    return do_operation(client,
                        (struct choice){.operation = OPERATION_ENTER});
}

void enter_if_outside(struct client *client) {
    if (world_depth(client->race->world, client->number) == 0)
        enter(client);
}

int leave(struct client *client) {
    return do_operation(client,
                        (struct choice){.operation = OPERATION_LEAVE});
}

void need_two_entries(struct client *client) {
    if (world_depth(client->race->world, client->number) < 2)
        cannot_happen(client, "cannot get in twice");
}

void enter_and_leave(struct client *client, int times) {
    for (int i = 0; i < times; i++) {
        enter(client);
        leave(client);
        advance(client->race, 10 * MILLISECOND);
    }
}

void leave_if_unsure(struct client *client) {
    const struct world *world = client->race->world;

    if (world_depth(world, client->number) > 0 ||
        world_result(world, client->number) == RESULT_UNKNOWN)
        leave(client);
}

void leave_if_inside(struct client *client) {
    if (world_depth(client->race->world, client->number) > 0)
        leave(client);
}

void leave_inner_calls(struct client *client, int times) {
    for (int i = 0; i < times; i++)
        leave_if_inside(client);
}

void leave_again(struct client *client) {
    if (client->race->judge.operations[client->number].result != RESULT_OK)
        leave(client);
}

void enter_for(struct client *client, int64_t lease_ns) {
    do_operation(client, (struct choice){.operation = OPERATION_ENTER,
                                         .ns = lease_ns});
}

void ask(struct client *client) {
    do_operation(client, (struct choice){.operation = OPERATION_HELD});
}

void reopen(struct client *client) {
    do_operation(client, (struct choice){.operation = OPERATION_REOPEN});
}

void reopen_for(struct client *client, int64_t lease_ns) {
    do_operation(client, (struct choice){.operation = OPERATION_REOPEN,
                                         .ns = lease_ns});
}

void write_resource(struct client *client) {
    do_operation(client, (struct choice){.operation = OPERATION_WRITE});
}

void write_apart(struct client *client) {
    do_operation(client, (struct choice){.operation = OPERATION_WRITE_APART});
}

void write_if_inside(struct client *client) {
    if (client->race->judge.view.clients[client->number].inside[0])
        write_resource(client);
}

void end_work(struct client *client) {
    note_step(client, STEP_WORK_DONE);
    world_add_event(client->race->world, EVENT_WORK_DONE, client->number, NULL);
}

void hang(struct client *client) {
    note_step(client, STEP_HANGS);
    client->hung = true;
    world_add_event(client->race->world, EVENT_HUNG, client->number, NULL);
}

// --- the judge ---------------------------------------------------------------

static bool got_in(const struct client *client) {
    return client->race->judge.view.clients[client->number].got_in;
}

// The demand rests on what the others do. One that has ended its own process
// does nothing more.
static void need_others(struct client *client) {
    struct race *race = client->race;

    for (int i = 0; i < race->client_count; i++)
        if (i != client->number && has_quit(&race->clients[i]))
            cannot_happen(&race->clients[i], "has ended its own process");
}

void must_have_got_in(struct client *client, const char *when) {
    struct race *race = client->race;
    int holder = judge_rightful_holder(&race->judge, client->number);
    char why[96];

    if (holder != NOBODY) {
        snprintf(why, sizeof why, "is kept out by %s, which is rightly inside",
                 race->clients[holder].name);
        cannot_happen(client, why);
    }
    if (!got_in(client)) // nobody may have released the lock
        need_others(client);
    note_step(client, STEP_MUST_BE_INSIDE);
    judge_require_entry(&race->judge, client->number, when);
}

void must_enter(struct client *client, const char *when) {
    enter(client);
    must_have_got_in(client, when);
}

void must_have_given_up(struct client *client, const char *when) {
    if (got_in(client)) // what it had to wait for may be gone
        need_others(client);
    note_step(client, STEP_MUST_BE_OUTSIDE);
    judge_require_refusal(&client->race->judge, client->number, when);
}

void enter_inner_calls(struct client *client, int times) {
    enter(client);
    need_two_entries(client);
    for (int i = 1; i < times; i++)
        must_enter(client, "once more, though the lock is its own");
}

void must_not_enter(struct client *client, const char *when) {
    enter(client);
    must_have_given_up(client, when);
}

void require_knowledge(struct client *client) {
    if (has_quit(client))
        return;
    note_step(client, STEP_MUST_KNOW);
    judge_require_knowledge(&client->race->judge, client->number);
}

void must_know_of_loss(struct client *client) {
    ask(client);
    require_knowledge(client);
}

void require_belief(struct client *client) {
    if (has_quit(client))
        return;
    note_step(client, STEP_MUST_BELIEVE);
    judge_require_belief(&client->race->judge, client->number);
}

void must_believe(struct client *client) {
    ask(client);
    require_belief(client);
}

void require_hold(struct client *client) {
    if (has_quit(client))
        return;
    note_step(client, STEP_MUST_HOLD);
    judge_require_hold(&client->race->judge, client->number);
}

void must_still_hold(struct client *client) {
    if (client->race->judge.local)
        cannot_happen(client, "keeps its lock where no server sees it");
    require_hold(client);
}

void must_hear_lost(struct client *client) {
    if (has_quit(client))
        return;
    note_step(client, STEP_MUST_HEAR_LOST);
    judge_require_told_lost(&client->race->judge, client->number);
}

void count_connections(struct client *client) {
    struct race *race = client->race;

    note_step(client, STEP_COUNT_CONNECTIONS);
    judge_count_connections(&race->judge, client->number,
                     world_open_connections(race->world, client->number));
}

bool require_no_more(struct client *client) {
    struct race *race = client->race;

    note_step(client, STEP_MUST_HAVE_NO_MORE);
    return judge_require_no_more(
        &race->judge, client->number,
        world_open_connections(race->world, client->number));
}

void must_have_no_more_connections(struct client *client) {
    if (!require_no_more(client))
        fail("count the connections of %s first", client->name);
}

static void note_for_all(struct race *race, enum step_kind kind) {
    record_step(&race->record, (struct step){.kind = kind});
}

void keep_key(struct race *race) {
    note_for_all(race, STEP_KEEP_KEY);
    judge_note_key(&race->judge);
}

void must_have_kept_key(struct race *race) {
    note_for_all(race, STEP_MUST_KEEP_KEY);
    judge_require_key(&race->judge);
}

void judge_strictly(struct race *race) {
    race->judge.strict = race->record.schedule.strict = true;
}

void judge_by_writes(struct race *race) {
    note_for_all(race, STEP_JUDGE_WRITES);
    judge_writes_only(&race->judge);
}

void keep_order(struct race *race) {
    note_for_all(race, STEP_KEEP_ORDER);
    judge_keep_order(&race->judge);
}

void wake_one(struct race *race) {
    note_for_all(race, STEP_COUNT_WOKEN);
    judge_count_woken(&race->judge);
}

static bool other_is_inside(const struct client *client) {
    const struct race *race = client->race;

    for (int i = 0; i < race->judge.client_count; i++)
        if (i != client->number && race->judge.view.clients[i].inside[0])
            return true;
    return false;
}

void need_lock(struct client *client) {
    const struct judge *judge = &client->race->judge;

    if (client->had_lock && !judge->lock.exists && !other_is_inside(client))
        cannot_happen(client, "no longer has a lock, and nobody else is inside");
}

// --- processes ---------------------------------------------------------------

void crash(struct client *client) {
    choose(client, CHOOSE_KILL);
}

void stop(struct client *client) {
    choose(client, CHOOSE_STOP);
}

void suspend(struct client *client) {
    if (client->race->options.real)
        cannot_happen(client, "has a machine of its own in virtual time only");
    choose(client, CHOOSE_SUSPEND);
}

void resume(struct client *client) {
    choose(client, CHOOSE_CONTINUE);
    wake_due(client);
}
