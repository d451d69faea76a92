// Whose the lock on the server is, and what leads to a loss of it.
//
// A lock belongs to the client whose attempt has made it, or has written over
// it: only this changes its value. A new lease changes nothing. An attempt may
// write over somebody's lock and then be told that this was not enough (GETSET
// and INCR do that): until it is told, the lock may still be the other's, and
// if it is told "busy", it is.
//
// A command that its client has given up on may run later, in the middle of
// another operation of that client. It belongs to the operation that sent it,
// and not to the other one.
#include "judge_parts.h"

#include <stdio.h>
#include <string.h>

bool judge_same_lock(const struct lock_state *one,
                     const struct lock_state *other) {
    return one->exists == other->exists &&
           (!one->exists || (one->ttl_ms == other->ttl_ms &&
                             strcmp(one->value, other->value) == 0));
}

// --- whose the lock is -------------------------------------------------------

void judge_open_view(struct view *view) {
    memset(view, 0, sizeof *view);
    view->owner = NOBODY;
    for (int i = 0; i < JUDGE_CLIENTS; i++)
        view->clients[i].displaced = NOBODY;
}

// Can the lock that is there be this client's?
static bool may_own(const struct view *view, int client) {
    int owner = view->owner;

    return owner == client || owner == SOMEBODY ||
           (owner != NOBODY && view->clients[owner].displaced == client);
}

bool judge_may_own(const struct judge *judge, int client) {
    return judge->lock.exists && may_own(&judge->view, client);
}

bool judge_owns(const struct judge *judge, int client) {
    const struct view *view = &judge->view;

    return judge->lock.exists && view->owner == client &&
           view->clients[client].displaced == NOBODY;
}

bool judge_is_definite(enum result result) {
    return result != RESULT_UNKNOWN && result != RESULT_ERROR;
}

// --- leases ------------------------------------------------------------------

int64_t judge_usual_lease(const struct judge *judge, int client) {
    int64_t other_ns = judge->operations[client].lease_ns;
    return other_ns > 0 ? other_ns : judge->lease_ns;
}

int64_t judge_longest_lease(const struct judge *judge, int client) {
    int64_t lease_ns = judge->view.clients[client].lease_ns;
    return lease_ns > 0 ? lease_ns : judge_usual_lease(judge, client);
}

// A client that is inside, or may be, can have the lease of an earlier attempt;
// also one that has given up on an attempt, which may still arrive.
static void note_lease(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int client = event->client;

    if (event->lock_number > 0)
        return;
    if (event->operation == OPERATION_REOPEN)
        judge->operations[client].lease_ns = event->ns;
    if (event->operation != OPERATION_ENTER)
        return;
    bool may_have = view->clients[client].inside[0] ||
                    view->clients[client].unsure ||
                    view->clients[client].late_acquires;
    int64_t asked_ns =
        event->ns > 0 ? event->ns : judge_usual_lease(judge, client);
    judge->operations[client].grant.lease_ns = asked_ns;
    if (!may_have || asked_ns > view->clients[client].lease_ns)
        view->clients[client].lease_ns = asked_ns;
}

bool judge_may_be_past(const struct judge *judge, int client) {
    return judge->lock.ttl_ms < 0 &&
           (judge->now_ns >= judge_usual_lease(judge, client) - JUDGE_MARGIN ||
            judge->operations[client].skewed);
}

// By whatever client's clock. (A search does not know whose was set: it only
// knows that nothing was disturbed.)
static bool may_be_past_for_some(const struct judge *judge) {
    for (int i = 0; i < judge->client_count; i++)
        if (judge_may_be_past(judge, i))
            return true;
    return judge->strict && judge->view.disturbed;
}

// Does the lock stand, and would much of a lease be left that began then?
static bool has_time_left(const struct judge *judge, int client,
                          int64_t since_ns) {
    int64_t end_ns = since_ns + judge_usual_lease(judge, client);

    bool stands = judge->lock.ttl_ms < 0
                      ? judge->lock.exists && !may_be_past_for_some(judge)
                      : judge->lock.ttl_ms > JUDGE_MARGIN / MILLISECOND;

    return stands && judge->now_ns < end_ns - JUDGE_MARGIN;
}

