// The results of a search: an answer for each property, and the schedules that
// it has found.
#include "search.h"

#include <stdio.h>

int search_steps(const struct move *moves, int count) {
    struct step steps[MAX_STEPS];
    int total = 0;

    for (int i = 0; i < count; i++)
        total += move_steps(&moves[i], steps);
    return total;
}

const char *answer_word(enum answer answer) {
    static const char *const words[] = {
        [ANSWER_LOST] = "lost",
        [ANSWER_CLEAN] = "clean",
        [ANSWER_NOT_TRIED] = "not tried",
        [ANSWER_OPEN] = "not lost so far",
    };
    return words[answer];
}

static bool has_restart(const struct move *moves, int count) {
    for (int i = 0; i < count; i++)
        if (moves[i].kind == MOVE_RESTART)
            return true;
    return false;
}

static bool acts(const struct move *moves, int count, int client) {
    for (int i = 0; i < count; i++)
        if (moves[i].client == client)
            return true;
    return false;
}

static bool is_again(const struct move *move, const struct move *last) {
    return move->client == last->client && move->kind == last->kind &&
           move->connection == last->connection;
}

// Does the client itself take this move, or is it about one of its commands?
static bool is_of(const struct move *move, int client) {
    return move->client == client &&
           (move->kind == MOVE_FORWARD || move->kind == MOVE_LAND ||
            move->kind == MOVE_DELIVER || move->kind == MOVE_WAKE);
}

// A client that comes to no end goes on as it has begun: with its moves since
// it last made the same one. They are more than a run allows. (If it has made
// none twice, nothing is added, and a replay loses nothing.)
static void add_loop(struct schedule *schedule, const struct move *moves,
                     int count) {
    enum { ENOUGH = 2000 };
    const struct move *last = &moves[count - 1];
    struct step steps[MAX_STEPS];
    int before = count - 2;

    while (before >= 0 && !is_again(&moves[before], last))
        before--;
    for (int added = 0; before >= 0 && added < ENOUGH;)
        for (int i = before + 1; i < count; i++) {
            if (!is_of(&moves[i], last->client))
                continue;
            for (int n = move_steps(&moves[i], steps), s = 0; s < n; s++)
                schedule_add(schedule, steps[s]);
            added++;
        }
}

static enum opened opened_with(const struct bounds *bounds) {
    return bounds->locks == 1 ? OPENED_ONE
           : bounds->turned   ? OPENED_TURNED
                              : OPENED_TWO;
}

char *search_schedule(const struct move *moves, int count, const char *lock,
                      enum loss loss, const struct bounds *bounds) {
    struct schedule schedule = {.strict = loss < LOSSES, .clients = "ABCDE"};
    struct step steps[MAX_STEPS];

    snprintf(schedule.lock, sizeof schedule.lock, "%s", lock);
    schedule.masters = bounds->masters > 1 ? bounds->masters : 0;
    if (loss == LOSS_RESOURCE)
        schedule_add(&schedule, (struct step){.kind = STEP_JUDGE_WRITES});
    // A run needs all clients, a reader those that do something. The fresh one
    // is there when it matters that it was there from the beginning.
    for (int i = 0; i < bounds->clients; i++)
        if (loss == LOSSES || (bounds->locks > 1 && acts(moves, count, i)))
            schedule_add(&schedule, schedule_opening(i, opened_with(bounds)));
    if ((loss == LOSSES && has_restart(moves, count)) ||
        (bounds->turned && acts(moves, count, bounds->clients)))
        schedule_add(&schedule,
                     schedule_opening(bounds->clients, bounds->turned
                                                           ? OPENED_TURNED
                                                           : OPENED_ONE));
    for (int i = 0; i < count; i++)
        for (int n = move_steps(&moves[i], steps), s = 0; s < n; s++)
            schedule_add(&schedule, steps[s]);
    if (loss == LOSS_PROGRESS)
        add_loop(&schedule, moves, count);
    if (loss == LOSS_RECOVERY || loss == LOSS_ENTRY ||
        (loss == LOSS_BOUNDED && moves[count - 1].client == bounds->clients)) {
        int who = loss == LOSS_RECOVERY ? bounds->clients
                                        : moves[count - 1].client;
        schedule_add(&schedule, (struct step){STEP_MUST_BE_INSIDE,
                                              {.client = who}});
    }
    char *line = schedule_text(&schedule);
    schedule_clear(&schedule);
    return line;
}
