// Told: a client's results are true.
//
// The result of a release is true. No result contradicts the server's answers:
// "error" needs a refused command, and "unknown" an unanswered one. Neither
// "busy" nor "error" comes from an attempt that has taken the lock. A client
// that was told "lost" does not say later that it still holds the lock. A
// client that has its lock, and was not hindered, does not say that the lock is
// lost. No client's process crashes. A story can ask for two more: this client
// must not say "lost"; that one must be told "lost".
#include "facts.h"
#include "property.h"
#include "verdict.h"

#include <string.h>

// --- news --------------------------------------------------------------------

static enum hearing hear(const struct message *answer) {
    return !answer || !answer->is_error ? HEARD_ANSWER
           : answer->misses_script      ? HEARD_NO_SCRIPT
                                        : HEARD_ERROR;
}

static void watch_hearing(struct told_view *view, const struct event *event) {
    switch (event->kind) {
    case EVENT_ASKED:
        view->hearing = HEARD_NOTHING;
        break;
    case EVENT_RAN:
        view->hearing |= hear(event->answer);
        break;
    case EVENT_CUT:
    case EVENT_GAVE_UP:
        view->hearing |= HEARD_LOSS;
        break;
    default:
        break;
    }
}

// Follows the connections on which a command has run without its answer.
static void watch_awaited(struct told *told, const struct event *event) {
    uint64_t here = UINT64_C(1) << (event->connection & 63);

    if (event->kind == EVENT_RAN)
        told->awaits |= here;
    if (event->kind == EVENT_ANSWER)
        told->awaits &= ~here;
}

const char *told_mistake(const struct judge *judge, const struct event *event) {
    unsigned hearing = judge->view.clients[event->client].told.hearing;

    if (event->lock_number > 0 || (event->operation != OPERATION_ENTER &&
                                   event->operation != OPERATION_LEAVE))
        return NULL;
    if (event->operation == OPERATION_LEAVE && event->result == RESULT_BUSY)
        return "\"busy\", which says nothing about a release.";
    if (event->result == RESULT_ERROR &&
        !(hearing & (HEARD_ERROR | HEARD_NO_SCRIPT)) &&
        hearing & (HEARD_ANSWER | HEARD_LOSS))
        return "\"error\", though the server has refused nothing.";
    if (event->result == RESULT_UNKNOWN && event->all_reachable &&
        (hearing & ~(unsigned)HEARD_NO_SCRIPT) == HEARD_ANSWER &&
        !event->pending)
        return "\"unknown\", though the server has answered all that it asked.";
    return NULL;
}

static void check_answer(struct judge *judge, const struct event *event) {
    const char *mistake = told_mistake(judge, event);

    if (mistake)
        judge_lose_beside(judge, PROPERTY_TOLD, event->client, "%s, and says %s",
                          event->operation == OPERATION_LEAVE
                              ? "releases" : "tries to get in",
                          mistake);
}

// --- a release ---------------------------------------------------------------

static enum release begin_release(const struct judge *judge, int client) {
    return judge_owns(judge, client)      ? RELEASE_OWN
           : judge_may_own(judge, client) ? RELEASE_DONE
                                          : RELEASE_NOT_OWN;
}

// Does the command give up the client's place in the queue?
static bool leaves_queue(const struct judge *judge, const struct event *event) {
    int place = judge->view.clients[event->client].place;

    return place == ANY_PLACE ||
           (place > 0 &&
            lock_state_may_have_left(&judge->lock, &event->lock, place));
}

// The release's effect after one more of its commands. (The effect of a command
// that ran together with others, or on a server whose lock is not shown, is not
// known.)
static enum release release_after(const struct judge *judge,
                                  const struct event *event) {
    enum release release = judge->view.clients[event->client].told.release;

    if (release == RELEASE_UNSEEN)
        release = begin_release(judge, event->client);
    if (release == RELEASE_OWN && !judge_owns(judge, event->client))
        release = RELEASE_DONE; // it has ended by itself meanwhile
    if (release == RELEASE_NOT_OWN && leaves_queue(judge, event))
        release = RELEASE_DONE;
    if (event->together || event->elsewhere)
        return RELEASE_DONE;
    if (release == RELEASE_OWN &&
        (!event->lock.exists ||
         strcmp(judge->lock.value, event->lock.value) != 0))
        return event->late ? RELEASE_DONE : RELEASE_ENDED;
    return release;
}

