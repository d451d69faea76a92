// What a lock promises to each client, whatever the story is about: a healthy
// holder keeps its lock, an answer is true, and what a dead client left is soon
// out of the way. judge.h has the definitions.
#include "judge_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// --- beside the story --------------------------------------------------------

static void note(const struct judge *judge, struct deferred *found,
                 struct lost_property lost, const char *sentence) {
    if (*found->sentence)
        return;
    found->lost = lost;
    found->lost.at = judge->watched > 0 ? judge->watched - 1 : 0;
    snprintf(found->sentence, sizeof found->sentence, "%s", sentence);
}

void judge_find_beside(struct judge *judge, struct lost_property lost,
                       const char *sentence) {
    if (judge->strict) {
        judge_find(judge, lost, sentence);
        return;
    }
    note(judge, &judge->beside, lost, sentence);
    if (lost.property == PROPERTY_TOLD || lost.property == PROPERTY_KEPT)
        note(judge, &judge->untrue, lost, sentence);
}

void judge_count_beside(struct judge *judge) {
    const struct deferred *found =
        judge->verdict == VERDICT_HOLDS           ? &judge->beside
        : judge->verdict == VERDICT_CANNOT_HAPPEN ? &judge->untrue
                                                  : NULL;

    if (!found || !*found->sentence)
        return;
    judge->found |= 1u << found->lost.property;
    judge->lost = found->lost;
    judge->verdict = VERDICT_BROKEN;
    memcpy(judge->sentence, found->sentence, sizeof judge->sentence);
}

void judge_lose(struct judge *judge, enum property property, int client,
                const char *format, ...) {
    char sentence[sizeof judge->sentence];
    size_t length = (size_t)snprintf(sentence, sizeof sentence, "%s ",
                                     judge_name(judge, client));
    va_list args;

    va_start(args, format);
    vsnprintf(sentence + length, sizeof sentence - length, format, args);
    va_end(args);
    judge_find_beside(judge,
                      (struct lost_property){property, client,
                                             judge->view.owner, 0, 0},
                      sentence);
}

// --- who renews --------------------------------------------------------------

// Somebody's watchdog has renewed, or waits until it has to.
static void see_renewal(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int client = event->client;

    if (event->kind == EVENT_RAN && !view->clients[client].busy &&
        !event->late && view->clients[client].inside[0] &&
        judge_owns(judge, client) &&
        lock_state_gained(&judge->lock, &event->lock))
        view->renews = true;
    if (event->kind == EVENT_RESULT && event->operation == OPERATION_ENTER &&
        event->result == RESULT_OK && event->waits)
        view->renews = true;
}

// --- told --------------------------------------------------------------------

static enum release begin_release(const struct judge *judge, int client) {
    return judge_owns(judge, client)      ? RELEASE_OWN
           : judge_may_own(judge, client) ? RELEASE_DONE
                                          : RELEASE_NOT_OWN;
}

// Does it give up its place in the queue?
static bool leaves_queue(const struct judge *judge, const struct event *event) {
    int place = judge->view.clients[event->client].place;

    return place == ANY_PLACE ||
           (place > 0 &&
            lock_state_may_have_left(&judge->lock, &event->lock, place));
}

// A command of a release has run. What it did where others ran with it, or on a
// server whose lock is not shown, nobody can say.
static void see_release(struct judge *judge, const struct event *event) {
    enum release *release = &judge->view.clients[event->client].release;

    if (*release == RELEASE_UNSEEN)
        *release = begin_release(judge, event->client);
    if (*release == RELEASE_OWN && !judge_owns(judge, event->client))
        *release = RELEASE_DONE; // it has ended by itself meanwhile
    if (*release == RELEASE_NOT_OWN && leaves_queue(judge, event))
        *release = RELEASE_DONE;
    bool ends = *release == RELEASE_OWN &&
                (!event->lock.exists ||
                 strcmp(judge->lock.value, event->lock.value) != 0);
    if (event->together || event->elsewhere)
        *release = RELEASE_DONE;
    else if (ends)
        *release = event->late ? RELEASE_DONE : RELEASE_ENDED;
}

