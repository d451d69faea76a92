// ./scenarios/play: a person decides what happens next.
#include "lab.h"

#include "base/arguments.h"
#include "lab/play/plain.h"
#include "lab/play/recording.h"
#include "lab/play/describe.h"
#include "lab/search/workers.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_WAIT_S = 60, KEY_DEPTH = 3000, KEY_RECORD };

struct player {
    struct settings settings;
    enum loss goal;
    bool record;
};

#define GOALS "exclusion, recovery, entry, loser, foreign, count, kept, " \
              "told, bounded or, where clients wait, wakeup"

static const struct argp_option choices[] = {
    {"goal", 'g', "WORD", 0, "something to play for: " GOALS, 1},
    {"record", KEY_RECORD, NULL, 0,
     "no game: all positions within the bounds, and what leads from one to "
     "another, as JSON", 1},
    {"depth", KEY_DEPTH, "N", OPTION_HIDDEN, NULL, 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct player *player = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &player->settings;
        return 0;
    case 'g':
        player->goal = loss_named(argument);
        if (player->goal == LOSSES)
            refuse("'%s' is not a goal: say " GOALS, argument);
        return 0;
    case KEY_RECORD:
        player->record = true;
        return 0;
    case KEY_DEPTH:
        refuse("--depth is for explore: a game goes on until you end it");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static struct argp argp = {
    .options = choices,
    .parser = parse,
    .doc = "A game on real clients and a real server: you decide what happens "
           "next, step by step, and try to break the lock.\v"
           "More is allowed here than in a search: three rounds each, four "
           "leases, and crash, stop, cut and lose-answer twice each; where the "
           "goal is entry or count, a nested call. Where clients wait, and with "
           "several masters, one round each; with several masters, restart and "
           "jump once each in place of the other faults. The line that replays the "
           "game is printed at its end. docs/play.md shows one. Exit status: 0; "
           "2 wrong use, or the run itself failed.",
};

// The faults of a game, unless the player names them.
static void begin(struct player *player) {
    static const enum fault usual[] = {FAULT_CRASH, FAULT_STOP, FAULT_CUT,
                                       FAULT_LOSE_ANSWER};
    struct bounds *bounds = &player->settings.bounds;

    settings_begin(&player->settings);
    bounds->rounds = 3;
    bounds->leases = 4;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        bounds->faults[usual[i]] = 2;
    if (player->settings.jobs > 2)
        player->settings.jobs = 2;
    player->goal = LOSSES;
}

// With several masters, what goes wrong goes wrong with them.
static void set_faults_of_masters(struct settings *settings) {
    struct bounds *bounds = &settings->bounds;

    memset(bounds->faults, 0, sizeof bounds->faults);
    bounds->faults[FAULT_JUMP] = 1;
    bounds->faults[FAULT_RESTART] = bounds->wait_s == 0; // as in a search
    if (!settings->at_most_given)
        bounds->fault_total = 1 + bounds->faults[FAULT_RESTART];
}

// A client that waits, or asks several masters, does so once: with two rounds
// no search would come far.
static void complete(struct player *player) {
    struct bounds *bounds = &player->settings.bounds;

    if (player->goal == LOSS_WAKEUP && bounds->wait_s == 0)
        bounds->wait_s = USUAL_WAIT_S;
    settings_complete(&player->settings);
    if (bounds->masters > 1 && !player->settings.faults_given)
        set_faults_of_masters(&player->settings);
    if ((bounds->wait_s > 0 || bounds->masters > 1) &&
        !player->settings.rounds_given)
        bounds->rounds = 1;
}

int play_main(int argc, char **argv) {
    static struct player player;
    struct game game;
    struct hints hints;

    arguments_hide(argc, argv);
    begin(&player);
    argp.children = settings_options(&player.settings,
                                     "depth,own-lease,writes,asks,time,locks");
    arguments_parse(&argp, argc, argv, &player);
    complete(&player);
    if (player.record) {
        settings_open_workers(&player.settings);
        recording_print(&player.settings, stdout);
        finish_output();
        workers_close();
        return EXIT_SUCCESS;
    }
    settings_open_workers(&player.settings);
    game_begin(&game, &player.settings);
    hints_begin(&hints, &game);
    if (player.goal != LOSSES)
        hints_set_goal(&hints, player.goal);
    plain_play(&game, &hints);
    game_print_end(&game, stdout);
    finish_output();
    hints_end(&hints);
    game_end(&game);
    workers_close();
    return EXIT_SUCCESS;
}