// (A late command of an attempt is no part of the release.)
static void see_command(struct judge *judge, const struct event *event) {
    const struct view *view = &judge->view;
    int client = event->client;
    struct told_view *told = &judge->view.clients[client].told;

    if (told->leaves && (!event->late || view->clients[client].late_releases))
        told->release = release_after(judge, event);
    if (judge->strict && view->clients[client].releases &&
        judge_changes_foreign(judge, event))
        told->release = RELEASE_FOREIGN;
    if (judge_takes_lock(judge, event) && event->late)
        judge->operations[client].told.had_it = true; // an earlier attempt did
}

// May the client know by itself that its lease is over? The client counts from
// its request, the server from a later time. (A search does not store the time
// of the request. It knows that no lease is over within the first one of a
// run.)
static bool may_know_of_end(const struct judge *judge, int client) {
    int64_t end_ns = judge->strict ? judge_usual_lease(judge, client)
                                   : judge->operations[client].told.end_ns;

    return !judge->view.renews && judge->now_ns >= end_ns - JUDGE_MARGIN;
}

// Does the lock end with the client's connection, which may be gone?
static bool may_have_no_connection(const struct judge *judge, int client) {
    return judge->lock.with_connection && !judge->view.clients[client].prompt;
}

// Must the client know that this very release has ended its lock? It must if
// nothing had hindered it. (If it lost an answer on the way, it may say
// "unknown". A search does not store the time before the release. It asks that
// no answer was lost. Of a lock that renews itself, it also asks that its
// client was prompt.)
static bool knows_of_end(const struct judge *judge, int client) {
    const struct view *view = &judge->view;
    unsigned hearing = view->clients[client].told.hearing;

    if (view->clients[client].told.release != RELEASE_ENDED)
        return false;
    if (judge->strict)
        return view->clients[client].prompt && view->renews &&
               hearing == HEARD_ANSWER && !judge_may_be_past(judge, client);
    return judge->now_ns < judge->operations[client].told.sure_until_ns &&
           !judge->operations[client].skewed &&
           !(hearing & (HEARD_ERROR | HEARD_TROUBLE));
}

// The time until which a client could be sure of its lock if it did not release
// now. A renewal without an answer makes it no surer. A lock that the server
// never ends may have a deadline by the client's clock, but none is over within
// the first lease of a run.
static int64_t sure_until(const struct judge *judge, int client) {
    if (!judge->view.clients[client].prompt || !judge->lock.exists ||
        judge->operations[client].told.awaits)
        return judge->now_ns;
    int64_t lease_ns = judge_usual_lease(judge, client);
    int64_t end_ns = judge->view.clients[client].gained_ns + lease_ns;
    if (judge->lock.ttl_ms < 0)
        end_ns = lease_ns;
    else if (judge->lock.ttl_ms < (end_ns - judge->now_ns) / MILLISECOND)
        end_ns = judge->now_ns + judge->lock.ttl_ms * MILLISECOND;
    return end_ns - JUDGE_MARGIN;
}

static void check_release(struct judge *judge, const struct event *event) {
    const struct view *view = &judge->view;
    int client = event->client;
    enum release release = view->clients[client].told.release;
    bool entrant = event->thread == view->clients[client].thread;
    bool own = judge_owns(judge, client);

    if (judge->local || event->elsewhere || event->depth > 0)
        return;
    if (release == RELEASE_UNSEEN)
        release = begin_release(judge, client);
    if (event->result == RESULT_OK && release == RELEASE_NOT_OWN)
        judge_lose_beside(judge, PROPERTY_TOLD, client,
                          "releases, is told \"ok\", and has released no lock of its own.");
    if (event->result == RESULT_OK && release == RELEASE_OWN && own &&
        !judge->strict) // count says it
        judge_lose_beside(judge, PROPERTY_TOLD, client,
                          "releases, is told \"ok\", and its lock is still there.");
    if (event->result != RESULT_LOST || !entrant)
        return;
    if (release == RELEASE_OWN && own && !judge_may_be_past(judge, client) &&
        !may_know_of_end(judge, client) &&
        !may_have_no_connection(judge, client))
        judge_lose_beside(judge, PROPERTY_TOLD, client,
                          "releases, is told \"lost\", and its lock is still there.");
    if (knows_of_end(judge, client))
        judge_lose_beside(judge, PROPERTY_TOLD, client,
                          "releases, is told \"lost\", and it had its lock.");
}