// --- the end of a hold -------------------------------------------------------

// A lock that nobody renews: who counts from when it asked may know by itself
// that its lease is over, though the server has counted from a later time. (A
// search has no room for when that was. Before the first lease of a run can be
// over, none is.)
static bool may_know_of_end(const struct judge *judge, int client) {
    int64_t end_ns = judge->strict ? judge_usual_lease(judge, client)
                                   : judge->operations[client].grant.end_ns;

    return !judge->view.renews && judge->now_ns >= end_ns - JUDGE_MARGIN;
}

// It may have lost its connection, or closed it, and its lock ends with that.
static bool may_have_no_connection(const struct judge *judge, int client) {
    return judge->lock.with_connection && !judge->view.clients[client].prompt;
}

// The lock was a client's that nothing had hindered, and this very release has
// ended it. If it has lost an answer on its way there, it does not know that,
// and may say "unknown". (A search has no room for what was before the release:
// it asks that nothing was lost. And whether something has hindered a client,
// it only knows of a lock that renews itself.)
static bool knows_of_end(const struct judge *judge, int client) {
    const struct view *view = &judge->view;

    if (view->clients[client].release != RELEASE_ENDED)
        return false;
    if (judge->strict)
        return view->clients[client].prompt && view->renews &&
               view->clients[client].hearing == HEARD_ANSWER &&
               !judge_may_be_past(judge, client);
    return judge->now_ns < judge->operations[client].sure_until_ns &&
           !judge->operations[client].skewed &&
           !(view->clients[client].hearing & (HEARD_ERROR | HEARD_TROUBLE));
}

// A release begins. Until when could its client be sure of its lock, if it did
// not release? A renewal that has no answer yet tells it nothing. A lock that
// the server does not end may have a deadline, by the client's clock; in the
// first lease of a run none is over.
static int64_t sure_until(const struct judge *judge, int client) {
    if (!judge->view.clients[client].prompt || !judge->lock.exists ||
        judge->operations[client].awaits)
        return judge->now_ns;
    int64_t lease_ns = judge_usual_lease(judge, client);
    int64_t end_ns = judge->view.clients[client].gained_ns + lease_ns;
    if (judge->lock.ttl_ms < 0)
        end_ns = lease_ns;
    else if (judge->lock.ttl_ms < (end_ns - judge->now_ns) / MILLISECOND)
        end_ns = judge->now_ns + judge->lock.ttl_ms * MILLISECOND;
    return end_ns - JUDGE_MARGIN;
}

// A release has ended: is the answer true?
static void check_release(struct judge *judge, const struct event *event) {
    const struct view *view = &judge->view;
    int client = event->client;
    enum release release = view->clients[client].release;
    bool own = judge_owns(judge, client);

    if (judge->local || event->elsewhere || event->depth > 0)
        return;
    if (release == RELEASE_UNSEEN)
        release = begin_release(judge, client);
    if (event->result == RESULT_OK && release == RELEASE_NOT_OWN)
        judge_lose(judge, PROPERTY_TOLD, client,
                   "releases, is told \"ok\", and has released no lock of its own.");
    if (event->result == RESULT_OK && release == RELEASE_OWN && own &&
        !judge->strict) // count says it
        judge_lose(judge, PROPERTY_TOLD, client,
                   "releases, is told \"ok\", and its lock is still there.");
    if (event->result == RESULT_LOST && release == RELEASE_OWN && own &&
        !judge_may_be_past(judge, client) && !may_know_of_end(judge, client) &&
        !may_have_no_connection(judge, client) &&
        event->thread == view->clients[client].thread)
        judge_lose(judge, PROPERTY_TOLD, client,
                   "releases, is told \"lost\", and its lock is still there.");
    if (event->result == RESULT_LOST && knows_of_end(judge, client) &&
        event->thread == view->clients[client].thread)
        judge_lose(judge, PROPERTY_TOLD, client,
                   "releases, is told \"lost\", and it had its lock.");
}

