#include "learning.h"

#include "left_out.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A sentence about what went wrong may be cut off; nothing else is.
enum { SENTENCE = 4096, MOST_OFFERED = 512 };

// The observations at one move.
struct seen {
    struct reaction reactions[POSITION_CLIENTS];
    int64_t wait_ns[POSITION_CLIENTS];
    bool waits_anew[POSITION_CLIENTS];
    bool waits_beside[POSITION_CLIENTS];
    text_id answer;
    text_id content;
    text_id message; // pushed to the clients that listen
    text_id served;  // "B1 [lock:signal, free]\n": blocked until now
    bool blocks;
    bool is_error;
    enum write write;
    text_id pending; // "A 1 h, B 2 a, "
};

// The choices after the last step that was read, if the report has them.
static struct choice offered[MOST_OFFERED];
static size_t offers;

static enum result result_of(const char *word) {
    for (int i = RESULT_OK; i < RESULT_CANNOT; i++)
        if (strcmp(word, result_word((enum result)i)) == 0)
            return (enum result)i;
    return RESULT_CANNOT;
}

static void read_request(struct reaction *reaction, const char *line) {
    int connection = 0, begin = 0;

    if (reaction->requests == MAX_REQUESTS)
        fail("%c sends on more than %d connections at once: a search "
             "does not follow that", line[2], MAX_REQUESTS);
    sscanf(line + 4, "%d %n", &connection, &begin);
    reaction->request[reaction->requests].connection = connection;
    reaction->request[reaction->requests].request = text_of(line + 4 + begin);
    reaction->requests++;
}

static void read_offer(const char *line) {
    struct choice offer = {.ns = 1};
    int kind = 0, operation = 0;

    if (offers == MOST_OFFERED)
        fail("more than %d things are possible at one point", MOST_OFFERED);
    sscanf(line + 4, "%d %d %d %d %d %d", &kind, &offer.connection,
           &offer.server, &operation, &offer.lock, &offer.thread);
    offer.client = line[2] == '-' ? 0 : line[2] - 'A';
    offer.kind = (enum choice_kind)kind;
    offer.operation = (enum operation)operation;
    offered[offers++] = offer;
}

// The text of "LETTER CLIENT CONNECTION TEXT".
static const char *after_connection(const char *line) {
    int begin = 0;

    sscanf(line + 4, "%*d %n", &begin);
    return line + 4 + begin;
}

// Reads the line of a report about a client.
static void read_client_line(struct seen *seen, const char *line) {
    int client = line[2] - 'A';

    if (client < 0 || client >= POSITION_CLIENTS)
        fail("a run has reported '%s': no such client", line);
    struct reaction *reaction = &seen->reactions[client];
    switch (line[0]) {
    case 'q': read_request(reaction, line); break;
    case 'v':
        if (reaction->requests > 0)
            reaction->request[reaction->requests - 1].writes = true;
        break;
    case 'c': reaction->closes |= 1u << (line[4] - '0'); break;
    case 'r':
        reaction->has_result = true;
        reaction->result = result_of(line + 4);
        break;
    case 'w':
        seen->wait_ns[client] = atoll(line + 4);
        seen->waits_anew[client] |= strstr(line + 4, " anew") != NULL;
        seen->waits_beside[client] |= strstr(line + 4, " beside") != NULL;
        break;
    case 'l': reaction->by_time = true; break;
    }
}

static void read_line(struct seen *seen, const char *line) {
    switch (line[0]) {
    case 't':
    case 'n':
        seen->write = line[0] == 't' ? WRITE_TAKEN : WRITE_REFUSED;
        break;
    case 'a': seen->answer = text_of(after_connection(line)); break;
    case 'e': seen->is_error = true; break;
    case 'm': seen->message = text_of(after_connection(line)); break;
    case 'k': seen->blocks = true; break;
    case 's':
        seen->served = text_format("%s%c%c %s\n", text_words(seen->served),
                                   line[2], line[4], after_connection(line));
        break;
    case 'h':
        seen->content = text_format("%s%s\n", text_words(seen->content),
                                    line + 2);
        break;
    case 'o': read_offer(line); break;
    case 'p':
        seen->pending = text_format("%s%s, ", text_words(seen->pending),
                                    line + 2);
        break;
    default: read_client_line(seen, line); break;
    }
}

