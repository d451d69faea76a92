// Plays the game again on each later stage, with real clients.
//
// Another lock sends other commands, so the game's schedule does not fit it.
// Its moves are taken as a story instead, as in a race. A move that the other
// lock does not have is left out. If an operation has ended in the game, it
// ends here, too.
#include "answer.h"

#include "base/child.h"
#include "catalogue/locks.h"
#include "trace_rows.h"
#include "world/possible.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static void do_if_possible(struct race *race, struct choice choice) {
    if (!world_objection(race->world, &choice))
        world_do(race->world, choice);
}

static bool can_act(const struct client *client) {
    return world_runs(client->race->world, client->number);
}

static void start_operation(struct client *client, const struct move *move) {
    if (can_act(client))
        pass_all(client); // what its last operation still sends
    do_if_possible(client->race, (struct choice){
        .kind = CHOOSE_ASK, .client = client->number,
        .operation = move->operation, .patience_ns = move->ns});
}

static void use_wire(struct client *client, const struct move *move) {
    struct race *race = client->race;
    struct choice choice = {.client = client->number};
    bool answer = move->kind == MOVE_DELIVER || move->kind == MOVE_LOSE_ANSWER;

    choice.connection = world_pending(race->world, client->number, 0);
    if (choice.connection == 0)
        return;
    bool held = world_stage(race->world, client->number, choice.connection) ==
                STAGE_HELD;
    choice.kind = move->kind == MOVE_FORWARD || move->kind == MOVE_LAND
                      ? CHOOSE_FORWARD
                  : move->kind == MOVE_DELIVER ? CHOOSE_DELIVER
                  : move->kind == MOVE_REFUSE  ? CHOOSE_REFUSE
                  : move->kind == MOVE_GIVE_UP ? CHOOSE_GIVE_UP
                                               : CHOOSE_CUT;
    if (held != answer)
        do_if_possible(race, choice);
}

// Messages that are on their way stay on their way.
static void pass_time(struct race *race, int64_t ns) {
    for (int i = 0; i < race->client_count; i++)
        hold(&race->clients[i]);
    advance(race, ns);
    for (int i = 0; i < race->client_count; i++)
        race->clients[i].held = 0;
}

static void restart_server(struct race *race) {
    static const enum choice_kind kinds[] = {
        CHOOSE_KILL_SERVER, CHOOSE_WIPE_DISK, CHOOSE_START_SERVER};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        do_if_possible(race, (struct choice){.kind = kinds[i]});
}

static void follow(struct race *race, const struct move *move) {
    struct client *client = &race->clients[move->client];
    struct choice choice = {.client = move->client, .ns = move->ns};

    switch (move->kind) {
    case MOVE_ASK:
        start_operation(client, move);
        return;
    case MOVE_FORWARD:
    case MOVE_DELIVER:
    case MOVE_CUT:
    case MOVE_LOSE_ANSWER:
    case MOVE_REFUSE:
    case MOVE_GIVE_UP:
    case MOVE_LAND:
        use_wire(client, move);
        return;
    case MOVE_TIME:
        pass_time(race, move->ns);
        return;
    case MOVE_WORK_DONE:
        end_work(client);
        return;
    case MOVE_HANG:
        hang(client);
        return;
    case MOVE_RESTART:
    case MOVE_JUMP:
        restart_server(race);
        return;
    case MOVE_WAKE: // the clock's move has woken it already
    case MOVE_PROBE:
    case MOVE_PROBE_EARLY:
        return;
    case MOVE_CRASH:    choice.kind = CHOOSE_KILL; break;
    case MOVE_STOP:     choice.kind = CHOOSE_STOP; break;
    case MOVE_CONTINUE: choice.kind = CHOOSE_CONTINUE; break;
    case MOVE_AHEAD:    choice.kind = CHOOSE_SKEW; break;
    }
    do_if_possible(race, choice);
    if (move->kind == MOVE_CONTINUE && can_act(client))
        wake_due(client);
}

// Every client ends its operation, and says whether it still holds the lock.
static void finish_all(struct race *race) {
    for (int i = 0; i < race->client_count; i++) {
        struct client *client = &race->clients[i];
        if (!can_act(client))
            continue;
        pass_all(client);
        if (race->judge.view.clients[i].inside[0] && !busy(client))
            ask(client);
    }
}

static bool is_lost(const struct race *race, enum loss loss, int last) {
    const struct judge *judge = &race->judge;
    int inside = 0;

    switch (loss) {
    case LOSS_EXCLUSION:
        for (int i = 0; i < race->client_count; i++)
            inside += judge->view.clients[i].inside[0];
        return inside > 1;
    case LOSS_RECOVERY:
    case LOSS_ENTRY:
    case LOSS_BOUNDED:
        return !judge->view.clients[last].got_in;
    case LOSS_RESOURCE: // a game has no writes
    case LOSS_PROGRESS: // is no goal of a game
        return false;
    default:
        return judge->found & 1u << loss_property(loss);
    }
}

// The child process: exits with 0 if the lock does not lose the property.
_Noreturn static void play_again(const struct game *game, enum loss loss,
                                 const char *lock) {
    const struct options options = {.key = USUAL_KEY};
    struct race *race = trace_race(&options, lock, game->bounds.clients + 1);

    for (int i = 1; i <= game->count; i++) {
        const struct turn *turn = &game->turns[i];
        int client = turn->move.client;
        follow(race, &turn->move);
        if (turn->move.kind == MOVE_DELIVER &&
            !turn->after.seats[client].asked && can_act(&race->clients[client]))
            pass_all(&race->clients[client]);
    }
    finish_all(race);
    exit(is_lost(race, loss, game->turns[game->count].move.client));
}

static bool loses(const struct game *game, enum loss loss, const char *lock) {
    fflush(NULL);
    pid_t child = child_start();
    if (child == 0)
        play_again(game, loss, lock);
    return child_end_of_output(child) != 0;
}

// The number of a stage; -1 if the lock is no stage.
static int number_of(const char *lock) {
    int number;

    return sscanf(lock, "stage%d_", &number) == 1 ? number : -1;
}

bool answer_is_known(const struct game *game) {
    return number_of(settings_title(game->settings)) >= 0;
}

int answer_find(const struct game *game, enum loss loss) {
    int own = number_of(settings_title(game->settings));
    struct lock_list locks = {.count = 0};

    locks_built(&locks);
    for (size_t i = 0; i < locks.count; i++) {
        int number = number_of(locks.names[i]);
        if (number > own && !loses(game, loss, locks.names[i]))
            return number;
    }
    return 0;
}
