// The rows come from a replay in a world of its own. So they are the rows that
// the replay would print. A process can have only one world, so each trace
// takes a process of its own, and about 20 ms. The rows could also be made of
// what the search remembers. That was rejected: it would be a second trace
// writer, which could differ from the first.
#include "trace_rows.h"

#include "base/child.h"
#include "replay/replay.h"
#include "report/cause.h"
#include "report/trace.h"
#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// At the end a new client may try.
static int count_clients(const struct game *game) {
    return game->bounds.clients +
           (game->turns[game->count].after.mode == MODE_PROBE ||
            game->turns[game->count].after.seats[
                game->bounds.clients].history != 0);
}

// What is wanted of a replay.
struct wanted {
    bool cause;    // why it was lost, or else the rows
    enum loss loss;
    int width;
};

static enum property property_of(enum loss loss) {
    static const enum property properties[LOSSES] = {
        [LOSS_EXCLUSION] = PROPERTY_EXCLUSION,
        [LOSS_RECOVERY] = PROPERTY_ENTRY,
        [LOSS_ENTRY] = PROPERTY_ENTRY,
        [LOSS_LOSER] = PROPERTY_LOSER,
        [LOSS_FOREIGN] = PROPERTY_FOREIGN,
        [LOSS_COUNT] = PROPERTY_COUNT,
    };
    return properties[loss];
}

static void write_cause(const struct race *race, enum loss loss, FILE *out) {
    const struct judge *judge = &race->judge;

    if (!judge->found || judge->lost.property != property_of(loss))
        return;
    char *cause = cause_find(&race->record, &judge->lost);
    fputs(cause, out);
    free(cause);
}

_Noreturn static void replay_to(const struct game *game,
                                const struct wanted *wanted, FILE *out) {
    static const char *const names[] = {"A", "B", "C", "D"};
    const char *client = game->settings->client;
    struct options options = {.key = "lock", .client = client,
                              .virtual = client != NULL};
    struct schedule schedule;
    sigset_t none;

    setpgid(0, 0); // Ctrl-C is for the game
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    game_schedule(game, &schedule);
    struct race *race =
        race_build(&options, "play", settings_title(game->settings), "");
    race->judge.strict = true;
    for (int i = 0; i < count_clients(game); i++)
        race_client(race, names[i]);
    if (!replay_steps(race, &schedule))
        fail("a move does not exist when the game is replayed");
    if (wanted->cause)
        write_cause(race, wanted->loss, out);
    else
        trace_print_rows(out, &race->record, false, wanted->width);
    fclose(out);
    exit(EXIT_SUCCESS);
}

static char *read_all(int from) {
    size_t length = 0, room = 4096;
    char *text = must_have(malloc(room));

    for (;;) {
        ssize_t some = read(from, text + length, room - length - 1);
        if (some < 0 && errno == EINTR)
            continue;
        if (some <= 0)
            break;
        length += (size_t)some;
        if (length + 1 == room)
            text = must_have(realloc(text, room *= 2));
    }
    text[length] = '\0';
    return text;
}

static char *replay_for(const struct game *game, const struct wanted *wanted) {
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        fail("cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    pid_t child = child_start();
    if (child == 0) {
        close(ends[0]);
        replay_to(game, wanted, must_have(fdopen(ends[1], "w")));
    }
    close(ends[1]);
    char *text = read_all(ends[0]);
    close(ends[0]);
    if (child_end(child) != 0)
        fail("the game could not be replayed");
    return text;
}

const char *trace_rows(struct game *game, int width) {
    struct turn *turn = &game->turns[game->count];

    if (turn->rows && turn->rows_width == width)
        return turn->rows;
    free(turn->rows);
    turn->rows_width = width;
    turn->rows = replay_for(game, &(struct wanted){.width = width});
    return turn->rows;
}

char *trace_cause(const struct game *game, enum loss loss) {
    struct wanted wanted = {.cause = true, .loss = loss};
    char *text = replay_for(game, &wanted);

    if (*text)
        return text;
    free(text);
    return NULL;
}