// Reads the groups of so many steps into one reaction, with the server and the
// wire as they are after the last step. Returns the rest of the report.
static const char *read_steps(const char *report, int steps,
                              struct seen *seen) {
    memset(seen, 0, sizeof *seen);
    offers = 0;
    for (; *report && strncmp(report, "end", 3) != 0; report++) {
        size_t length = strcspn(report, "\n");
        if (strncmp(report, "step\n", 5) == 0) {
            if (steps-- == 0)
                return report;
            seen->content = seen->pending = NO_TEXT;
            offers = 0;
        } else if (length > 0) {
            char *line = must_have(strndup(report, length));
            read_line(seen, line);
            free(line);
        }
        report += length;
    }
    return report;
}

// --- teaching ---------------------------------------------------------------

// Is the stimulus about a write of the client's to the resource?
static bool is_of_write(const struct position *position,
                        const struct move *move) {
    const struct seat *seat = &position->seats[move->client];

    if (move->kind == MOVE_ASK)
        return operation_writes(move->operation);
    return move->connection > 0 &&
           seat->connection[move->connection - 1].writes;
}

static bool teach_client(const struct position *position, int client,
                         const struct move *move, text_id stimulus,
                         struct seen *seen) {
    const struct seat *seat = &position->seats[client];
    struct reaction *reaction = &seen->reactions[client];
    int64_t before_ns = move->kind == MOVE_WAKE ? -1 : seat->wait_ns;
    int64_t wait_ns = seen->wait_ns[client];

    // A timer that is set again may end when it did before. It still counts
    // from now, and at another time the two differ.
    if (wait_ns == before_ns && !seen->waits_anew[client])
        reaction->wait_ns = WAIT_SAME;
    else
        reaction->wait_ns = wait_ns < 0 ? WAIT_NONE
                                         : wait_ns - position->now_ns;
    // Another wait, which was there before, is now the first to be over: at
    // another time it would be longer or shorter.
    if (wait_ns >= 0 && wait_ns != before_ns && !seen->waits_anew[client])
        reaction->by_time = true;
    // A wait has begun beside another: which of the two is over first, and how
    // long after that the other is, would be different at another time.
    reaction->by_time |= seen->waits_beside[client];
    return memo_teach_client(client, seat->history, stimulus,
                             position_occasion(position, client),
                             is_of_write(position, move), reaction);
}

static void add(char words[SENTENCE], const char *more, const char *end) {
    size_t used = strlen(words);
    snprintf(words + used, SENTENCE - used, "%s%s", more, end);
}

// A reaction in words.
static void describe(const struct reaction *reaction, char words[SENTENCE]) {
    char one[SENTENCE];

    words[0] = '\0';
    for (int i = 0; i < reaction->requests; i++) {
        snprintf(one, sizeof one, "sends %s on %d",
                 text_words(reaction->request[i].request),
                 reaction->request[i].connection);
        add(words, one, ", ");
    }
    if (reaction->has_result)
        add(words, result_word(reaction->result), ", ");
    if (reaction->wait_ns == WAIT_NONE)
        add(words, "does not wait", ", ");
    else if (reaction->wait_ns != WAIT_SAME) {
        snprintf(one, sizeof one, "waits %lld ns", (long long)reaction->wait_ns);
        add(words, one, ", ");
    }
    add(words, reaction->by_time ? "looks at its clock or has several waits"
                               : "does not look at its clock", "");
}

static void describe_difference(const struct position *position, int client,
                                text_id stimulus, const struct reaction *seen,
                                char words[3 * SENTENCE]) {
    struct reaction known;
    char now[SENTENCE], before[SENTENCE];

    memo_client(client, position->seats[client].history, stimulus,
                position_occasion(position, client), &known);
    describe(&known, before);
    describe(seen, now);
    snprintf(words, 3 * SENTENCE, "told '%.1000s', %c now %s; before: %s "
             "(a search needs a client that does the same when it is told the "
             "same: only its tokens may differ from run to run)",
             text_words(stimulus), 'A' + client, now, before);
}

// The command that a move brings to the server, and the scripts that matter.
struct server_order {
    text_id command; // NO_TEXT: there is none
    text_id scripts;
};

static struct server_order order_of(const struct position *position,
                             const struct move *move) {
    switch (move->kind) {
    case MOVE_FORWARD:
    case MOVE_REFUSE:
    case MOVE_LAND:
        return (struct server_order){position_command(position, move),
                              position->scripts};
    case MOVE_TIME:
        return (struct server_order){time_command(position, move->ns), NO_TEXT};
    case MOVE_JUMP:
        return (struct server_order){jump_command(position, move), NO_TEXT};
    default:
        return (struct server_order){NO_TEXT, NO_TEXT};
    }
}