// What is wrong with it; NULL: nothing.
static const char *wrong_answer(const struct judge *judge,
                                const struct event *event) {
    unsigned hearing = judge->view.clients[event->client].hearing;

    if (event->operation == OPERATION_LEAVE && event->result == RESULT_BUSY)
        return "\"busy\", which says nothing about a release.";
    if (event->result == RESULT_ERROR &&
        !(hearing & (HEARD_ERROR | HEARD_NOSCRIPT)) &&
        hearing & (HEARD_ANSWER | HEARD_LOSS))
        return "\"error\", though the server has refused nothing.";
    if (event->result == RESULT_UNKNOWN && event->all_reachable &&
        (hearing & ~(unsigned)HEARD_NOSCRIPT) == HEARD_ANSWER &&
        !event->pending)
        return "\"unknown\", though the server has answered all that it asked.";
    return NULL;
}

bool judge_finds_no_answer(struct judge *judge, const struct event *event) {
    const char *wrong = wrong_answer(judge, event);

    if (!wrong || event->lock_number > 0 ||
        (event->operation != OPERATION_ENTER &&
         event->operation != OPERATION_LEAVE))
        return false;
    judge_lose(judge, PROPERTY_TOLD, event->client, "%s, and says %s",
               event->operation == OPERATION_LEAVE ? "releases" : "tries to get in",
               wrong);
    return true;
}

// A release that ends without an answer goes on until it is repeated.
static void watch_release(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int client = event->client;

    // A late command of an attempt is no part of the release.
    bool others = event->late && !view->clients[client].late_releases;
    if (event->kind == EVENT_RAN && view->clients[client].leaves && !others)
        see_release(judge, event);
    if (event->lock_number > 0)
        return;
    if (event->kind == EVENT_ASKED && event->operation == OPERATION_LEAVE) {
        judge->operations[client].sure_until_ns = sure_until(judge, client);
        view->clients[client].leaves = true;
        if (view->clients[client].release == RELEASE_ENDED)
            view->clients[client].release = RELEASE_DONE;
    }
    bool answered = event->kind == EVENT_RESULT &&
                    event->operation == OPERATION_LEAVE &&
                    judge_is_definite(event->result);
    if (answered)
        check_release(judge, event);
    if (answered ||
        (event->kind == EVENT_ASKED && event->operation == OPERATION_ENTER)) {
        view->clients[client].leaves = false;
        view->clients[client].release = RELEASE_UNSEEN;
    }
}

// Was a client that was inside told that its lock is lost? An inner release
// leaves the outer function inside, until that releases as well.
static bool hears_of_loss(const struct view *view, const struct event *event) {
    int depth = view->clients[event->client].depth; // before the operation

    return event->result == RESULT_LOST &&
           depth > (event->operation == OPERATION_LEAVE);
}

static const char false_alarm[] =
    "says that its lock is lost, and it still has it.";

// Does its lock stand, and can the client know it?
static bool knows_its_lease(const struct judge *judge, int client) {
    return judge_owns(judge, client) && judge_has_time_left(judge, client);
}

// An attempt begins with its first command. The next one of a client that waits
// begins with what it sends after its wait.
static void see_attempt(struct judge *judge, const struct event *event) {
    struct grant *grant = &judge->operations[event->client].grant;

    if (event->kind == EVENT_ASKED || event->kind == EVENT_SLEEPS ||
        event->kind == EVENT_WAITS)
        grant->sent_ns = -1;
    if (event->kind == EVENT_REQUEST && grant->sent_ns < 0)
        grant->sent_ns = event->time_ns;
}

