// The rows come from a replay in a world of its own. So they are the rows that
// the replay would print. A process can have only one world, so each trace
// takes a process of its own, and about 20 ms. The rows could also be made of
// what the search remembers. That was rejected: it would be a second trace
// writer, which could differ from the first.
#include "trace_rows.h"

#include "base/child.h"
#include "replay/replay.h"
#include "report/cause.h"
#include "report/colour.h"
#include "report/trace.h"
#include "base/fail.h"

#include <signal.h>
#include <stdlib.h>

// At the end a new client may try.
static int count_clients(const struct game *game) {
    return game->bounds.clients +
           (game->turns[game->count].after.mode == MODE_PROBE ||
            game->turns[game->count].after.mode == MODE_PROBE_EARLY ||
            game->turns[game->count].after.seats[
                game->bounds.clients].rounds == 0);
}

// The question to a replay.
struct wanted {
    const struct game *game;
    bool cause;    // why it was lost, or else the rows
    enum loss loss;
    int width;
    bool colour;
};

static void write_cause(const struct race *race, enum loss loss, FILE *out) {
    const struct judge *judge = &race->judge;

    if (!judge->found || judge->lost.property != loss_property(loss))
        return;
    char *cause = cause_find(&race->record, &judge->lost);
    fputs(cause, out);
    free(cause);
}

struct race *trace_race(const struct options *options, const char *lock,
                        int clients) {
    static const char *const names[] = {"A", "B", "C", "D"};
    sigset_t none;

    setpgid(0, 0); // Ctrl-C is for the game
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    struct race *race = race_new(options, "play", lock);
    race->judge.strict = true;
    for (int i = 0; i < clients; i++)
        race_client(race, names[i]);
    return race;
}

static void replay_to(const void *argument, FILE *out) {
    const struct wanted *wanted = argument;
    const struct game *game = wanted->game;
    const char *client = game->settings->client;
    struct options options = {.key = USUAL_KEY, .client = client,
                              .masters = game->bounds.masters,
                              .virtual = client != NULL};
    struct schedule schedule;

    game_schedule(game, &schedule);
    struct race *race = trace_race(&options, settings_title(game->settings),
                                   count_clients(game));
    if (!replay_steps(race, &schedule))
        fail("a move does not exist when the game is replayed");
    if (wanted->cause)
        write_cause(race, wanted->loss, out);
    else
        trace_print_rows(out, &race->record, false, wanted->width,
                         wanted->colour);
    schedule_clear(&schedule);
}

static char *replay_for(const struct wanted *wanted) {
    size_t length;
    char *text = child_output(replay_to, wanted, "a replay of the game", &length);

    if (!text)
        fail("the game could not be replayed");
    return text;
}

const char *trace_rows(struct game *game, int width) {
    struct turn *turn = &game->turns[game->count];

    if (turn->rows && turn->rows_width == width)
        return turn->rows;
    free(turn->rows);
    turn->rows_width = width;
    turn->rows = replay_for(&(struct wanted){
        .game = game, .width = width, .colour = colour_wanted(stdout)});
    return turn->rows;
}

char *trace_cause(const struct game *game, enum loss loss) {
    char *text = replay_for(
        &(struct wanted){.game = game, .cause = true, .loss = loss});

    if (*text)
        return text;
    free(text);
    return NULL;
}