bool judge_has_time_left(const struct judge *judge, int client) {
    const struct view *view = &judge->view;

    return view->clients[client].prompt &&
           has_time_left(judge, client, view->clients[client].gained_ns);
}

// Is its lock taken from it too early, if it is taken now? (A search has no
// room for when the lease began. Before the first one of a run can be over,
// none is, if its client has asked for no shorter one.)
static bool can_be_robbed(const struct judge *judge, int client) {
    const struct view *view = &judge->view;

    if (!view->clients[client].inside[0])
        return false;
    if (judge->strict)
        return view->clients[client].lease_ns >= judge->lease_ns &&
               has_time_left(judge, client, 0);
    return judge_has_time_left(judge, client);
}

// --- who takes it ------------------------------------------------------------

// The client's command has given the lock this value.
static void take(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int actor = event->client;

    if (event->together) {
        view->owner = SOMEBODY;
        return;
    }
    if (event->late) // an earlier attempt has it, and not this one
        judge->operations[actor].had_it = true;
    if (!judge->lock.exists || view->owner != actor)
        view->clients[actor].claim = ++view->entries;
    if (!judge->lock.exists)
        view->clients[actor].displaced = NOBODY;
    else if (view->owner != actor)
        view->clients[actor].displaced = view->owner;
    if (!judge->lock.exists || view->owner != actor)
        view->clients[actor].robs =
            judge->lock.exists && view->owner >= 0 && !event->late &&
            can_be_robbed(judge, view->owner);
    view->owner = actor;
}

// Who is told "ok" has the lock. Whose was it?
static void check_robbery(struct judge *judge, const struct event *event) {
    const struct view *view = &judge->view;
    int robbed = view->clients[event->client].displaced;

    if (robbed >= 0 && view->owner == event->client &&
        view->clients[event->client].robs && view->clients[robbed].inside[0])
        judge_lose(judge, PROPERTY_KEPT, robbed,
                   "no longer has its lock, though it is inside and its lease is not "
                   "over: it is %s's.",
                   judge_name(judge, event->client));
}

// Is the command part of an attempt, or of a release?
static bool acquires(const struct view *view, const struct event *event) {
    return event->late ? view->clients[event->client].late_acquires
                       : view->clients[event->client].acquires;
}

static bool releases(const struct view *view, const struct event *event) {
    return event->late ? view->clients[event->client].late_releases
                       : view->clients[event->client].releases;
}

// Has it a place there that is known?
static bool is_in_queue(const struct view *view, const struct event *event) {
    int place = view->clients[event->client].place;

    return place > 0 && place >= event->lock.first && place <= event->lock.last;
}

// A lock with a queue is the client's whose place is the first. A client can
// only take the last place, and those before it have left when it is first.
static void follow_queue(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;

    if (event->kind == EVENT_RAN && event->together &&
        acquires(view, event)) {
        if (!is_in_queue(view, event))
            view->clients[event->client].place = ANY_PLACE;
    } else if (event->kind == EVENT_RAN &&
               lock_state_joined(&judge->lock, &event->lock)) {
        for (int i = 0; i < judge->client_count; i++)
            if (view->clients[i].place >= event->lock.last)
                view->clients[i].place = 0; // in a queue that was removed
        view->clients[event->client].place = (short)event->lock.last;
    }
    if (!lock_state_new_value(&judge->lock, &event->lock))
        return;
    view->owner = NOBODY;
    for (int i = 0; i < judge->client_count; i++)
        if (view->clients[i].place == ANY_PLACE)
            view->owner = SOMEBODY;
    for (int i = 0; i < judge->client_count; i++)
        if (view->clients[i].place == event->lock.first) {
            view->owner = i;
            view->clients[i].displaced = NOBODY;
            view->clients[i].claim = ++view->entries;
        }
}

// Called when the lock has its new owner.
static void see_gain(struct judge *judge, const struct event *event) {
    if (judge->view.owner == event->client &&
        lock_state_gained(&judge->lock, &event->lock))
        judge->view.clients[event->client].gained_ns = event->time_ns;
}