// Has its attempt given the lock a new lease? It may be a nested one.
static bool has_prolonged(const struct judge *judge, int client) {
    int64_t sent_ns = judge->operations[client].grant.sent_ns;

    return sent_ns >= 0 && judge->view.clients[client].gained_ns >= sent_ns;
}

// Who was let in when its whole lease had passed on the way knows at that
// instant that it does not have the lock. (If it asks a server first, or
// something happens first, it did not know before. A search does not ask for
// all that: it has no room for when that was.)
static void check_grant(struct judge *judge, const struct event *event) {
    struct grant *grant = &judge->operations[event->client].grant;

    see_attempt(judge, event);
    if (event->kind == EVENT_RAN || event->kind == EVENT_CUT ||
        event->kind == EVENT_GAVE_UP || event->kind == EVENT_ISOLATED ||
        event->kind == EVENT_SKEWED)
        grant->ok_ns = -1;
    if (event->kind != EVENT_RESULT || event->lock_number > 0)
        return;
    if (event->operation != OPERATION_HELD) {
        bool late = grant->sent_ns >= 0 &&
                    event->time_ns >= grant->sent_ns + grant->lease_ns;
        bool ok = event->operation == OPERATION_ENTER &&
                  event->result == RESULT_OK;
        bool first = ok && event->depth == 1;
        grant->ok_ns = first && late ? event->time_ns : -1;
        if (first || (ok && has_prolonged(judge, event->client)))
            grant->end_ns = grant->sent_ns + grant->lease_ns;
        grant->thread = event->thread;
    } else if (event->result == RESULT_LOST && !judge->strict &&
               grant->thread == event->thread &&
               grant->ok_ns == event->time_ns)
        judge_lose(judge, PROPERTY_TOLD, event->client,
                   "is told \"ok\", and knows at the same instant that it does not "
                   "have the lock.");
}

// A client may know by itself that its lock is lost, and not write. But if it
// is inside, was never hindered, and has its lock for seconds to come, nothing
// can have told it so.
static void check_unwritten(struct judge *judge, const struct event *event) {
    const struct view *view = &judge->view;
    int client = event->client;

    if (event->kind == EVENT_ASKED)
        judge->operations[client].denied = !view->clients[client].inside[0];
    if (event->kind == EVENT_RAN && event->write == WRITE_REFUSED)
        judge->operations[client].denied = true;
    if (event->kind == EVENT_RESULT && event->operation == OPERATION_WRITE &&
        event->result == RESULT_LOST && !judge->strict &&
        !judge->operations[client].denied &&
        event->thread == view->clients[client].thread &&
        knows_its_lease(judge, client))
        judge_lose(judge, PROPERTY_TOLD, client,
                   "is to write, says that its lock is lost, and has it.");
}

// Between getting in and the last release a client may ask itself again and
// again.
static void check_belief(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int client = event->client;
    bool *told_lost = &view->clients[client].told_lost;

    if (event->lock_number > 0 ||
        event->thread != view->clients[client].thread)
        return;
    if (event->kind == EVENT_ASKED && event->operation == OPERATION_LEAVE)
        *told_lost = false;
    if (event->kind != EVENT_RESULT)
        return;
    // By saying so it is no longer inside.
    if (event->operation == OPERATION_HELD && event->result == RESULT_LOST &&
        judge_count_inside(judge, 0) == 0 && knows_its_lease(judge, client))
        judge_lose(judge, PROPERTY_TOLD, client, "%s", false_alarm);
    if (event->operation == OPERATION_HELD && event->result == RESULT_OK &&
        *told_lost)
        judge_lose(judge, PROPERTY_TOLD, client,
                   "was told that its lock is lost, and says that it still holds "
                   "it.");
    if (hears_of_loss(view, event))
        *told_lost = true;
    else if (event->operation == OPERATION_ENTER && event->result == RESULT_OK)
        *told_lost = false;
}

