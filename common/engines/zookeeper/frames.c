#include "frames.h"

#include "base/fail.h"
#include "children.h"
#include "engines/bytes.h"
#include "jute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- requests ----------------------------------------------------------------

// The fields of a request, which its text shows.
enum shape { NOTHING, PATH, WATCHED_PATH, VERSION, DATA, NEW_NODE, WATCHES };

static const struct request_kind {
    int32_t type;
    const char *word;
    enum shape shape;
} kinds[] = {
    {REQUEST_CREATE, "create", NEW_NODE},
    {REQUEST_DELETE, "delete", VERSION},
    {3, "stat", WATCHED_PATH},
    {4, "get", WATCHED_PATH},
    {5, "set", DATA},
    {6, "getAcl", PATH},
    {REQUEST_SET_ACL, "setAcl", PATH},
    {REQUEST_GET_CHILDREN, "ls", WATCHED_PATH},
    {9, "sync", PATH},
    {REQUEST_PING, "ping", NOTHING},
    {12, "ls", WATCHED_PATH},
    {13, "check", VERSION},
    {14, "multi", NOTHING},
    {15, "create", NEW_NODE},
    {17, "checkWatches", PATH},
    {18, "removewatches", PATH},
    {19, "create", NEW_NODE},
    {21, "create", NEW_NODE},
    {100, "addauth", NOTHING},
    {101, "watch again", WATCHES},
    {103, "getEphemerals", PATH},
    {104, "getAllChildrenNumber", PATH},
    {105, "watch again", WATCHES},
    {106, "addWatch", PATH},
    {107, "whoami", NOTHING},
    {-11, "close", NOTHING},
};

static const struct request_kind *kind_of(int32_t type) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}

static void print_text(FILE *out, struct jute_reader *record) {
    char *text = jute_read_text(record);

    fprintf(out, " %s", text ? text : "");
    free(text);
}

// Skips the list of a node's rights, which no trace shows.
static void skip_rights(struct jute_reader *record) {
    int32_t count = jute_read_int(record);

    for (int32_t i = 0; i < count && !record->short_of; i++) {
        jute_read_int(record);
        free(jute_read_text(record));
        free(jute_read_text(record));
    }
}

static void print_new_node(FILE *out, struct jute_reader *record) {
    enum { EPHEMERAL = 1, SEQUENTIAL = 2, BOTH = EPHEMERAL | SEQUENTIAL };
    char *path = jute_read_text(record), *data = jute_read_text(record);

    skip_rights(record);
    int32_t flags = jute_read_int(record);
    fprintf(out, "%s%s %s", flags <= BOTH && flags & EPHEMERAL ? " -e" : "",
            flags <= BOTH && flags & SEQUENTIAL ? " -s" : "", path ? path : "");
    if (data && *data)
        fprintf(out, " %s", data);
    free(path);
    free(data);
}

static void print_version(FILE *out, int32_t version) {
    if (version >= 0)
        fprintf(out, " -v %d", version);
}

// With an expected version or without one.
static void print_with_version(FILE *out, struct jute_reader *record,
                               bool has_data) {
    char *path = jute_read_text(record);
    char *data = has_data ? jute_read_text(record) : NULL;

    print_version(out, jute_read_int(record));
    fprintf(out, " %s%s%s", path ? path : "", data ? " " : "",
            data ? data : "");
    free(path);
    free(data);
}

static void print_watched(FILE *out, struct jute_reader *record) {
    char *path = jute_read_text(record);

    fprintf(out, "%s %s", jute_read_bool(record) ? " -w" : "",
            path ? path : "");
    free(path);
}

static void print_watches(FILE *out, struct jute_reader *record) {
    jute_read_long(record); // what the client has seen
    while (record->at < record->end && !record->short_of)
        for (int32_t left = jute_read_int(record);
             left > 0 && !record->short_of; left--)
            print_text(out, record);
}

static void print_request(FILE *out, const struct request_kind *kind,
                          struct jute_reader *record) {
    fputs(kind->word, out);
    switch (kind->shape) {
    case NOTHING:      break;
    case PATH:         print_text(out, record); break;
    case WATCHED_PATH: print_watched(out, record); break;
    case VERSION:      print_with_version(out, record, false); break;
    case DATA:         print_with_version(out, record, true); break;
    case NEW_NODE:     print_new_node(out, record); break;
    case WATCHES:      print_watches(out, record); break;
    }
}

