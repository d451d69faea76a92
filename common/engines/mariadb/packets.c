#include "packets.h"

#include "base/fail.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    SAYS_OK = 0x00, SAYS_NULL = 0xfb, SAYS_END = 0xfe, SAYS_ERROR = 0xff,
    ASKS_QUIT = 0x01, ASKS_DATABASE = 0x02, ASKS_QUERY = 0x03, ASKS_PING = 0x0e,
};

struct packet_parser {
    enum direction direction;
    char *bytes; // came in, and are not yet part of a message
    size_t length;
    // How much of an answer was seen before: so each packet is looked at once,
    // in however many pieces a long table comes.
    struct {
        size_t length;
        int packets, columns;
    } seen;
};

static void *parser_open(enum direction direction) {
    struct packet_parser *parser = must_have(calloc(1, sizeof *parser));
    parser->direction = direction;
    return parser;
}

static void parser_close(void *argument) {
    struct packet_parser *parser = argument;
    free(parser->bytes);
    free(parser);
}

static void parser_feed(void *argument, const char *bytes, size_t length) {
    struct packet_parser *parser = argument;
    parser->bytes =
        must_have(realloc(parser->bytes, parser->length + length));
    memcpy(parser->bytes + parser->length, bytes, length);
    parser->length += length;
}

// The length of the packet behind the columns. (The one behind the rows is
// longer, where there is none behind the columns.)
enum { END_OF_COLUMNS = 5 };

// --- packets -----------------------------------------------------------------

struct packet {
    const unsigned char *body;
    size_t length;
    unsigned number;
};

// False if it is not there in full.
static bool take_packet(const char **at, const char *end,
                        struct packet *packet) {
    const unsigned char *head = (const unsigned char *)*at;

    if (end - *at < PACKET_HEAD)
        return false;
    size_t length = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16;
    if ((size_t)(end - *at) < PACKET_HEAD + length)
        return false;
    *packet = (struct packet){head + PACKET_HEAD, length, head[3]};
    *at += PACKET_HEAD + length;
    return true;
}

static bool begins(const struct packet *packet, unsigned char byte) {
    return packet->length > 0 && packet->body[0] == byte;
}

// A number that says itself how many bytes it has.
static uint64_t take_number(const unsigned char **at,
                            const unsigned char *end) {
    static const int sizes[] = {2, 3, 8};
    uint64_t number = 0;

    if (*at >= end)
        return 0;
    unsigned char first = *(*at)++;
    if (first < SAYS_NULL)
        return first;
    if (first == SAYS_NULL || first == SAYS_ERROR)
        return 0;
    int size = sizes[first - SAYS_NULL - 1];
    for (int i = 0; i < size && *at < end; i++)
        number |= (uint64_t)*(*at)++ << (8 * i);
    return number;
}

static char *take_text(const unsigned char **at, const unsigned char *end) {
    if (*at < end && **at == SAYS_NULL) {
        (*at)++;
        return NULL;
    }
    size_t length = (size_t)take_number(at, end);
    if (length > (size_t)(end - *at))
        length = (size_t)(end - *at);
    char *text = must_have(strndup((const char *)*at, length));
    *at += length;
    return text;
}

// --- answers -----------------------------------------------------------------

// #23000 and a sentence.
static void read_error(const struct packet *packet, struct sql_answer *answer) {
    enum { NUMBER = 3, STATE = 6 };
    const char *words = (const char *)packet->body + NUMBER;
    size_t length = packet->length > NUMBER ? packet->length - NUMBER : 0;

    answer->error = packet->length < NUMBER
                        ? -1 : packet->body[1] | packet->body[2] << 8;
    if (length > STATE && *words == '#') {
        words += STATE;
        length -= STATE;
    }
    snprintf(answer->reason, sizeof answer->reason, "%.*s", (int)length, words);
}

// The name in the definition of a column, which is the fifth text.
static char *name_of(const struct packet *packet) {
    enum { TEXTS_BEFORE = 4 };
    const unsigned char *at = packet->body, *end = at + packet->length;

    for (int i = 0; i < TEXTS_BEFORE; i++)
        free(take_text(&at, end));
    return take_text(&at, end);
}

static void read_row(const struct packet *packet, struct sql_answer *answer) {
    const unsigned char *at = packet->body, *end = at + packet->length;
    size_t before = (size_t)answer->rows * (size_t)answer->columns;

    answer->rows++;
    answer->cells = must_have(realloc(
        answer->cells,
        (before + (size_t)answer->columns) * sizeof *answer->cells));
    for (int i = 0; i < answer->columns; i++)
        answer->cells[before + (size_t)i] = take_text(&at, end);
}