static void check_crash(struct judge *judge, const struct event *event) {
    char sentence[sizeof judge->sentence];
    int client = event->client;

    snprintf(sentence, sizeof sentence, "%s's process crashes (%s).",
             judge_name(judge, client), event->text);
    judge->crashed = true;
    judge_find(judge,
               (struct lost_property){PROPERTY_TOLD, client, NOBODY, 0, 0},
               sentence);
}

void judge_require_belief(struct judge *judge, int client) {
    char sentence[sizeof judge->sentence];

    snprintf(sentence, sizeof sentence, "%s %s", judge_name(judge, client),
             false_alarm);
    if (judge_owns(judge, client) && !judge->view.clients[client].believes)
        judge_find(judge,
                   (struct lost_property){PROPERTY_TOLD, client, NOBODY, 0, 0},
                   sentence);
}

// --- leak --------------------------------------------------------------------

void judge_count_connections(struct judge *judge, int client, int open) {
    judge->operations[client].counted = true;
    judge->operations[client].open = open;
}

bool judge_require_no_more(struct judge *judge, int client, int open) {
    char sentence[sizeof judge->sentence];
    bool counted = judge->operations[client].counted;
    int before = judge->operations[client].open;

    snprintf(sentence, sizeof sentence,
             "%s has %d connections open, and had %d when they were counted.",
             judge_name(judge, client), open, before);
    if (counted && open > before)
        judge_find(judge,
                   (struct lost_property){PROPERTY_LEAK, client, NOBODY, 0, 0},
                   sentence);
    return counted;
}

// --- kept --------------------------------------------------------------------

// Was the client's lock taken by what another property is about?
static bool is_other_loss(const struct judge *judge, const struct event *event,
                          int client) {
    const struct view *view = &judge->view;

    if (event->kind != EVENT_RAN)
        return false;
    return event->client == client
               ? judge->strict && view->clients[client].releases // count
               : !view->clients[event->client].acquires; // foreign
}

static void check_kept(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;

    for (int i = 0; i < judge->client_count; i++) {
        int owner = judge->lock.exists ? view->owner : NOBODY;
        if (!view->renews || !view->clients[i].inside[0] ||
            !view->clients[i].prompt || judge_may_own(judge, i))
            continue;
        view->clients[i].prompt = false;
        if (is_other_loss(judge, event, i))
            continue;
        if (owner == NOBODY)
            judge_lose(judge, PROPERTY_KEPT, i,
                       "no longer has its lock, though it is inside and was never late.");
        else
            judge_lose(judge, PROPERTY_KEPT, i,
                       "no longer has its lock, though it is inside and was never late: "
                       "it is %s's.",
                       judge_name(judge, owner));
    }
}

static void hear_prompt(struct view *view, const struct event *event) {
    int client = event->client;
    bool *prompt = &view->clients[client].prompt;

    if (event->lock_number > 0 || (event->operation != OPERATION_ENTER &&
                                   event->operation != OPERATION_LEAVE))
        return;
    if (event->kind == EVENT_RESULT) {
        view->clients[client].unsure = !judge_is_definite(event->result);
        // A lease that it has asked for ends when it said.
        if (!view->clients[client].inside[0] || event->elsewhere ||
            (event->operation == OPERATION_ENTER && event->ns > 0))
            *prompt = false;
        else if (event->operation == OPERATION_ENTER &&
                 event->result == RESULT_OK)
            view->clients[client].thread = event->thread;
    } else if (event->operation == OPERATION_ENTER &&
               !view->clients[client].inside[0]) {
        *prompt = !view->clients[client].unsure;
    }
}

// What has it done that it has not heard of?
static void watch_awaited(struct judge *judge, const struct event *event) {
    uint64_t *awaits = &judge->operations[event->client].awaits;
    uint64_t here = UINT64_C(1) << (event->connection & 63);

    if (event->kind == EVENT_RAN)
        *awaits |= here;
    if (event->kind == EVENT_ANSWER)
        *awaits &= ~here;
}

