// The owner of the first lock on the server.
//
// A lock belongs to the client whose attempt has made or overwritten it: only
// this changes its value. A new lease changes nothing. An attempt may overwrite
// another client's lock without getting it (GETSET and INCR do that). Until
// that attempt has its result, the lock may still be the other's; and with
// "busy" it is.
//
// A command that its client has given up on may run later, in the middle of
// another operation of that client. It belongs to the operation that sent it,
// and not to the other one.
#include "facts.h"

#include <string.h>

bool judge_same_lock(const struct lock_state *one,
                     const struct lock_state *other) {
    return one->exists == other->exists &&
           (!one->exists || (one->ttl_ms == other->ttl_ms &&
                             strcmp(one->value, other->value) == 0));
}

bool judge_may_own(const struct judge *judge, int client) {
    const struct view *view = &judge->view;
    int owner = view->owner;

    return judge->lock.exists &&
           (owner == client || owner == SOMEBODY ||
            (owner != NOBODY && view->clients[owner].displaced == client));
}

bool judge_owns(const struct judge *judge, int client) {
    const struct view *view = &judge->view;

    return judge->lock.exists && view->owner == client &&
           view->clients[client].displaced == NOBODY;
}

// --- commands ----------------------------------------------------------------

static bool acquires(const struct judge *judge, const struct event *event) {
    const struct view *view = &judge->view;
    return event->late ? view->clients[event->client].late_acquires
                       : view->clients[event->client].acquires;
}

bool judge_releases(const struct judge *judge, const struct event *event) {
    const struct view *view = &judge->view;
    return event->late ? view->clients[event->client].late_releases
                       : view->clients[event->client].releases;
}

bool judge_changes_lock(const struct judge *judge, const struct event *event) {
    return event->kind == EVENT_RAN &&
           !judge_same_lock(&judge->lock, &event->lock);
}

// Does the command give the lock a new value? (follow_queue() answers that for
// a queue.)
static bool writes_lock(const struct judge *judge, const struct event *event) {
    bool made = event->lock.exists && !judge->lock.exists;

    return judge_changes_lock(judge, event) && event->lock.last <= 0 &&
           lock_state_new_value(&judge->lock, &event->lock) &&
           (made || acquires(judge, event));
}

bool judge_takes_lock(const struct judge *judge, const struct event *event) {
    return writes_lock(judge, event) && !event->together;
}

bool judge_changes_foreign(const struct judge *judge,
                           const struct event *event) {
    int owner = judge->view.owner;

    return judge_changes_lock(judge, event) &&
           !acquires(judge, event) && owner >= 0 &&
           owner != event->client && judge->view.clients[owner].inside[0];
}

// --- a lock that is made, or written over ------------------------------------

static void take(struct judge *judge, int actor) {
    struct view *view = &judge->view;

    if (judge->lock.exists && view->owner == actor)
        return;
    view->clients[actor].claim = ++view->entries;
    view->clients[actor].displaced =
        judge->lock.exists ? view->owner : NOBODY;
    view->owner = actor;
}

// Ends the doubt about a lock that this client's attempt has overwritten.
static void settle_owner(struct view *view, int actor, bool got_it) {
    int *displaced = &view->clients[actor].displaced;

    if (!got_it && view->owner == actor && *displaced != NOBODY)
        view->owner = *displaced;
    *displaced = NOBODY;
}

// (A command of the owner's, also of its watchdog, changes no owner.)
static void see_change(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int actor = event->client;

    view->clients[actor].late |= event->late;
    if (acquires(judge, event))
        view->clients[actor].changed |=
            !event->late &&
            (view->owner != actor || !view->clients[actor].inside[0]);
    if (judge_takes_lock(judge, event))
        take(judge, actor);
    else if (writes_lock(judge, event))
        view->owner = SOMEBODY;
    if (view->owner == actor && lock_state_gained(&judge->lock, &event->lock))
        view->clients[actor].gained_ns = event->time_ns;
}

// --- a lock that the server gives --------------------------------------------

static void give(struct view *view, int client) {
    view->owner = client;
    view->clients[client].displaced = NOBODY;
    view->clients[client].claim = ++view->entries;
}

// Has the client a known place in the queue?
static bool is_in_queue(const struct view *view, const struct event *event) {
    int place = view->clients[event->client].place;

    return place > 0 && place >= event->lock.first && place <= event->lock.last;
}

static void join_queue(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;

    if (event->kind != EVENT_RAN)
        return;
    if (event->together && acquires(judge, event)) {
        if (!is_in_queue(view, event))
            view->clients[event->client].place = ANY_PLACE;
    } else if (lock_state_joined(&judge->lock, &event->lock)) {
        for (int i = 0; i < judge->client_count; i++)
            if (view->clients[i].place >= event->lock.last)
                view->clients[i].place = 0; // in a queue that was removed
        view->clients[event->client].place = (short)event->lock.last;
    }
}

// The owner of a lock with a queue is the client at the first place. (A client
// joins at the last place, and is first when those before it have left.)
static void follow_queue(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;

    join_queue(judge, event);
    if (!lock_state_new_value(&judge->lock, &event->lock))
        return;
    view->owner = NOBODY;
    for (int i = 0; i < judge->client_count; i++)
        if (view->clients[i].place == ANY_PLACE)
            view->owner = SOMEBODY;
    for (int i = 0; i < judge->client_count; i++)
        if (view->clients[i].place == event->lock.first)
            give(view, i);
}