static void see_owner(struct judge *judge, const struct event *event) {
    bool made = event->lock.exists && !judge->lock.exists;

    if (event->lock.last > 0)
        return; // follow_queue() sees it
    if (lock_state_new_value(&judge->lock, &event->lock) &&
        (made || acquires(&judge->view, event)))
        take(judge, event);
}

// Does this command give up the whole hold, if it does what it should?
static bool releases_all(const struct view *view, const struct event *event) {
    return releases(view, event) &&
           (event->late || view->clients[event->client].depth <= 1);
}

// The lock is another's now, though no attempt has written it: its holder has
// left, or its connection is gone, and the server has given it to one of those
// that wait. Which one, its own command says, when it is answered.
static void note_passed_on(struct judge *judge, const struct event *event) {
    bool may_pass = event->kind != EVENT_RAN ||
                    (judge->lock.exists && releases_all(&judge->view, event));

    if (!event->lock.exists)
        judge->passed_on = false;
    else if (lock_state_new_value(&judge->lock, &event->lock))
        judge->passed_on = may_pass;
}

// "Your time is over": to one that has waited in vain. (In a search somebody's
// deed has served it: no answer is shown.)
static bool grants_nothing(const struct message *answer) {
    return answer && (answer->is_error || strcmp(answer->text, "nil") == 0 ||
                      strcmp(answer->text, "0") == 0);
}

static void see_passed_on(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int client = event->client;

    if (event->kind != EVENT_RAN || !judge->passed_on || !event->waited ||
        !acquires(view, event) || grants_nothing(event->answer))
        return;
    judge->passed_on = false;
    view->owner = client;
    view->clients[client].displaced = NOBODY;
    view->clients[client].claim = ++view->entries;
}

// The attempt that wrote over a lock knows now whether that was enough.
static void settle_owner(struct view *view, int actor, bool got_it) {
    int *displaced = &view->clients[actor].displaced;

    if (!got_it && view->owner == actor && *displaced != NOBODY)
        view->owner = *displaced;
    *displaced = NOBODY;
}

// --- evidence ----------------------------------------------------------------

// What a command did on a server whose lock is not shown, nobody can say. One
// that waited in the server until another let it through has changed the lock
// together with that other one.
static void note_evidence(struct judge *judge, const struct event *event) {
    bool *changed = judge->view.clients[event->client].changed_lock;
    bool unseen = event->together || event->elsewhere;

    changed[0] |= unseen || event->gained ||
                  (event->waited && event->lock.exists) ||
                  lock_state_gained(&judge->lock, &event->lock);
    changed[1] |= unseen || (event->waited && event->second.exists) ||
                  lock_state_gained(&judge->second, &event->second);
}

// Was the client outside, and is told that it is inside, and nothing shows it?
static bool is_unproven(const struct judge *judge, const struct event *event) {
    const struct view *view = &judge->view;
    int lock = event->lock_number, client = event->client;

    return event->operation == OPERATION_ENTER && event->result == RESULT_OK &&
           !view->clients[client].inside[lock] && !judge->local &&
           !view->clients[client].changed_lock[lock];
}

// A client that has a hold, or had one, asks for the same lock once more. (To a
// strict judge this is an attempt as every other one.)
static bool is_nested(const struct judge *judge, const struct event *event) {
    return event->depth > 1 && event->lock_number == 0 && !judge->strict;
}

// It is told that it is inside once more, and has sent nothing, or only asked.
// So its old hold must stand.
static void check_nested(struct judge *judge, int client) {
    if (!judge_may_own(judge, client))
        judge_lose(judge, PROPERTY_TOLD, client,
                   "is told that it is inside once more, and does not have the "
                   "lock.");
}

static void ask_for_evidence(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int client = event->client;

    if (event->operation != OPERATION_ENTER &&
        event->operation != OPERATION_LEAVE)
        return;
    bool unproven = is_unproven(judge, event);
    if (unproven && is_nested(judge, event)) {
        unproven = false;
        check_nested(judge, client);
    }
    view->clients[client].unproven = unproven;
    if (unproven)
        judge_see_nothing(judge, client,
                          "says that it is inside, and has changed nothing "
                          "under the lock's key.");
    if (event->result != RESULT_UNKNOWN)
        view->clients[client].changed_lock[event->lock_number] = false;
}

// --- what leads to a loss ----------------------------------------------------