static void watch_prompt(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int client = event->client;

    switch (event->kind) {
    case EVENT_ASKED:
    case EVENT_RESULT:
        hear_prompt(view, event);
        break;
    case EVENT_ANSWER:
        view->clients[client].prompt &= !event->answer->is_error;
        break;
    case EVENT_REFUSED:
    case EVENT_CUT:
    case EVENT_GAVE_UP:
    case EVENT_ISOLATED:
    case EVENT_SKEWED:
    case EVENT_STOPPED:
    case EVENT_HUNG:
    case EVENT_KILLED:
    case EVENT_CRASHED:
        view->clients[client].prompt = false;
        break;
    case EVENT_CLOCK:
    case EVENT_SERVER:
        for (int i = 0; i < judge->client_count; i++)
            if (event->kind == EVENT_SERVER || event->delayed & 1u << i)
                view->clients[i].prompt = false;
        break;
    default:
        break;
    }
}

// --- bounded -----------------------------------------------------------------

// Is there a lock that a dead client has left, and should be out of the way?
static bool is_overdue(const struct judge *judge, int64_t now_ns) {
    const struct view *view = &judge->view;
    int owner = view->owner;

    if (owner < 0 || view->skewed || !view->clients[owner].dead ||
        !judge_owns(judge, owner))
        return false;
    int64_t lease_ns = judge_longest_lease(judge, owner);
    int64_t usual_ns = judge_usual_lease(judge, owner);
    return now_ns >= view->clients[owner].sign_ns + SECOND +
                         (lease_ns > usual_ns ? lease_ns : usual_ns);
}

// What a dead client may keep out for a lease after its last command, a living
// one may, too.
int judge_rightful_holder(const struct judge *judge, int client) {
    const struct view *view = &judge->view;
    int owner = view->owner;

    if ((view->clients[client].got_in && !view->clients[client].waits) ||
        judge->operations[client].lock > 0 || owner < 0 || owner == client ||
        !view->clients[owner].inside[0] || !judge_owns(judge, owner))
        return NOBODY;
    int64_t end_ns = view->clients[owner].sign_ns +
                     judge_longest_lease(judge, owner);
    return judge->now_ns < end_ns ? owner : NOBODY;
}

static void check_bounded(struct judge *judge, const struct event *event) {
    struct view *view = &judge->view;
    int client = event->client;
    bool attempt = event->lock_number == 0 &&
                   event->operation == OPERATION_ENTER;

    if (event->kind == EVENT_RAN)
        view->clients[client].sign_ns = event->time_ns;
    if (event_ends_client(event->kind))
        view->clients[client].dead = true;
    if (event->kind == EVENT_SERVER && event->choice &&
        event->choice->kind == CHOOSE_SKEW_SERVER)
        view->skewed = true;
    if (event->kind == EVENT_ASKED && attempt)
        view->clients[client].overdue = is_overdue(judge, event->time_ns);
    if (event->kind != EVENT_RESULT || !attempt)
        return;
    if (view->clients[client].overdue && is_overdue(judge, event->time_ns) &&
        (event->result == RESULT_BUSY || event->result == RESULT_LOST))
        judge_lose(judge, PROPERTY_BOUNDED, client,
                   "cannot get in: the lock of %s, who was killed, is still in the "
                   "way more than a lease after its last command.",
                   judge_name(judge, view->owner));
    view->clients[client].overdue = false;
}

void judge_watch_promises(struct judge *judge, const struct event *event) {
    watch_prompt(judge, event);
    check_bounded(judge, event);
    if (event->kind == EVENT_CRASHED)
        check_crash(judge, event);
    if (event->client >= 0) {
        watch_awaited(judge, event);
        check_grant(judge, event);
        check_unwritten(judge, event);
        check_belief(judge, event);
    }
    check_kept(judge, event);
}

void judge_watch_deeds(struct judge *judge, const struct event *event) {
    see_renewal(judge, event);
    watch_release(judge, event);
}
