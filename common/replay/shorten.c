#include "shorten.h"

#include "replay.h"

enum { MOST_STEPS = SHORTEN_MOST_STEPS };

struct work {
    const struct options *options;
    const char *lock;
    struct schedule *schedule;
    struct finding target; // the loss that must stay
};

static struct schedule without(const struct schedule *schedule,
                               const bool gone[MOST_STEPS]) {
    struct schedule rest = *schedule;

    rest.steps = NULL;
    rest.count = 0;
    for (size_t i = 0; i < schedule->count; i++)
        if (!gone[i])
            schedule_add(&rest, schedule->steps[i]);
    return rest;
}

static bool is_still_lost(const struct work *work,
                          const struct schedule *schedule) {
    struct finding finding =
        replay_quietly(work->options, work->lock, schedule);

    return finding_same(&finding, &work->target);
}

// True if it could: the schedule is the shorter one then.
static bool leave_out(struct work *work, const bool gone[MOST_STEPS]) {
    struct schedule rest = without(work->schedule, gone);

    if (rest.count == work->schedule->count ||
        !is_still_lost(work, &rest)) {
        schedule_clear(&rest);
        return false;
    }
    schedule_clear(work->schedule);
    work->schedule->steps = rest.steps;
    work->schedule->count = rest.count;
    return true;
}

static bool is_by(const struct step *step, int client) {
    return step->kind == STEP_CHOICE &&
           (step->choice.kind < CHOOSE_ADVANCE ||
            (step->choice.kind > CHOOSE_ADVANCE &&
             step->choice.kind < CHOOSE_OPERATE)) &&
           step->choice.client == client;
}

// A client of two locks that uses one of them is opened with one.
static bool leave_out_lock(struct work *work, int client) {
    struct step *opens = NULL;

    for (size_t i = 0; i < work->schedule->count; i++) {
        struct step *step = &work->schedule->steps[i];
        if (schedule_opens(step) > 1 && step->choice.client == client)
            opens = step;
        if (is_by(step, client) && step->choice.lock > 0)
            return false;
    }
    if (!opens)
        return false;
    enum step_kind before = opens->kind;
    opens->kind = STEP_OPENS;
    if (is_still_lost(work, work->schedule))
        return true;
    opens->kind = before;
    return false;
}

static bool leave_out_client(struct work *work, int client) {
    bool gone[MOST_STEPS] = {false};

    for (size_t i = 0; i < work->schedule->count; i++) {
        const struct step *step = &work->schedule->steps[i];
        gone[i] = is_by(step, client) ||
                  ((schedule_opens(step) || step->kind == STEP_HANGS ||
                    step->kind == STEP_WORK_DONE) &&
                   step->choice.client == client);
    }
    return leave_out(work, gone) || leave_out_lock(work, client);
}

// An operation and its client's steps until the next operation.
static bool leave_out_operation(struct work *work, size_t first) {
    bool gone[MOST_STEPS] = {false};
    int client = work->schedule->steps[first].choice.client;

    gone[first] = true;
    for (size_t i = first + 1; i < work->schedule->count; i++) {
        const struct step *step = &work->schedule->steps[i];
        if (is_by(step, client) && step->choice.kind == CHOOSE_ASK)
            break;
        gone[i] = is_by(step, client);
    }
    return leave_out(work, gone);
}

static bool leave_out_step(struct work *work, size_t step) {
    bool gone[MOST_STEPS] = {false};

    gone[step] = work->schedule->steps[step].kind != STEP_OPENS &&
                 work->schedule->steps[step].kind != STEP_OPTIONS;
    return leave_out(work, gone);
}

// The choice that undoes this one later; CHOOSE_ADVANCE: there is none.
static enum choice_kind end_of(enum choice_kind kind) {
    switch (kind) {
    case CHOOSE_STOP:
    case CHOOSE_SUSPEND:     return CHOOSE_CONTINUE;
    case CHOOSE_ISOLATE:     return CHOOSE_RECONNECT;
    case CHOOSE_ISOLATE_FROM: return CHOOSE_RECONNECT_TO;
    case CHOOSE_STOP_SERVER: return CHOOSE_CONTINUE_SERVER;
    default:                 return CHOOSE_ADVANCE;
    }
}

// A stop and the step that ends it: neither can be left out alone.
static bool leave_out_pair(struct work *work, size_t first) {
    bool gone[MOST_STEPS] = {false};
    const struct step *steps = work->schedule->steps;
    enum choice_kind end = end_of(steps[first].choice.kind);
    size_t last = first + 1;

    if (steps[first].kind != STEP_CHOICE || end == CHOOSE_ADVANCE)
        return false;
    while (last < work->schedule->count &&
           (steps[last].kind != STEP_CHOICE ||
            steps[last].choice.kind != end ||
            steps[last].choice.client != steps[first].choice.client ||
            steps[last].choice.server != steps[first].choice.server))
        last++;
    if (last == work->schedule->count)
        return false;
    gone[first] = gone[last] = true;
    return leave_out(work, gone);
}

// Time that passes in pieces passes in one.
static bool join_time(struct work *work, size_t first) {
    bool gone[MOST_STEPS] = {false};
    struct step *step = &work->schedule->steps[first];
    struct step *next = step + 1;

    if (first + 1 >= work->schedule->count ||
        step->kind != STEP_CHOICE || next->kind != STEP_CHOICE ||
        step->choice.kind != CHOOSE_ADVANCE ||
        next->choice.kind != CHOOSE_ADVANCE)
        return false;
    gone[first] = true;
    next->choice.ns += step->choice.ns;
    if (leave_out(work, gone))
        return true;
    next->choice.ns -= step->choice.ns;
    return false;
}

static bool shorten_once(struct work *work) {
    for (int client = MAX_CLIENTS - 1; client >= 0; client--)
        if (work->schedule->clients[client] && leave_out_client(work, client))
            return true;
    for (size_t i = work->schedule->count; i-- > 0;)
        if (work->schedule->steps[i].kind == STEP_CHOICE &&
            work->schedule->steps[i].choice.kind == CHOOSE_ASK &&
            leave_out_operation(work, i))
            return true;
    for (size_t i = work->schedule->count; i-- > 0;)
        if (leave_out_step(work, i) || leave_out_pair(work, i) ||
            join_time(work, i))
            return true;
    return false;
}

bool shorten(const struct options *options, const char *lock,
             struct schedule *schedule) {
    struct work work = {.options = options, .lock = lock,
                        .schedule = schedule};

    work.target = replay_quietly(options, lock, schedule);
    if (!work.target.lost)
        return false;
    while (shorten_once(&work))
        continue;
    return true;
}
