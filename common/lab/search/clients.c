// A server's memory of its clients, beside the values under its keys.
#include "clients.h"

#include "base/fail.h"
#include "base/list.h"
#include "base/units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Of several masters, a request begins with the number of one: "2> ".
static const char *plain(const char *request) {
    return isdigit((unsigned char)*request) && request[1] == '>' ? request + 3
                                                                 : request;
}

static const struct request_rules *rules;

// The engine's rules about each text. They read it word by word, and a search
// asks for the same few texts millions of times: so each is read once.
static struct request_facts {
    bool known;
    bool looks_at_clock;
    int64_t waits_ms;
} *facts; // by the text's number
static text_id fact_room;
static size_t facts_known;

void clients_of(const struct engine_kind *engine) {
    rules = engine->requests;
    fact_room = 0;
    facts_known = 0;
}

// Not of all that there is room for: which numbers the texts have depends on
// which of the workers has been faster.
size_t clients_bytes(void) {
    return facts_known * sizeof *facts;
}

static const struct request_facts *facts_of(text_id text) {
    while (fact_room <= text) {
        facts = list_grow(facts, fact_room, sizeof *facts);
        facts[fact_room++].known = false;
    }
    if (!facts[text].known) {
        const char *request = plain(text_words(text));
        facts[text] = (struct request_facts){
            .known = true,
            .looks_at_clock = rules->looks_at_clock(request),
            .waits_ms = rules->waits_ms(request),
        };
        facts_known++;
    }
    return &facts[text];
}

// A key is not the same any more.
void clients_mark_watchers(struct position *position) {
    for (int i = 0; i < POSITION_CLIENTS; i++)
        for (int c = 0; c < POSITION_CONNECTIONS; c++) {
            text_id *noted = &position->seats[i].connection[c].noted;
            char *after = *noted ? rules->session_changed(text_words(*noted))
                                 : NULL;
            if (after)
                *noted = text_of(after);
            free(after);
        }
}

// Does any client listen to published messages?
static bool somebody_listens(const struct position *position) {
    for (int i = 0; i < POSITION_CLIENTS; i++)
        for (int c = 0; c < POSITION_CONNECTIONS; c++)
            if (position->seats[i].connection[c].listens)
                return true;
    return false;
}

// --- blocked requests --------------------------------------------------------

bool clients_may_block(text_id request) {
    return facts_of(request)->waits_ms != WAITS_NOT;
}

void clients_block(struct position *position, int client, int connection) {
    struct seat *seat = &position->seats[client];
    text_id request = seat->connection[connection - 1].request;
    int64_t ms = facts_of(request)->waits_ms;
    uint8_t last = 0;

    if (ms == WAITS_NOT || seat->blocked)
        fail("%c sends %s, which the server keeps: a search does not follow "
             "that", 'A' + client, text_words(request));
    for (int i = 0; i < POSITION_CLIENTS; i++)
        if (position->seats[i].blocked > last)
            last = position->seats[i].blocked;
    seat->connection[connection - 1].stage = STAGE_BLOCKED;
    seat->blocked = last + 1;
    // As a key: it is still blocked in the last millisecond.
    seat->blocked_ns = ms > 0 ? position->now_ns + (ms + 1) * MILLISECOND : -1;
}

void clients_unblock(struct position *position, int client) {
    uint8_t place = position->seats[client].blocked;

    position->seats[client].blocked = 0;
    position->seats[client].blocked_ns = 0;
    for (int i = 0; i < POSITION_CLIENTS && place; i++)
        if (position->seats[i].blocked > place)
            position->seats[i].blocked--;
}

unsigned clients_serve(struct position *position, text_id served) {
    unsigned clients = 0;

    for (const char *line = text_words(served); *line;
         line = strchr(line, '\n') + 1) {
        int client = line[0] - 'A', c = line[1] - '1';
        struct seat *seat = &position->seats[client];
        clients |= 1u << client;
        clients_unblock(position, client);
        seat->connection[c].stage = STAGE_ANSWERED;
        seat->connection[c].answer =
            text_format("%.*s", (int)strcspn(line + 3, "\n"), line + 3);
        if (seat->life == DEAD)
            memset(&seat->connection[c], 0, sizeof *seat->connection);
    }
    return clients;
}

static text_id blocked_on(const struct seat *seat, int *connection) {
    int c = 0;

    while (seat->connection[c].stage != STAGE_BLOCKED)
        c++;
    *connection = c + 1;
    return seat->connection[c].request;
}