// Several changes that are made together or not at all.
static void print_parts(FILE *out, struct jute_reader *record) {
    while (!record->short_of) {
        const struct request_kind *part = kind_of(jute_read_int(record));
        bool done = jute_read_bool(record);
        jute_read_int(record);
        if (done || !part)
            break;
        fputc(' ', out);
        print_request(out, part, record);
    }
}

// "request 99" of a kind that is not known here. NULL: it is too short.
static char *text_of_request(struct jute_reader record) {
    char *text = NULL;
    size_t size = 0;

    jute_read_int(&record); // its number
    int32_t type = jute_read_int(&record);
    const struct request_kind *kind = kind_of(type);
    if (record.short_of)
        return NULL;
    FILE *out = must_have(open_memstream(&text, &size));
    if (kind)
        print_request(out, kind, &record);
    else
        fprintf(out, "request %d", type);
    if (kind && strcmp(kind->word, "multi") == 0)
        print_parts(out, &record);
    fclose(out);
    return text;
}

// --- answers -----------------------------------------------------------------

enum { PUSHED = -1, TOLD = 16 }; // what comes before an answer's own words

const char *frames_error(int32_t error) {
    switch (error) {
    case ERROR_NO_NODE:     return "NoNode";
    case ERROR_NODE_EXISTS: return "NodeExists";
    case ERROR_NO_AUTH:     return "NoAuth";
    case -103:              return "BadVersion";
    case -108:              return "NoChildrenForEphemerals";
    case -111:              return "NotEmpty";
    case -112:              return "SessionExpired";
    case -118:              return "SessionMoved";
    default:                return "an error";
    }
}

// Results that answer a question about a node. All others are refusals.
static bool is_a_fact(int32_t error) {
    return error == 0 || error == ERROR_NO_NODE || error == ERROR_NODE_EXISTS ||
           error == -103;
}

static char *text_of_push(struct jute_reader *record) {
    static const char *const events[] = {"session", "created", "deleted",
                                         "changed", "children of"};
    int32_t type = jute_read_int(record);
    char *text = NULL;

    jute_read_int(record); // the session's state
    char *path = jute_read_text(record);
    if (asprintf(&text, "%s %s", type > 0 && type < 5 ? events[type]
                                                      : events[0],
                 path ? path : "") < 0)
        fail("no memory for a message");
    free(path);
    return text;
}

// Without a text: it is too short.
static void read_answer(struct jute_reader record, struct message *message) {
    int32_t number = jute_read_int(&record);

    jute_read_long(&record); // of the last change
    int32_t error = jute_read_int(&record);
    if (record.short_of)
        return;
    message->text = number == PUSHED
                        ? text_of_push(&record)
                        : must_have(strdup(error ? frames_error(error) : "OK"));
    message->is_error = number != PUSHED && !is_a_fact(error);
}

static void print_children(FILE *out, struct jute_reader *record) {
    char **names = children_read(record);

    fputc('[', out);
    for (char **name = names; *name; name++)
        fprintf(out, "%s%s", name > names ? ", " : "", *name);
    fputc(']', out);
    children_free(names);
}

// The text of an answer to a request that did not fail.
static char *text_of_answer(const char *word, struct jute_reader record) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&text, &size));

    if (strcmp(word, "ls") == 0) {
        print_children(out, &record);
    } else if (strcmp(word, "create") == 0 || strcmp(word, "get") == 0) {
        char *found = jute_read_text(&record);
        fputs(found && *found ? found : "OK", out);
        free(found);
    } else {
        fputs(strcmp(word, "stat") == 0 ? "it is there" : "OK", out);
    }
    fclose(out);
    return text;
}

// --- the wire format ---------------------------------------------------------

struct frame_parser {
    enum direction direction;
    struct bytes bytes; // came in, and are not yet part of a message
};

static void *parser_open(enum direction direction) {
    struct frame_parser *parser = must_have(calloc(1, sizeof *parser));
    parser->direction = direction;
    return parser;
}

static void parser_close(void *argument) {
    struct frame_parser *parser = argument;
    free(parser->bytes.at);
    free(parser);
}

