#include "describe.h"

#include "base/units.h"
#include "lab/search/snapshot.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char names[] = "ABCD";

static void say(char words[WORDS_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(char words[WORDS_SIZE], const char *format, ...) {
    size_t used = strlen(words);
    va_list args;

    va_start(args, format);
    vsnprintf(words + used, WORDS_SIZE - used, format, args);
    va_end(args);
}

// --- moves -------------------------------------------------------------------

static void say_ask(char words[WORDS_SIZE], const struct position *position,
                    const struct bounds *bounds, const struct move *move) {
    const struct seat *seat = &position->seats[move->client];
    bool fresh = move->client == bounds->clients;

    say(words, "%c", names[move->client]);
    switch (move->operation) {
    case OPERATION_ENTER:
        if (move->ns > 0)
            say(words, " waits for the lock, for at most %lld s",
                (long long)(move->ns / SECOND));
        else
            say(words, "%s asks to enter%s", fresh ? ", somebody new," : "",
                seat->depth > 0 ? " again" : "");
        break;
    case OPERATION_LEAVE:
        say(words, "%s asks to leave",
            seat->depth > 0 ? "" : ", who is not inside,");
        break;
    case OPERATION_HELD:
        say(words, " is asked whether it still has the lock");
        break;
    case OPERATION_WRITE:
    case OPERATION_WRITE_APART:
        say(words, " writes");
        break;
    case OPERATION_REOPEN:
        say(words, " closes its lock and opens it anew");
        break;
    }
}

static void say_time(char words[WORDS_SIZE], const struct position *position,
                     int64_t ns) {
    int64_t ms = (position->now_ns + ns) / MILLISECOND;
    const char *before = ": ";

    say(words, "time passes to %lld.%03d", (long long)(ms / 1000),
        (int)(ms % 1000));
    if (snapshot_next_end_ns(position->content) == ns) {
        say(words, "%sthe lease ends", before);
        before = ", ";
    }
    for (int i = 0; i < POSITION_CLIENTS; i++) {
        const struct seat *seat = &position->seats[i];
        int64_t end_ns = position->now_ns + ns;
        if (seat->life == DEAD ||
            (seat->wait_ns != end_ns &&
             (!seat->blocked || seat->blocked_ns != end_ns)))
            continue;
        if (seat->wait_ns == end_ns)
            say(words, "%s%c's %s", before, names[i],
                position->view.clients[i].waits ? "sleep ends"
                                                : "timer is due");
        else
            say(words, "%sthe server's wait for %c ends", before, names[i]);
        before = ", ";
    }
}

// The connection's number, if the client has used more than one.
static void say_connection(char words[WORDS_SIZE], const struct seat *seat,
                           int connection) {
    int busy = 0;

    for (int c = 0; c < POSITION_CONNECTIONS; c++)
        busy += seat->connection[c].stage != STAGE_QUIET;
    if (busy > 1)
        say(words, " (connection %d)", connection);
}

// In a search a script's name has a number made of its text:
// "release#7956666771192633161". A trace shows the name alone.
static void say_message(char words[WORDS_SIZE], const char *message) {
    enum { LEAST_DIGITS = 12 };

    while (*message) {
        size_t plain = strcspn(message, "#");
        size_t digits = message[plain]
                            ? strspn(message + plain + 1, "0123456789")
                            : 0;
        size_t next = plain + (message[plain] ? 1 + digits : 0);
        say(words, "%.*s", (int)(digits < LEAST_DIGITS ? next : plain),
            message);
        message += next;
    }
}

// The request or the pushed message on a connection: ": GET lock".
static void say_carried(char words[WORDS_SIZE], const struct seat *seat,
                        int c, bool message) {
    const char *carried = text_words(
        message ? seat->connection[c].message
        : seat->connection[c].stage == STAGE_ANSWERED
            ? seat->connection[c].answer
            : seat->connection[c].request);

    if (!*carried)
        return;
    // Of several masters, a request begins with the number of one: "2> ".
    bool numbered = carried[0] >= '1' && carried[0] <= '9' && carried[1] == '>';
    say(words, ": ");
    say_message(words, numbered ? carried + 3 : carried);
}

// "the server"; of several, "server 2".
static void say_server(char words[WORDS_SIZE], const struct bounds *bounds,
                       int server) {
    if (bounds->masters > 1)
        say(words, "server %d", server + 1);
    else
        say(words, "the server");
}

// The loss that a connection takes with it before an answer is on its way.
static const char *cut_words(enum stage stage) {
    switch (stage) {
    case STAGE_HELD:    return "and its command is lost";
    case STAGE_BLOCKED: return "and the server forgets its command";
    default:            return "and no message comes there any more";
    }
}

static void say_wire(char words[WORDS_SIZE], const struct position *position,
                     const struct bounds *bounds, const struct move *move) {
    const struct seat *seat = &position->seats[move->client];
    int c = move->connection - 1;
    enum stage stage = (enum stage)seat->connection[c].stage;
    bool message = seat->connection[c].messages > 0 &&
                   stage != STAGE_ANSWERED && move->kind != MOVE_FORWARD;
    char server[WORDS_SIZE] = "";
    char of[WORDS_SIZE] = ""; // of several: " (server 2)"

    say_server(server, bounds, request_server(seat->connection[c].request));
    if (bounds->masters > 1)
        say(of, " (%s)", server);
    say(words, "%c", names[move->client]);
    switch (move->kind) {
    case MOVE_FORWARD: say(words, "'s command reaches %s", server); break;
    case MOVE_DELIVER: say(words, "%s%s", message ? " hears" : " is told", of);
        break;
    case MOVE_CUT:
        say(words, "'s connection breaks%s, %s", of, cut_words(stage));
        break;
    case MOVE_REFUSE: say(words, "'s command is refused by %s", server); break;
    case MOVE_GIVE_UP:
        say(words, " gives up%s, and its command may still run", of);
        break;
    case MOVE_LAND:
        say(words, "'s command runs%s, though it has given up", of);
        break;
    default:
        say(words, "'s connection breaks%s, and the %s is lost", of,
            message ? "message" : "answer");
        break;
    }
    if (bounds->masters == 1)
        say_connection(words, seat, move->connection);
    say_carried(words, seat, c, message);
}

static void say_probe(char words[WORDS_SIZE], const struct position *position,
                      const struct bounds *bounds, enum move_kind kind) {
    char newcomer = names[bounds->clients];

    if (kind == MOVE_PROBE)
        say(words, "the end: a lease and a second pass, then %c, somebody "
            "new, tries", newcomer);
    else
        say(words, "the end: %c, somebody new, tries a lease and a second "
            "after the last command of %c, who is dead", newcomer,
            names[position_dead_owner(position)]);
}

// A fault of a client or a server, and not of the wire.
static void say_fault(char words[WORDS_SIZE], const struct bounds *bounds,
                      const struct move *move) {
    char name = names[move->client];

    switch (move->kind) {
    case MOVE_CRASH:
        say(words, "%c crashes (SIGKILL)", name);
        break;
    case MOVE_STOP:
        say(words, "%c is stopped (SIGSTOP)", name);
        break;
    case MOVE_AHEAD:
        say(words, "%c's wall clock goes %lld s ahead", name,
            (long long)(move->ns / SECOND));
        break;
    case MOVE_HANG:
        say(words, "%c's worker hangs inside; its process lives", name);
        break;
    case MOVE_RESTART:
        say_server(words, bounds, move->server);
        say(words, " is killed and starts empty");
        break;
    case MOVE_JUMP:
        say_server(words, bounds, move->server);
        say(words, "'s clock jumps %lld s ahead", (long long)(move->ns / SECOND));
        break;
    default:
        break;
    }
}

void move_words(const struct position *position, const struct bounds *bounds,
                const struct move *move, char words[WORDS_SIZE]) {
    char name = names[move->client];

    words[0] = '\0';
    switch (move->kind) {
    case MOVE_DELIVER:
    case MOVE_FORWARD:
    case MOVE_CUT:
    case MOVE_LOSE_ANSWER:
    case MOVE_REFUSE:
    case MOVE_GIVE_UP:
    case MOVE_LAND:
        say_wire(words, position, bounds, move);
        break;
    case MOVE_ASK:
        say_ask(words, position, bounds, move);
        break;
    case MOVE_TIME:
        say_time(words, position, move->ns);
        break;
    case MOVE_WAKE:
        say(words, position->view.clients[move->client].waits
                       ? "%c wakes up" : "%c's timer is up", name);
        break;
    case MOVE_CONTINUE:
        say(words, "%c continues (SIGCONT)", name);
        break;
    case MOVE_WORK_DONE:
        say(words, "%c's work is done, without a release so far", name);
        break;
    case MOVE_PROBE:
    case MOVE_PROBE_EARLY:
        say_probe(words, position, bounds, move->kind);
        break;
    default:
        say_fault(words, bounds, move);
        break;
    }
}

// --- what is left -----------------------------------------------------------

void clock_words(const struct position *position, const struct bounds *bounds,
                 char words[WORDS_SIZE]) {
    int64_t ms = position->now_ns / MILLISECOND;

    words[0] = '\0';
    say(words, "%lld.%03d s of %lld s", (long long)(ms / 1000),
        (int)(ms % 1000),
        (long long)(bounds->leases * (LEASE + SECOND) / SECOND));
}

static void say_tries(char words[WORDS_SIZE], const struct position *position,
                      const struct bounds *bounds) {
    say(words, "Tries left:");
    for (int i = 0; i < bounds->clients; i++) {
        const struct seat *seat = &position->seats[i];
        say(words, "%s %c ", i == 0 ? "" : ",", names[i]);
        if (seat->life == DEAD)
            say(words, "dead");
        else
            say(words, "%d", seat->rounds);
        if (seat->life != DEAD && bounds->nested > 0)
            say(words, "+%d", seat->nested);
    }
    say(words, ".");
}

static void say_faults(char words[WORDS_SIZE],
                       const struct position *position) {
    int sum = 0, kinds = 0;

    say(words, " Faults left: ");
    for (int fault = 0; fault < FAULTS; fault++) {
        int left = position->faults[fault];
        if (left <= 0 || position->fault_total <= 0)
            continue;
        sum += left;
        say(words, "%s%d %s", kinds++ ? ", " : "", left,
            fault_word((enum fault)fault));
    }
    if (kinds == 0)
        say(words, "none");
    else if (position->fault_total < sum)
        say(words, "; %d in all", position->fault_total);
    say(words, ".");
}

void budget_words(const struct position *position, const struct bounds *bounds,
                  char words[WORDS_SIZE]) {
    words[0] = '\0';
    say_tries(words, position, bounds);
    say_faults(words, position);
}

// --- clients -----------------------------------------------------------------

static void say_state(char words[WORDS_SIZE], const struct position *position,
                      int client) {
    const struct seat *seat = &position->seats[client];
    static const char *const operations[] = {
        [OPERATION_ENTER] = "asks to enter",
        [OPERATION_LEAVE] = "asks to leave",
        [OPERATION_HELD] = "is asked whether it still has the lock",
        [OPERATION_WRITE] = "writes",
        [OPERATION_WRITE_APART] = "writes",
        [OPERATION_REOPEN] = "opens its lock anew",
    };
    bool inside = position->view.clients[client].inside[0];

    if (seat->life == STOPPED)
        say(words, "stopped, ");
    say(words, "%s", inside && seat->depth > 1 ? "inside twice"
                     : inside                  ? "inside"
                     : seat->hung              ? "hangs"
                     : seat->depth > 0         ? "its work is done"
                                               : "outside");
    if (seat->asked)
        say(words, ", %s", operations[seat->operation]);
}

void client_words(const struct position *position, const struct bounds *bounds,
                  int client, char words[WORDS_SIZE]) {
    const struct seat *seat = &position->seats[client];

    words[0] = '\0';
    if (client == bounds->clients && position->mode != MODE_PROBE &&
        position->mode != MODE_PROBE_EARLY && seat->rounds > 0)
        return;
    if (seat->life == DEAD)
        say(words, "dead");
    else
        say_state(words, position, client);
    for (int c = 0; c < POSITION_CONNECTIONS; c++) {
        static const char *const stages[] = {
            [STAGE_HELD] = "sends", [STAGE_BLOCKED] = "kept by the server",
            [STAGE_ANSWERED] = "answered",
        };
        enum stage stage = (enum stage)seat->connection[c].stage;
        if (stage != STAGE_QUIET) {
            say(words, "; %s", stages[stage]);
            say_carried(words, seat, c, false);
        }
        if (seat->connection[c].messages > 0) {
            say(words, "; on its way");
            say_carried(words, seat, c, true);
        }
    }
}

// --- losses ------------------------------------------------------------------

static void say_inside(char words[WORDS_SIZE], const struct position *after) {
    int inside = position_inside(after), said = 0;

    for (int i = 0; i < POSITION_CLIENTS; i++) {
        if (!after->view.clients[i].inside[0])
            continue;
        said++;
        say(words, "%s%c", said == 1 ? "" : said == inside ? " and " : ", ",
            names[i]);
    }
    say(words, " are %s inside.", inside == 2 ? "both" : "all");
}

// If several wait, it is not said which of them is meant: "Lost because" will.
static void say_waiter(char words[WORDS_SIZE], const struct position *after) {
    int waiters = 0, waiter = 0;

    for (int i = 0; i < POSITION_CLIENTS; i++)
        if (after->view.clients[i].waits) {
            waiters++;
            waiter = i;
        }
    if (waiters == 1)
        say(words, "%c", names[waiter]);
    else
        say(words, "A client");
    say(words, " still waits, though the lock has been free for a second.");
}

void loss_words(enum loss loss, const struct position *after,
                const struct move *move, char words[WORDS_SIZE]) {
    char name = names[move->client];

    words[0] = '\0';
    switch (loss) {
    case LOSS_EXCLUSION:
        say_inside(words, after);
        break;
    case LOSS_RECOVERY:
        say(words, "%c, somebody new, cannot get in, though nobody is inside "
            "and a lease and a second have passed.", name);
        break;
    case LOSS_ENTRY:
        say(words, "%c is the owner, and cannot get in again.", name);
        break;
    case LOSS_LOSER:
        say(words, "%c is told busy, and has changed the lock.", name);
        break;
    case LOSS_FOREIGN:
        say(words, "%c has changed the lock of another who is inside.", name);
        break;
    case LOSS_COUNT:
        say(words, "%c's lock does not go with %c's last release.", name, name);
        break;
    case LOSS_KEPT:
        say(words, "A client that is inside has lost its lock unhindered.");
        break;
    case LOSS_TOLD:
        say(words, "%c is told something about its lock that is not so.", name);
        break;
    case LOSS_BOUNDED:
        say(words, "%c cannot get in: a dead client's lock is still in the way "
            "a lease after its last command.", name);
        break;
    case LOSS_WAKEUP:
        say_waiter(words, after);
        break;
    case LOSS_PROGRESS:
        say(words, "%c takes step after step, and no time passes.", name);
        break;
    default: // nobody writes in a game
        break;
    }
}

const char *goal_words(enum loss loss) {
    static const char *const goals[] = {
        [LOSS_EXCLUSION] = "get two clients inside",
        [LOSS_RECOVERY] = "leave a lock that nobody can ever take",
        [LOSS_ENTRY] = "keep an owner out of its own lock",
        [LOSS_LOSER] = "have a client told busy that has changed the lock",
        [LOSS_FOREIGN] = "change the lock of another who is inside",
        [LOSS_COUNT] = "make a lock go before its owner's last release, or after",
        [LOSS_KEPT] = "take the lock from a holder that is not hindered",
        [LOSS_TOLD] = "have a client told what is not so",
        [LOSS_BOUNDED] = "leave a dead client's lock for more than a lease",
        [LOSS_WAKEUP] = "leave a client waiting beside a free lock",
        [LOSSES] = "none",
    };
    return goals[loss];
}

enum loss loss_named(const char *word) {
    enum loss loss = 0;

    // Nobody writes in a game: what a write loses has no words as a goal.
    while (loss < LOSSES &&
           (!goal_words(loss) || strcmp(word, loss_word(loss)) != 0))
        loss++;
    return loss;
}