// The rows, up to the packet that ends them. A row never begins like that one,
// or like an error, which can end it, too.
static bool read_rows(const char **at, const char *end,
                      struct sql_answer *answer) {
    struct packet packet;

    while (take_packet(at, end, &packet)) {
        if (begins(&packet, SAYS_END))
            return true;
        if (begins(&packet, SAYS_ERROR)) {
            read_error(&packet, answer);
            return true;
        }
        read_row(&packet, answer);
    }
    return false;
}

static bool read_table(const char **at, const char *end,
                       struct sql_answer *answer) {
    struct packet packet;

    answer->is_table = true;
    for (int i = 0; i < answer->columns; i++) {
        if (!take_packet(at, end, &packet))
            return false;
        answer->names[i] = name_of(&packet);
    }
    const char *first = *at;
    if (!take_packet(at, end, &packet))
        return false;
    if (!begins(&packet, SAYS_END) || packet.length != END_OF_COLUMNS)
        *at = first;
    return read_rows(at, end, answer);
}

long packets_read(const char *bytes, size_t length,
                  struct sql_answer *answer) {
    const char *at = bytes, *end = bytes + length;
    struct packet packet;

    *answer = (struct sql_answer){0};
    if (!take_packet(&at, end, &packet))
        return 0;
    const unsigned char *body = packet.body + 1;
    const unsigned char *after = packet.body + packet.length;
    if (packet.length == 0 || packet.body[0] == SAYS_NULL)
        return -1;
    if (begins(&packet, SAYS_ERROR)) {
        read_error(&packet, answer);
    } else if (begins(&packet, SAYS_OK)) {
        answer->rows = (long long)take_number(&body, after);
    } else {
        answer->columns = packet.body[0];
        if (answer->columns > ANSWER_COLUMNS)
            return -1;
        if (!read_table(&at, end, answer)) {
            packets_free(answer);
            return 0;
        }
    }
    return at - bytes;
}

void packets_free(struct sql_answer *answer) {
    for (int i = 0; i < answer->columns; i++)
        free(answer->names[i]);
    for (long long i = 0; i < answer->rows * answer->columns; i++)
        free(answer->cells[i]);
    free(answer->cells);
    *answer = (struct sql_answer){0};
}

// --- text --------------------------------------------------------------------

static const char *word_of(int error) {
    switch (error) {
    case ERROR_DUPLICATE:    return " (duplicate)";
    case ERROR_NO_TABLE:     return " (no such table)";
    case ERROR_LOCK_TIMEOUT: return " (lock timeout)";
    case ERROR_DEADLOCK:     return " (deadlock)";
    case ERROR_READ_ONLY:    return " (read only)";
    default:                 return "";
    }
}

// "A1, 2" for one row, "(A1, 2), (B1, 1)" for several.
static void print_table(FILE *out, const struct sql_answer *answer) {
    for (long long row = 0; row < answer->rows; row++) {
        fprintf(out, "%s%s", row > 0 ? ", " : "",
                answer->rows > 1 ? "(" : "");
        for (int i = 0; i < answer->columns; i++) {
            const char *cell = answer->cells[row * answer->columns + i];
            fprintf(out, "%s%s", i > 0 ? ", " : "", cell ? cell : "NULL");
        }
        fputs(answer->rows > 1 ? ")" : "", out);
    }
    if (answer->rows == 0)
        fputs("no row", out);
}

static char *text_of_answer(const struct sql_answer *answer) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&text, &size));

    if (answer->error)
        fprintf(out, "ERROR %d%s", answer->error, word_of(answer->error));
    else if (answer->is_table)
        print_table(out, answer);
    else if (answer->rows == 0)
        fputs("no row", out);
    else
        fprintf(out, "%lld row%s", answer->rows, answer->rows > 1 ? "s" : "");
    fclose(out);
    return text;
}

// To a statement that changes no row "no row" would be a strange answer.
static void improve_text(const char *statement, char *text) {
    static const char *const counted[] = {"INSERT", "UPDATE", "DELETE",
                                          "REPLACE", "SELECT"};
    size_t length = strcspn(statement, " \t\n");

    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (length == strlen(counted[i]) &&
            strncasecmp(statement, counted[i], length) == 0)
            return;
    if (strcmp(text, "no row") == 0)
        memcpy(text, "OK", sizeof "OK");
}

char *packets_text_to(const char *statement, const struct sql_answer *answer) {
    char *text = text_of_answer(answer);

    improve_text(statement, text);
    return text;
}

// --- the wire format ---------------------------------------------------------

static const char between_words[] = " \t\n(),=<>;'\"`";

static bool has_word(const char *text, int length) {
    for (int i = 0; i < length && text[i]; i++)
        if (!strchr(between_words, text[i]))
            return true;
    return false;
}