static bool teach(const struct position *position, const struct bounds *bounds,
                  const struct move *move, struct seen *seen) {
    struct effect effect = {.answer = seen->answer, .content = seen->content,
                            .message = seen->message, .blocks = seen->blocks,
                            .served = seen->served,
                            .is_error = seen->is_error,
                            .write = seen->write};
    text_id stimulus = move_stimulus(position, move);
    bool same = true;

    if (stimulus != NO_TEXT)
        return teach_client(position, move->client, move, stimulus, seen);
    if (move->kind == MOVE_RESTART) {
        for (int i = 0; i <= bounds->clients; i++) {
            if (position->seats[i].life != LIVES)
                continue;
            stimulus = restart_stimulus(&position->seats[i], move, bounds);
            same = teach_client(position, i, move, stimulus, seen) && same;
        }
        return same;
    }
    struct server_order order = order_of(position, move);
    return !order.command ||
           memo_teach_server(position->content, order.scripts, order.command,
                             effect);
}

// All messages on the wire, in the words of a report.
static text_id pending(const struct position *position) {
    text_id words = NO_TEXT;

    for (int i = 0; i < POSITION_CLIENTS; i++)
        for (int c = 0; c < POSITION_CONNECTIONS; c++) {
            const struct seat *seat = &position->seats[i];
            if (seat->life == DEAD ||
                (seat->connection[c].stage == STAGE_QUIET &&
                 seat->connection[c].messages == 0))
                continue;
            words = text_format(
                "%s%c %d %c, ", text_words(words), 'A' + i, c + 1,
                seat->connection[c].stage == STAGE_HELD ? 'h' :
                seat->connection[c].stage == STAGE_BLOCKED ? 'k' : 'a');
        }
    return words;
}

// "the server holds 'lock -1 A1', and before it was 'lock 30000 A1' (…)"
static const char *unlike(const char *what, text_id now, text_id before) {
    static char words[SENTENCE];

    snprintf(words, sizeof words, "%s '%.1000s', and before it was '%.1000s' "
             "(docs/explore.md says what of a server a search does not follow)",
             what, text_words(now), text_words(before));
    for (char *at = words; *at; at++)
        if (*at == '\n')
            *at = ';';
    return words;
}

static const char *missing_move(const char *step) {
    static char words[SENTENCE];

    snprintf(words, sizeof words, "%s is possible, and the search has no such "
             "move (search/left_out.c names what is left out)", step);
    return words;
}

// The difference from an earlier run: the client or server, and its reaction.
static const char *difference(const struct position *position,
                              const struct move *move,
                              const struct seen *seen) {
    static char words[3 * SENTENCE];
    text_id stimulus = move_stimulus(position, move);
    struct effect known;

    if (stimulus != NO_TEXT) {
        describe_difference(position, move->client, stimulus,
                            &seen->reactions[move->client], words);
        return words;
    }
    struct server_order order = order_of(position, move);
    if (!order.command ||
        !memo_server(position->content, order.scripts, order.command, &known))
        return "a client does something else when the server restarts";
    if (known.answer != seen->answer)
        return unlike("the server answers", seen->answer, known.answer);
    if (known.message != seen->message)
        return unlike("the server sends", seen->message, known.message);
    if (known.blocks != seen->blocks)
        return "the server keeps a request that it answered before, or the "
               "other way round";
    if (known.served != seen->served)
        return unlike("the server answers what it has kept", seen->served,
                      known.served);
    return unlike("the server holds", seen->content, known.content);
}

const char *learn_from_report(const struct bounds *bounds,
                              const struct move *moves, size_t count,
                              const char *report, struct position *position) {
    struct position after;
    struct step steps[MAX_STEPS];
    struct seen seen;

    for (size_t i = 0; i < count; i++) {
        int step_count = move_steps(&moves[i], steps);
        if (step_count > 0)
            report = read_steps(report, step_count, &seen);
        if (!teach(position, bounds, &moves[i], &seen))
            return difference(position, &moves[i], &seen);
        if (!position_after(position, bounds, &moves[i], &after).known)
            return "what was run does not show what it was run for";
        if (step_count > 0 && seen.pending != pending(&after))
            return unlike("on the wire is", seen.pending, pending(&after));
        if (step_count > 0 && seen.content != after.content)
            return unlike("the server holds", seen.content, after.content);
        const char *forgotten =
            step_count > 0 ? left_out_wrongly(&after, bounds, offered, offers)
                           : NULL;
        if (forgotten)
            return missing_move(forgotten);
        *position = after;
    }
    return NULL;
}
