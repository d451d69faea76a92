#include "lesson.h"

#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, MOST_PENDING = POSITION_CLIENTS * POSITION_CONNECTIONS };

// What was seen at one move.
struct seen {
    struct reaction reactions[POSITION_CLIENTS];
    int64_t wait_ns[POSITION_CLIENTS];
    text_id answer;
    char content[LINE];
    char pending[LINE]; // "A 1 h, B 2 a, "
};

static enum result result_of(const char *word) {
    for (int i = RESULT_OK; i < RESULT_CANNOT; i++)
        if (strcmp(word, result_word((enum result)i)) == 0)
            return (enum result)i;
    return RESULT_CANNOT;
}

static void add(char *words, const char *more, const char *end) {
    size_t used = strlen(words);
    snprintf(words + used, LINE - used, "%s%s", more, end);
}

static void read_line(struct seen *seen, char *line) {
    int client = line[2] - 'A', connection = 0, begin = 0;
    struct reaction *reaction =
        &seen->reactions[client >= 0 && client < POSITION_CLIENTS ? client : 0];

    switch (line[0]) {
    case 'q':
        sscanf(line + 4, "%d %n", &connection, &begin);
        if (reaction->requests == MAX_REQUESTS)
            break;
        reaction->request[reaction->requests].connection = connection;
        reaction->request[reaction->requests].request =
            text_of(line + 4 + begin);
        reaction->requests++;
        break;
    case 'a':
        sscanf(line + 4, "%d %n", &connection, &begin);
        seen->answer = text_of(line + 4 + begin);
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
        add(seen->content, line + 2, "\n");
        break;
    case 'p':
        add(seen->pending, line + 2, ", ");
        break;
    }
}

// Reads the groups of so many steps into one; returns what follows. What the
// server holds and what is on the wire stands as after the last.
static const char *read_steps(const char *report, int steps,
                              struct seen *seen) {
    char line[LINE];

    memset(seen, 0, sizeof *seen);
    for (; *report && strncmp(report, "end", 3) != 0; report++) {
        size_t length = strcspn(report, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, report);
        if (strcmp(line, "step") == 0) {
            if (steps-- == 0)
                return report;
            seen->content[0] = seen->pending[0] = '\0';
        } else {
            read_line(seen, line);
        }
        report += length;
    }
    return report;
}

// --- teaching ---------------------------------------------------------------

static bool teach_client(const struct position *position, int client,
                         const char *told, bool woken, struct seen *seen) {
    const struct seat *seat = &position->seats[client];
    struct reaction *reaction = &seen->reactions[client];
    int64_t before_ns = woken ? -1 : seat->wait_ns;
    int64_t wait_ns = seen->wait_ns[client];

    if (wait_ns == before_ns)
        reaction->wait_ns = WAIT_SAME;
    else
        reaction->wait_ns = wait_ns < 0 ? -1 : wait_ns - position->now_ns;
    return memory_teach_client(client, seat->history, text_of(told),
                               position->now_ns, reaction);
}

// What a client did, in words.
static void describe(const struct reaction *reaction, char words[LINE]) {
    char one[LINE];

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
                                const char *told, const struct reaction *seen,
                                char words[2 * LINE]) {
    struct reaction known;
    char one[LINE];

    memory_client(client, position->seats[client].history, text_of(told),
                  position->now_ns, &known);
    describe(&known, one);
    snprintf(words, 2 * LINE, "told '%s', %c now ", told, 'A' + client);
    describe(seen, words + strlen(words));
    snprintf(words + strlen(words), LINE, "; before: %.2000s", one);
}

static bool teach(const struct position *position, const struct bounds *bounds,
                  const struct move *move, struct seen *seen) {
    struct effect effect = {seen->answer, text_of(seen->content)};
    char told[TOLD_SIZE];
    bool same = true;

    if (move_told(position, move, told))
        return teach_client(position, move->client, told,
                            move->kind == MOVE_WAKE, seen);
    switch (move->kind) {
    case MOVE_FORWARD:
        return memory_teach_server(
            position->content, position->scripts,
            position_command(position, move->client, move->connection),
            effect);
    case MOVE_TIME:
        snprintf(told, sizeof told, "t+%lld", (long long)move->ns);
        return memory_teach_server(position->content, NO_TEXT, text_of(told),
                                   effect);
    case MOVE_RESTART:
        for (int i = 0; i <= bounds->clients; i++) {
            if (position->seats[i].life != LIVES)
                continue;
            restart_told(&position->seats[i], told);
            same = teach_client(position, i, told, false, seen) && same;
        }
        return same;
    default:
        return true;
    }
}

// What is on the wire, in the words of a report.
static void write_pending(const struct position *position, char words[LINE]) {
    char one[32];

    words[0] = '\0';
    for (int i = 0; i < POSITION_CLIENTS; i++)
        for (int c = 0; c < POSITION_CONNECTIONS; c++) {
            const struct seat *seat = &position->seats[i];
            if (seat->life == DEAD ||
                seat->connection[c].stage == STAGE_QUIET)
                continue;
            snprintf(one, sizeof one, "%c %d %c", 'A' + i, c + 1,
                     seat->connection[c].stage == STAGE_HELD ? 'h' : 'a');
            add(words, one, ", ");
        }
}

// Somebody did something else than before: who, and what?
static const char *difference(const struct position *position,
                              const struct move *move,
                              const struct seen *seen) {
    static char words[2 * LINE];
    char told[TOLD_SIZE];

    if (!move_told(position, move, told))
        return "the server did something else than before";
    describe_difference(position, move->client, told,
                        &seen->reactions[move->client], words);
    return words;
}

static const char *disagree(const char *what, size_t number) {
    static char sentence[3 * LINE];

    snprintf(sentence, sizeof sentence, "at move %zu %s", number + 1, what);
    return sentence;
}

const char *lesson(const struct bounds *bounds, const struct move *moves,
                   size_t count, const char *report) {
    struct position position, after;
    struct step steps[MAX_STEPS];
    char pending[LINE];
    struct seen seen;

    position_begin(&position, bounds);
    for (size_t i = 0; i < count; i++) {
        int step_count = move_steps(&moves[i], steps);
        if (step_count > 0)
            report = read_steps(report, step_count, &seen);
        if (!teach(&position, bounds, &moves[i], &seen))
            return disagree(difference(&position, &moves[i], &seen), i);
        if (!position_after(&position, bounds, &moves[i], &after).known)
            return disagree("something is still not known", i);
        write_pending(&after, pending);
        if (step_count > 0 && strcmp(pending, seen.pending) != 0)
            return disagree("something else is on the wire", i);
        if (step_count > 0 &&
            strcmp(seen.content, text_words(after.content)) != 0)
            return disagree("the server holds something else", i);
        position = after;
    }
    return NULL;
}