static char *text_of_request(const struct packet *packet) {
    const char *rest = (const char *)packet->body + 1;
    char *text = NULL;

    if (packet->length == 0)
        return NULL;
    int length = (int)packet->length - 1;
    switch (packet->body[0]) {
    case ASKS_QUERY:
        return must_have(has_word(rest, length)
                             ? strndup(rest, (size_t)length)
                             : strdup("(empty)"));
    case ASKS_DATABASE:
        if (asprintf(&text, "USE %.*s", length, rest) < 0)
            fail("no memory for a request");
        return text;
    case ASKS_PING: return must_have(strdup("ping"));
    case ASKS_QUIT: return must_have(strdup("quit"));
    default: return NULL;
    }
}

// Does the answer end with this packet, which is its next one?
static bool is_last(struct packet_parser *parser, const struct packet *packet) {
    int number = parser->seen.packets++;

    if (number == 0) {
        parser->seen.columns = packet->length > 0 ? packet->body[0] : 0;
        return packet->length == 0 || begins(packet, SAYS_OK) ||
               parser->seen.columns > ANSWER_COLUMNS;
    }
    if (number <= parser->seen.columns)
        return false;
    if (number == parser->seen.columns + 1 && begins(packet, SAYS_END) &&
        packet->length == END_OF_COLUMNS)
        return false;
    return begins(packet, SAYS_END) || begins(packet, SAYS_ERROR);
}

static bool answer_is_whole(struct packet_parser *parser) {
    const char *at = parser->bytes + parser->seen.length;
    const char *end = parser->bytes + parser->length;
    struct packet packet;
    bool whole = false;

    while (!whole && take_packet(&at, end, &packet))
        whole = is_last(parser, &packet);
    parser->seen.length = (size_t)(at - parser->bytes);
    return whole;
}

// The length of the next message; 0: it is not complete; -1: it is not
// understood.
static long read_message(struct packet_parser *parser,
                         struct message *message) {
    const char *at = parser->bytes, *end = at + parser->length;
    struct sql_answer answer;
    struct packet packet;

    *message = (struct message){0};
    if (parser->direction == ANSWERS) {
        if (!answer_is_whole(parser))
            return 0;
        memset(&parser->seen, 0, sizeof parser->seen);
        long length = packets_read(parser->bytes, parser->length, &answer);
        if (length <= 0)
            return length;
        message->text = text_of_answer(&answer);
        message->is_error = answer.error && answer.error != ERROR_DUPLICATE &&
                            answer.error != ERROR_LOCK_TIMEOUT &&
                            answer.error != ERROR_DEADLOCK;
        packets_free(&answer);
        return length;
    }
    if (!take_packet(&at, end, &packet))
        return 0;
    message->text = text_of_request(&packet);
    if (!message->text)
        return -1;
    message->words = message_words(message->text, between_words);
    return at - parser->bytes;
}

static enum cut parser_cut(void *argument, struct message *message) {
    struct packet_parser *parser = argument;
    long length = parser->length > 0 ? read_message(parser, message) : 0;

    if (length <= 0)
        return length < 0 ? CUT_RUBBISH : CUT_MORE;
    message->length = (size_t)length;
    message->bytes = must_have(malloc(message->length));
    memcpy(message->bytes, parser->bytes, message->length);
    parser->length -= message->length;
    memmove(parser->bytes, parser->bytes + length, parser->length);
    return CUT_MESSAGE;
}

// The server's greeting has number 0, and what comes after the client's answer
// 2 or more.
static bool lets_in(void *argument, const char *bytes, size_t length) {
    struct packet_parser *parser = argument;
    struct packet packet = {0};

    parser_feed(parser, bytes, length);
    const char *at = parser->bytes, *end = at + parser->length;
    while (take_packet(&at, end, &packet))
        if (packet.number >= 2 && begins(&packet, SAYS_OK))
            break;
    bool in = packet.number >= 2 && begins(&packet, SAYS_OK);
    parser->length = (size_t)(end - at);
    memmove(parser->bytes, at, parser->length);
    return in;
}

static bool is_farewell(const struct message *request) {
    return strcmp(request->text, "quit") == 0;
}

// A statement takes effect when it runs, in a transaction, too: what others see
// of it later is no matter of the wire.
static bool answered(const struct message *request, struct message *answer) {
    improve_text(request->text, answer->text);
    answer->grants_nothing = strcmp(answer->text, "0") == 0;
    return false;
}

static bool subscribes(const struct message *request) {
    (void)request;
    return false;
}

static bool is_pushed(const struct message *answer) {
    (void)answer;
    return false;
}

// Every statement may find a row locked.
static bool may_wait(const struct message *request) {
    (void)request;
    return true;
}

const struct wire_format packets = {
    .open = parser_open,
    .close = parser_close,
    .feed = parser_feed,
    .cut = parser_cut,
    .lets_in = lets_in,
    .is_farewell = is_farewell,
    .ends_matter = true,
    .answered = answered,
    .subscribes = subscribes,
    .is_pushed = is_pushed,
    .may_wait = may_wait,
};
