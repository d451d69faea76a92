#include "learning.h"

#include "run.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A sentence about what went wrong may be cut off; nothing else is.
enum { SENTENCE = 4096 };

// What was seen at one move.
struct seen {
    struct reaction reactions[POSITION_CLIENTS];
    int64_t wait_ns[POSITION_CLIENTS];
    text_id answer;
    text_id content;
    text_id message; // that was sent to those who listen
    text_id pending; // "A 1 h, B 2 a, "
};

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

static void read_line(struct seen *seen, const char *line) {
    int client = line[2] - 'A', begin = 0;
    struct reaction *reaction =
        &seen->reactions[client >= 0 && client < POSITION_CLIENTS ? client : 0];

    switch (line[0]) {
    case 'q':
        read_request(reaction, line);
        break;
    case 'a':
        sscanf(line + 4, "%*d %n", &begin);
        seen->answer = text_of(line + 4 + begin);
        break;
    case 'm':
        sscanf(line + 4, "%*d %n", &begin);
        seen->message = text_of(line + 4 + begin);
        break;
    case 'c':
        reaction->closes |= 1u << (line[4] - '0');
        break;
    case 'r':
        reaction->has_result = true;
        reaction->result = result_of(line + 4);
        break;
    case 'w':
        seen->wait_ns[client] = atoll(line + 4);
        break;
    case 'l':
        reaction->looks = true;
        break;
    case 'h':
        seen->content = text_format("%s%s\n", text_words(seen->content),
                                    line + 2);
        break;
    case 'p':
        seen->pending = text_format("%s%s, ", text_words(seen->pending),
                                    line + 2);
        break;
    }
}

// Reads the groups of so many steps into one; returns what follows. What the
// server holds and what is on the wire stands as after the last.
static const char *read_steps(const char *report, int steps,
                              struct seen *seen) {
    memset(seen, 0, sizeof *seen);
    for (; *report && strncmp(report, "end", 3) != 0; report++) {
        size_t length = strcspn(report, "\n");
        if (strncmp(report, "step\n", 5) == 0) {
            if (steps-- == 0)
                return report;
            seen->content = seen->pending = NO_TEXT;
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

static bool teach_client(const struct position *position, int client,
                         text_id told, bool woken, struct seen *seen) {
    const struct seat *seat = &position->seats[client];
    struct reaction *reaction = &seen->reactions[client];
    int64_t before_ns = woken ? -1 : seat->wait_ns;
    int64_t wait_ns = seen->wait_ns[client];

    if (wait_ns == before_ns)
        reaction->wait_ns = WAIT_SAME;
    else
        reaction->wait_ns = wait_ns < 0 ? -1 : wait_ns - position->now_ns;
    return memo_teach_client(client, seat->history, told, position->now_ns,
                             reaction);
}

static void add(char words[SENTENCE], const char *more, const char *end) {
    size_t used = strlen(words);
    snprintf(words + used, SENTENCE - used, "%s%s", more, end);
}

// What a client did, in words.
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
    if (reaction->wait_ns != WAIT_SAME) {
        snprintf(one, sizeof one, "waits %lld ns", (long long)reaction->wait_ns);
        add(words, one, ", ");
    }
    add(words, reaction->looks ? "looks at its clock" : "does not look", "");
}

static void describe_difference(const struct position *position, int client,
                                text_id told, const struct reaction *seen,
                                char words[3 * SENTENCE]) {
    struct reaction known;
    char now[SENTENCE], before[SENTENCE];

    memo_client(client, position->seats[client].history, told,
                position->now_ns, &known);
    describe(&known, before);
    describe(seen, now);
    snprintf(words, 3 * SENTENCE, "told '%.1000s', %c now %s; before: %s",
             text_words(told), 'A' + client, now, before);
}

static bool teach(const struct position *position, const struct bounds *bounds,
                  const struct move *move, struct seen *seen) {
    struct effect effect = {seen->answer, seen->content, seen->message};
    text_id told = move_told(position, move);
    bool same = true;

    if (told != NO_TEXT)
        return teach_client(position, move->client, told,
                            move->kind == MOVE_WAKE, seen);
    switch (move->kind) {
    case MOVE_FORWARD:
    case MOVE_REFUSE:
    case MOVE_LAND:
        return memo_teach_server(position->content, position->scripts,
                                 position_command(position, move), effect);
    case MOVE_TIME:
        return memo_teach_server(
            position->content, NO_TEXT,
            text_format("t+%lld", (long long)move->ns), effect);
    case MOVE_JUMP:
        return memo_teach_server(position->content, NO_TEXT,
                                 jump_command(move), effect);
    case MOVE_RESTART:
        for (int i = 0; i <= bounds->clients; i++) {
            if (position->seats[i].life != LIVES)
                continue;
            told = restart_told(&position->seats[i], move, bounds);
            same = teach_client(position, i, told, false, seen) && same;
        }
        return same;
    default:
        return true;
    }
}

// What is on the wire, in the words of a report.
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
                seat->connection[c].stage == STAGE_HELD ? 'h' : 'a');
        }
    return words;
}

// Somebody did something else than before: who, and what?
static const char *difference(const struct position *position,
                              const struct move *move,
                              const struct seen *seen) {
    static char words[3 * SENTENCE];
    text_id told = move_told(position, move);

    if (told == NO_TEXT)
        return "the server did something else than before";
    describe_difference(position, move->client, told,
                        &seen->reactions[move->client], words);
    return words;
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
            return "something is still not known";
        if (step_count > 0 && seen.pending != pending(&after))
            return "something else is on the wire";
        if (step_count > 0 && seen.content != after.content)
            return "the server holds something else";
        *position = after;
    }
    return NULL;
}