static void accuse(struct judge *judge, enum property property, int client,
                   const char *what) {
    char sentence[sizeof judge->sentence];

    if (!judge->strict)
        return;
    snprintf(sentence, sizeof sentence, "%s%s", judge_name(judge, client),
             what);
    judge_find(judge,
               (struct lost_property){property, client, judge->view.owner, 0,
                                      0},
               sentence);
}

// A client is told "busy", or "error", which means that nothing has happened;
// and this attempt of its has changed the lock. (What an earlier attempt has
// left in its way, own_grant_in_the_way asks for. To a strict judge "busy" is a
// loss in itself there; it has no room for what was before the attempt.)
static void check_denial(struct judge *judge, int client, enum result result) {
    if (judge_owns(judge, client) && !judge->operations[client].had_it)
        judge_lose(judge, PROPERTY_TOLD, client,
                   "tries to get in, is told \"%s\", and the lock is its own.",
                   result_word(result));
}

// A command has changed the lock: whose was it?
static void see_change(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int actor = event->client, owner = view->owner;
    char what[64];

    view->clients[actor].late |= event->late;
    if (acquires(view, event)) {
        // To its own lock an owner may do what it likes, also its watchdog.
        view->clients[actor].changed |=
            !event->late &&
            (owner != actor || !view->clients[actor].inside[0]);
        return;
    }
    if (owner >= 0 && owner != actor && view->clients[owner].inside[0]) {
        snprintf(what, sizeof what, "'s %s changes the lock of %s, who is "
                 "inside.", releases(view, event) ? "release" : "renewal",
                 judge_name(judge, owner));
        accuse(judge, PROPERTY_FOREIGN, actor, what);
        if (judge->strict && view->clients[actor].releases)
            view->clients[actor].release = RELEASE_FOREIGN;
    }
    if (owner == actor && view->clients[actor].releases && !event->late &&
        view->clients[actor].depth > 1 &&
        (!event->lock.exists ||
         (event->lock.last > 0 &&
          lock_state_new_value(&judge->lock, &event->lock))))
        accuse(judge, PROPERTY_COUNT, actor,
               " leaves once of twice, and the lock is gone.");
}

// Whose the first lock is; NOBODY: there is none.
static int owner_of_lock(const struct judge *judge) {
    return judge->lock.exists ? judge->view.owner : NOBODY;
}

static void begin_operation(struct view *view, const struct event *event) {
    if (event->lock_number > 0)
        return;
    // A handle that is opened anew does not know that the lock is its own.
    if (event->operation == OPERATION_REOPEN && view->owner == event->client)
        view->owner = SOMEBODY;
    view->clients[event->client].acquires = event->operation == OPERATION_ENTER;
    view->clients[event->client].releases = event->operation == OPERATION_LEAVE;
    view->clients[event->client].changed = false;
    view->clients[event->client].late = false;
    view->clients[event->client].depth = event->depth;
}

static void end_operation(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int actor = event->client;

    if (event->operation == OPERATION_ENTER && event->result == RESULT_OK)
        check_robbery(judge, event);
    if (event->operation == OPERATION_ENTER &&
        event->result != RESULT_UNKNOWN && event->result != RESULT_ERROR)
        settle_owner(view, actor, event->result == RESULT_OK);
    if (event->operation == OPERATION_ENTER && event->depth > 0 &&
        (event->result == RESULT_BUSY || event->result == RESULT_LOST) &&
        view->clients[actor].inside[0] && owner_of_lock(judge) == actor)
        accuse(judge, PROPERTY_ENTRY, actor,
               " is inside, asks again and does not get in.");
    if (event->operation == OPERATION_ENTER && view->clients[actor].changed &&
        event->result == RESULT_BUSY)
        accuse(judge, PROPERTY_LOSER, actor,
               " is told busy and has changed the lock.");
    if (event->operation == OPERATION_ENTER && view->clients[actor].changed &&
        (event->result == RESULT_BUSY || event->result == RESULT_ERROR) &&
        !judge->strict)
        check_denial(judge, actor, event->result);
    if (event->operation == OPERATION_LEAVE && event->result == RESULT_OK &&
        event->depth == 0 && view->owner == actor && event->lock.exists &&
        !view->clients[actor].late)
        accuse(judge, PROPERTY_COUNT, actor,
               " has left for the last time, and the lock is still there.");
    if (event->operation != OPERATION_HELD) {
        view->clients[actor].acquires = false;
        view->clients[actor].releases = false;
    }
    if ((event->operation == OPERATION_ENTER ||
         event->operation == OPERATION_LEAVE) && event->depth == 0 &&
        view->clients[actor].place == ANY_PLACE &&
        judge_is_definite(event->result))
        view->clients[actor].place = 0; // it has left
}