// Is the command part of the client's last release?
static bool releases_all(const struct judge *judge, const struct event *event) {
    return judge_releases(judge, event) &&
           (event->late || judge->view.clients[event->client].depth <= 1);
}

// Notes that the server has given the lock to a client that waits in it,
// because its holder has left or lost its connection. The answer to that
// client's command will show which one it is.
static void note_passed_on(struct judge *judge, const struct event *event) {
    bool may_pass = event->kind != EVENT_RAN ||
                    (judge->lock.exists && releases_all(judge, event));

    if (!event->lock.exists)
        judge->passed_on = false;
    else if (lock_state_new_value(&judge->lock, &event->lock))
        judge->passed_on = may_pass;
}

// Gives the lock to the client whose command the server has now answered. (A
// search shows no answer: another client has served it.)
static void see_passed_on(struct judge *judge, const struct event *event) {
    const struct message *answer = event->answer;

    if (!judge->passed_on || !event->waited || !acquires(judge, event) ||
        (answer && (answer->is_error || answer->grants_nothing)))
        return;
    judge->passed_on = false;
    give(&judge->view, event->client);
}

// --- evidence ----------------------------------------------------------------

// Notes whether the command can have changed a lock. On a server whose lock is
// not shown it can. A command that waited in the server has changed the lock
// together with the one before it, which let it through.
static void note_evidence(struct judge *judge, const struct event *event) {
    bool *changed = judge->view.clients[event->client].changed_lock;
    bool unseen = event->together || event->elsewhere;

    changed[0] |= unseen || event->gained ||
                  (event->waited && event->lock.exists) ||
                  lock_state_gained(&judge->lock, &event->lock);
    changed[1] |= unseen || (event->waited && event->second.exists) ||
                  lock_state_gained(&judge->second, &event->second);
}

bool judge_is_unproven(const struct judge *judge, const struct event *event) {
    const struct view *view = &judge->view;
    int lock = event->lock_number, client = event->client;

    return event->operation == OPERATION_ENTER && event->result == RESULT_OK &&
           !view->clients[client].inside[lock] && !judge->local &&
           !view->clients[client].changed_lock[lock];
}

bool judge_is_nested(const struct judge *judge, const struct event *event) {
    return event->depth > 1 && event->lock_number == 0 && !judge->strict;
}

// --- operations --------------------------------------------------------------

static void begin_operation(struct view *view, const struct event *event) {
    int client = event->client;

    if (event->lock_number > 0)
        return;
    // A handle that is opened anew does not know that the lock is its own.
    if (event->operation == OPERATION_REOPEN && view->owner == client)
        view->owner = SOMEBODY;
    view->clients[client].acquires = event->operation == OPERATION_ENTER;
    view->clients[client].releases = event->operation == OPERATION_LEAVE;
    view->clients[client].changed = false;
    view->clients[client].late = false;
    view->clients[client].depth = event->depth;
}

static void end_operation(struct view *view, const struct event *event) {
    int client = event->client;
    bool enters = event->operation == OPERATION_ENTER;
    bool leaves = event->operation == OPERATION_LEAVE;

    if ((enters || leaves) && event->result != RESULT_UNKNOWN)
        view->clients[client].changed_lock[event->lock_number] = false;
    if (event->lock_number > 0)
        return;
    if (enters && judge_is_definite(event->result))
        settle_owner(view, client, event->result == RESULT_OK);
    if (event->operation != OPERATION_HELD) {
        view->clients[client].acquires = false;
        view->clients[client].releases = false;
    }
    if ((enters || leaves) && event->depth == 0 &&
        view->clients[client].place == ANY_PLACE &&
        judge_is_definite(event->result))
        view->clients[client].place = 0; // it has left
}

static void follow_client(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int client = event->client;

    switch (event->kind) {
    case EVENT_ASKED:
        begin_operation(view, event);
        break;
    case EVENT_RAN:
        note_evidence(judge, event);
        if (judge_changes_lock(judge, event))
            see_change(judge, event);
        see_passed_on(judge, event);
        break;
    case EVENT_GAVE_UP:
        view->clients[client].late_acquires = view->clients[client].acquires;
        view->clients[client].late_releases = view->clients[client].releases;
        break;
    case EVENT_SLEEPS: // its attempt was refused; there will be another one
        if (event->lock_number > 0)
            break;
        settle_owner(view, client, false);
        view->clients[client].changed = false;
        break;
    case EVENT_RESULT:
        end_operation(view, event);
        break;
    default:
        break;
    }
}

void judge_follow_owner(struct judge *judge, const struct event *event) {
    if (event->client >= 0)
        follow_client(judge, event);
    else if (event->operated &&
             lock_state_new_value(&judge->lock, &event->lock))
        judge->view.owner = NOBODY; // an operator's
    if (event->lock.last > 0)
        follow_queue(judge, event);
    else
        note_passed_on(judge, event);
    judge->lock = event->lock;
    judge->second = event->second;
}