static void parser_feed(void *argument, const char *bytes, size_t length) {
    struct frame_parser *parser = argument;
    bytes_add(&parser->bytes, bytes, length);
}

// A client numbers its requests, and begins with the time. The numbers that
// have a meaning of their own (a ping, a watch's message) are negative. The
// server numbers the changes of its whole life. The number of the last one
// stands in an answer, and in the request to set all watches again.
static void leave_out_numbers(struct message *message,
                              struct jute_reader record,
                              enum direction direction) {
    size_t change = FRAME_HEAD + sizeof(int32_t);
    bool numbered = jute_read_int(&record) > 0;
    const struct request_kind *kind =
        direction == REQUESTS ? kind_of(jute_read_int(&record)) : NULL;

    message->varying[0].from = numbered ? FRAME_HEAD : change;
    if (numbered)
        message->varying[0].count = sizeof(int32_t);
    if (direction == ANSWERS)
        message->varying[0].count += sizeof(int64_t);
    if (kind && kind->shape == WATCHES) {
        message->varying[1].from = change + sizeof(int32_t);
        message->varying[1].count = sizeof(int64_t);
    }
}

static enum cut parser_cut(void *argument, struct message *message) {
    struct frame_parser *parser = argument;
    struct jute_reader record;
    long length = jute_frame(parser->bytes.at, parser->bytes.length, &record);

    if (length <= 0)
        return length < 0 ? CUT_RUBBISH : CUT_MORE;
    *message = (struct message){0};
    if (parser->direction == ANSWERS)
        read_answer(record, message);
    else
        message->text = text_of_request(record);
    if (!message->text)
        return CUT_RUBBISH;
    if (parser->direction == REQUESTS)
        message->words = message_words(message->text, " ");
    leave_out_numbers(message, record, parser->direction);
    message->length = (size_t)length;
    message->bytes = bytes_copy(&parser->bytes, message->length);
    bytes_drop(&parser->bytes, message->length);
    return CUT_MESSAGE;
}

// A client's first frame names its session, or none. The server's first frame
// has the session's time-out: 0, if the session is over.
static bool lets_in(void *argument, const char *bytes, size_t length) {
    struct frame_parser *parser = argument;
    struct jute_reader record;

    parser_feed(parser, bytes, length);
    long first = jute_frame(parser->bytes.at, parser->bytes.length, &record);
    if (first <= 0)
        return false;
    bytes_drop(&parser->bytes, (size_t)first);
    jute_read_int(&record); // the protocol's version
    return jute_read_int(&record) > 0;
}

static bool answered(const struct message *request, struct message *answer) {
    struct jute_reader record = {
        (const unsigned char *)answer->bytes + FRAME_HEAD + TOLD,
        (const unsigned char *)answer->bytes + answer->length, false};

    if (answer->is_error || strcmp(answer->text, "OK") != 0)
        return false;
    free(answer->text);
    answer->text = text_of_answer(request->words[0], record);
    // Children come in no order, and of a node the times are told.
    if (strcmp(request->words[0], "create") != 0) {
        answer->varying[1].from = FRAME_HEAD + TOLD;
        answer->varying[1].count = answer->length - FRAME_HEAD - TOLD;
    }
    return false;
}

// Once it is answered, and also if it is not: a watch can be on what is not
// there.
static bool subscribes(const struct message *request) {
    return strcmp(request->words[0], "watch") == 0 ||
           strcmp(request->words[0], "addWatch") == 0 ||
           (request->words[1] && strcmp(request->words[1], "-w") == 0);
}

static bool is_pushed(const struct message *answer) {
    struct jute_reader record;

    jute_frame(answer->bytes, answer->length, &record);
    return jute_read_int(&record) == PUSHED;
}

// A server answers everything at once.
static bool may_wait(const struct message *request) {
    (void)request;
    return false;
}

const struct wire_format frames = {
    .open = parser_open,
    .close = parser_close,
    .feed = parser_feed,
    .cut = parser_cut,
    .lets_in = lets_in,
    .answered = answered,
    .subscribes = subscribes,
    .is_pushed = is_pushed,
    .marks_pushed = true,
    .may_wait = may_wait,
};