// Follows a release. One that ends without a definite answer goes on until it
// is repeated.
static void watch_release(struct judge *judge, const struct event *event) {
    int client = event->client;
    struct told_view *told = &judge->view.clients[client].told;
    bool answered = event->kind == EVENT_RESULT &&
                    event->operation == OPERATION_LEAVE &&
                    judge_is_definite(event->result);

    if (event->lock_number > 0)
        return;
    if (event->kind == EVENT_ASKED && event->operation == OPERATION_LEAVE) {
        judge->operations[client].told.sure_until_ns =
            sure_until(judge, client);
        told->leaves = true;
        if (told->release == RELEASE_ENDED)
            told->release = RELEASE_DONE;
    }
    if (answered)
        check_release(judge, event);
    if (answered || (event->kind == EVENT_ASKED && judge_is_attempt(event))) {
        told->leaves = false;
        told->release = RELEASE_UNSEEN;
    }
}

// --- an attempt --------------------------------------------------------------

// Checks the result of an attempt. After a nested "ok" that changed nothing the
// old hold must stand. After "busy" or "error" the attempt must not have taken
// the lock. (For a strict judge that is the property loser.)
static void check_attempt(struct judge *judge, const struct event *event) {
    int client = event->client;
    bool busy = event->result == RESULT_BUSY || event->result == RESULT_ERROR;

    if (judge_is_unproven(judge, event) && judge_is_nested(judge, event) &&
        !judge_may_own(judge, client))
        judge_lose_beside(judge, PROPERTY_TOLD, client,
                          "is told that it is inside once more, and does not have the "
                          "lock.");
    if (busy && judge->view.clients[client].changed && !judge->strict &&
        judge_owns(judge, client) && !judge->operations[client].told.had_it)
        judge_lose_beside(judge, PROPERTY_TOLD, client,
                          "tries to get in, is told \"%s\", and the lock is its own.",
                          result_word(event->result));
}

// Notes the first command of an attempt. A client that waits begins its next
// attempt with its first command after the wait.
static void see_attempt(struct told *told, const struct event *event) {
    if (event->kind == EVENT_ASKED || event->kind == EVENT_SLEEPS ||
        event->kind == EVENT_WAITS)
        told->sent_ns = -1;
    if (event->kind == EVENT_REQUEST && told->sent_ns < 0)
        told->sent_ns = event->time_ns;
}

static void end_operation(struct judge *judge, const struct event *event) {
    struct told *told = &judge->operations[event->client].told;
    int64_t gained_ns = judge->view.clients[event->client].gained_ns;
    bool ok = event->operation == OPERATION_ENTER && event->result == RESULT_OK;
    bool first = ok && event->depth == 1;
    bool sent = told->sent_ns >= 0;

    told->late = first && sent &&
                 event->time_ns >= told->sent_ns + told->lease_ns;
    told->in_ns = event->time_ns;
    told->thread = event->thread;
    // A nested one may have given the lock a new lease.
    if (first || (ok && sent && gained_ns >= told->sent_ns))
        told->end_ns = told->sent_ns + told->lease_ns;
}

// A client must not be told "ok" when it knows, at the same instant, that its
// whole lease has passed on the way. (If it asks a server in between, or
// anything else happens, it did not know. A search does not store these times,
// and does not check this.)
static void check_grant(struct judge *judge, const struct event *event) {
    struct told *told = &judge->operations[event->client].told;

    see_attempt(told, event);
    if (event->kind == EVENT_RAN || event->kind == EVENT_CUT ||
        event->kind == EVENT_GAVE_UP || event->kind == EVENT_ISOLATED ||
        event->kind == EVENT_SKEWED)
        told->late = false;
    if (event->kind != EVENT_RESULT || event->lock_number > 0)
        return;
    if (event->operation != OPERATION_HELD)
        end_operation(judge, event);
    else if (event->result == RESULT_LOST && !judge->strict && told->late &&
             told->thread == event->thread && told->in_ns == event->time_ns)
        judge_lose_beside(judge, PROPERTY_TOLD, event->client,
                          "is told \"ok\", and knows at the same instant that it does not "
                          "have the lock.");
}

// --- a client that asks itself, or writes ------------------------------------

static const char false_alarm[] =
    "says that its lock is lost, and it still has it.";

// Does the client's lock stand, and can the client know it?
static bool knows_its_lease(const struct judge *judge, int client) {
    return judge_owns(judge, client) && judge_is_in_time(judge, client);
}