// An attempt of one that waits was refused; there will be another one.
static void end_refused(struct judge *judge, int actor) {
    struct view *view = &judge->view;

    settle_owner(view, actor, false);
    if (view->clients[actor].changed)
        accuse(judge, PROPERTY_LOSER, actor,
               " is refused and has changed the lock.");
    view->clients[actor].changed = false;
}

static void note_late(struct view *view, int client) {
    view->clients[client].late_acquires = view->clients[client].acquires;
    view->clients[client].late_releases = view->clients[client].releases;
}

void judge_watch_lock(struct judge *judge, const struct event *event) {
    if (event->kind == EVENT_ASKED) {
        note_lease(judge, event);
        begin_operation(&judge->view, event);
    }
    if (event->kind == EVENT_RAN)
        note_evidence(judge, event);
    if (event->kind == EVENT_RESULT)
        ask_for_evidence(judge, event);
    if (event->kind == EVENT_GAVE_UP)
        note_late(&judge->view, event->client);
    if (event->kind == EVENT_RAN && !judge_same_lock(&judge->lock,
                                                     &event->lock)) {
        see_change(judge, event);
        see_owner(judge, event);
        see_gain(judge, event);
    }
    see_passed_on(judge, event);
    if (event->kind == EVENT_SLEEPS && event->lock_number == 0)
        end_refused(judge, event->client);
    if (event->kind == EVENT_RESULT && event->lock_number == 0)
        end_operation(judge, event);
    if (event->lock.last > 0)
        follow_queue(judge, event);
    else
        note_passed_on(judge, event);
    judge->lock = event->lock;
    judge->second = event->second;
}

void judge_watch_server_lock(struct judge *judge, const struct event *event) {
    if (event->operated && lock_state_new_value(&judge->lock, &event->lock))
        judge->view.owner = NOBODY; // an operator's
    if (event->lock.last > 0)
        follow_queue(judge, event);
    else
        note_passed_on(judge, event);
    judge->lock = event->lock;
    judge->second = event->second;
}

// --- what a story asks -------------------------------------------------------

void judge_require_hold(struct judge *judge, int client) {
    const struct view *view = &judge->view;
    char sentence[sizeof judge->sentence];
    int owner = view->owner;

    if (judge_may_own(judge, client))
        return;
    if (!judge->lock.exists || owner == NOBODY)
        snprintf(sentence, sizeof sentence, "%s no longer has its lock.",
                 judge_name(judge, client));
    else
        snprintf(sentence, sizeof sentence,
                 "%s no longer has its lock: it is %s's.",
                 judge_name(judge, client), judge_name(judge, owner));
    judge_find(judge,
               (struct lost_property){PROPERTY_KEPT, client, NOBODY, 0, 0},
               sentence);
}

void judge_lose_opening(struct judge *judge, int client) {
    char sentence[sizeof judge->sentence];

    snprintf(sentence, sizeof sentence,
             "%s cannot even open the lock: the server keeps what it has sent.",
             judge_name(judge, client));
    judge_find(judge,
               (struct lost_property){PROPERTY_ENTRY, client, NOBODY, 0, 0},
               sentence);
}

void judge_require_told_lost(struct judge *judge, int client) {
    char sentence[sizeof judge->sentence];
    enum result result = judge->operations[client].result;

    if (result == RESULT_LOST)
        return;
    snprintf(sentence, sizeof sentence,
             "%s's lock is lost, and %s is told \"%s\".",
             judge_name(judge, client), judge_name(judge, client),
             result_word(result));
    judge_find(judge,
               (struct lost_property){PROPERTY_TOLD, client, NOBODY, 0, 0},
               sentence);
}