// In the order in which the server has got them: "B1 BLPOP key 9 to 8000; ".
static text_id blocked_requests(const struct position *position) {
    text_id words = NO_TEXT;

    for (int place = 1; place <= POSITION_CLIENTS; place++)
        for (int i = 0; i < POSITION_CLIENTS; i++) {
            const struct seat *seat = &position->seats[i];
            int connection;
            if (seat->blocked != place)
                continue;
            text_id request = blocked_on(seat, &connection);
            words = text_format("%s%c%d %s to %lld; ", text_words(words),
                                'A' + i, connection, text_words(request),
                                seat->blocked_ns < 0 ? -1LL
                                : (long long)(seat->blocked_ns -
                                              position->now_ns));
        }
    return words;
}

// --- commands ----------------------------------------------------------------

static text_id command_without_time(const struct position *position,
                                    const struct move *move) {
    const struct seat *seat = &position->seats[move->client];
    text_id request = seat->connection[move->connection - 1].request;
    text_id noted = seat->connection[move->connection - 1].noted;
    text_id blocked = blocked_requests(position);
    const char *mark = move->kind == MOVE_REFUSE ? "refused: " : "";
    const char *heard = somebody_listens(position) ? "heard: " : "";

    if (!noted && !blocked && !*mark && !*heard)
        return request;
    return text_format("%s%s%s%s%s%s", text_words(blocked), text_words(noted),
                       noted ? "; " : "", mark, heard, text_words(request));
}

// Does the effect of the request, or of its transaction, depend on the server's
// clock?
static bool looks_at_clock(const struct position *position,
                           const struct move *move) {
    const struct seat *seat = &position->seats[move->client];
    int c = move->connection - 1;

    return facts_of(seat->connection[c].request)->looks_at_clock ||
           facts_of(seat->connection[c].noted)->looks_at_clock;
}

text_id position_command(const struct position *position,
                         const struct move *move) {
    text_id command = command_without_time(position, move);

    return looks_at_clock(position, move)
               ? text_format("at %lld: %s", (long long)position->now_ns,
                             text_words(command))
               : command;
}

text_id time_command(const struct position *position, int64_t ns) {
    return text_about("t+", ns, " ", blocked_requests(position));
}

// --- who listens -------------------------------------------------------------

void clients_publish(struct position *position, text_id message) {
    enum { MOST_MESSAGES = 9 };

    for (int i = 0; i < POSITION_CLIENTS; i++)
        for (int c = 0; c < POSITION_CONNECTIONS; c++) {
            struct seat *seat = &position->seats[i];
            if (!seat->connection[c].listens)
                continue;
            if (seat->connection[c].messages > 0 &&
                seat->connection[c].message != message)
                fail("%c is sent two messages that differ: a search does not "
                     "follow that", 'A' + i);
            if (seat->connection[c].messages == MOST_MESSAGES)
                fail("%c is sent more than %d messages: fewer rounds, please",
                     'A' + i, MOST_MESSAGES);
            seat->connection[c].message = message;
            seat->connection[c].messages++;
        }
}

int request_server(text_id request) {
    const char *words = text_words(request);
    return plain(words) != words ? *words - '1' : 0;
}

text_id jump_command(const struct position *position,
                     const struct move *move) {
    return text_format("%sjump %d", text_words(blocked_requests(position)),
                       move->server + 1);
}

// The scripts that the server stores: those that came since the beginning or
// the last restart. Scripts that clients load when they open their locks are
// there from the beginning.
static text_id scripts_after(text_id scripts, const char *request,
                             bool refused) {
    const char *words = plain(request);
    size_t length = rules->stores(words);
    text_id script;

    if (length == 0)
        return scripts;
    if (refused)
        script = text_format("; refused %s;", request);
    else
        script = text_format("; %.*s;", (int)(words - request + length),
                             request);
    if (strstr(text_words(scripts), text_words(script)))
        return scripts;
    return text_format("%s%s", text_words(scripts), text_words(script));
}

void clients_note(struct position *position, const struct move *move,
                  text_id answer) {
    struct seat *seat = &position->seats[move->client];
    int c = move->connection - 1;
    const char *request = text_words(seat->connection[c].request);
    bool refused = move->kind == MOVE_REFUSE;
    char *session = rules->session_after(
        text_words(seat->connection[c].noted), plain(request),
        text_words(answer), refused);

    seat->connection[c].noted = session ? text_of(session) : NO_TEXT;
    free(session);
    seat->connection[c].listens |= rules->listens(plain(request));
    position->scripts = scripts_after(position->scripts, request, refused);
}