// A client that knows that its lock is lost need not write. But a client that
// is inside, was never hindered, and has its lock for seconds to come, cannot
// know that.
static void check_unwritten(struct judge *judge, const struct event *event) {
    const struct view *view = &judge->view;
    int client = event->client;
    bool *denied = &judge->operations[client].told.denied;

    if (event->kind == EVENT_ASKED)
        *denied = !view->clients[client].inside[0];
    if (event->kind == EVENT_RAN && event->write == WRITE_REFUSED)
        *denied = true;
    if (event->kind == EVENT_RESULT && event->operation == OPERATION_WRITE &&
        event->result == RESULT_LOST && !judge->strict && !*denied &&
        event->thread == view->clients[client].thread &&
        knows_its_lease(judge, client))
        judge_lose_beside(judge, PROPERTY_TOLD, client,
                          "is to write, says that its lock is lost, and has it.");
}

// Was a client told "lost" while it was inside? (After an inner release the outer
// function is still inside.)
static bool hears_of_loss(const struct view *view, const struct event *event) {
    int depth = view->clients[event->client].depth; // before the operation

    return event->result == RESULT_LOST &&
           depth > (event->operation == OPERATION_LEAVE);
}

// Checks each answer of a client to the question whether it still holds the
// lock, between its entry and its last release.
static void check_belief(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int client = event->client;
    bool *told_lost = &view->clients[client].told.told_lost;

    if (event->lock_number > 0 ||
        event->thread != view->clients[client].thread)
        return;
    if (event->kind == EVENT_ASKED && event->operation == OPERATION_LEAVE)
        *told_lost = false;
    if (event->kind != EVENT_RESULT)
        return;
    if (event->operation == OPERATION_HELD && event->result == RESULT_LOST &&
        judge_count_inside(judge, 0) == 0 && knows_its_lease(judge, client))
        judge_lose_beside(judge, PROPERTY_TOLD, client, "%s", false_alarm);
    if (event->operation == OPERATION_HELD && event->result == RESULT_OK &&
        *told_lost)
        judge_lose_beside(judge, PROPERTY_TOLD, client,
                          "was told that its lock is lost, and says that it still holds "
                          "it.");
    if (hears_of_loss(view, event))
        *told_lost = true;
    else if (event->operation == OPERATION_ENTER && event->result == RESULT_OK)
        *told_lost = false;
}

// --- all of it ---------------------------------------------------------------

static void before(struct judge *judge, const struct event *event) {
    if (event->client < 0)
        return;
    if (event->kind == EVENT_RAN)
        see_command(judge, event);
    watch_release(judge, event);
    if (event->kind == EVENT_ASKED && judge_is_attempt(event))
        judge->operations[event->client].told.lease_ns =
            event->ns > 0 ? event->ns : judge_usual_lease(judge, event->client);
    if (event->kind == EVENT_RESULT && judge_is_attempt(event))
        check_attempt(judge, event);
}

static void touch_server(struct judge *judge, const struct event *event) {
    for (int i = 0; i < judge->client_count; i++) {
        judge->operations[i].told.late = false;
        if (!judge_skews_server(event))
            judge->view.clients[i].told.hearing |= HEARD_TROUBLE;
    }
}

static void after(struct judge *judge, const struct event *event) {
    int client = event->client;

    if (event->kind == EVENT_SERVER)
        touch_server(judge, event);
    if (client < 0)
        return;
    struct told *told = &judge->operations[client].told;
    if (event->kind == EVENT_ASKED)
        told->had_it = judge_may_own(judge, client);
    watch_hearing(&judge->view.clients[client].told, event);
    if (event->kind == EVENT_RESULT)
        check_answer(judge, event);
    if (event->kind == EVENT_CRASHED) {
        judge->crashed = judge->over = true;
        judge_find(judge,
                   (struct lost_property){PROPERTY_TOLD, client, NOBODY, 0, 0},
                   "%s's process crashes (%s).", judge->names[client],
                   event->text);
    }
    watch_awaited(told, event);
    check_grant(judge, event);
    check_unwritten(judge, event);
    check_belief(judge, event);
}

const struct property_row property_told = {
    .property = PROPERTY_TOLD, .before = before, .after = after};

void judge_require_belief(struct judge *judge, int client) {
    if (judge_owns(judge, client) && !judge->view.clients[client].believes)
        judge_lose(judge, PROPERTY_TOLD, client, "%s", false_alarm);
}

void judge_require_told_lost(struct judge *judge, int client) {
    enum result result = judge->operations[client].result;

    if (result != RESULT_LOST)
        judge_find(judge,
                   (struct lost_property){PROPERTY_TOLD, client, NOBODY, 0, 0},
                   "%s's lock is lost, and %s is told \"%s\".",
                   judge->names[client], judge->names[client],
                   result_word(result));
}
