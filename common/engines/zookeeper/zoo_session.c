#include "zoo_session.h"

#include "base/fail.h"
#include "children.h"
#include "engines/bytes.h"
#include "frames.h"
#include "jute.h"
#include "machine/handover.h"
#include "machine/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct zoo_session {
    int fd;
    int32_t number; // of the last request
    struct bytes bytes;
};

void zoo_close(struct zoo_session *session) {
    if (!session)
        return;
    close(session->fd);
    free(session->bytes.at);
    free(session);
}

static bool send_frame(struct zoo_session *session, struct jute_writer *frame) {
    jute_end(frame);
    return send(session->fd, frame->bytes, frame->length, MSG_NOSIGNAL) ==
           (ssize_t)frame->length;
}

// What comes next. It stays where it is until the next call.
static bool hear_frame(struct zoo_session *session, long *length,
                       struct jute_reader *frame) {
    char chunk[4096];

    while ((*length = jute_frame(session->bytes.at, session->bytes.length,
                                 frame)) == 0) {
        ssize_t more = process_hears(session->fd)
                           ? read(session->fd, chunk, sizeof chunk) : 0;
        if (more <= 0)
            return false;
        bytes_add(&session->bytes, chunk, (size_t)more);
    }
    return *length > 0;
}

// No session has a number yet, and a new one has no password.
static bool begin(struct zoo_session *session) {
    enum { LONGEST_MS = 2000000000, PASSWORD = 16 };
    static const char nothing[PASSWORD + 1] = "0000000000000000";
    struct jute_writer frame;
    struct jute_reader answer;
    long length;

    jute_begin(&frame);
    jute_write_int(&frame, 0); // the protocol's version
    jute_write_long(&frame, 0);
    jute_write_int(&frame, LONGEST_MS);
    jute_write_long(&frame, 0);
    jute_write_text(&frame, nothing);
    if (!send_frame(session, &frame) || !hear_frame(session, &length, &answer))
        return false;
    bytes_drop(&session->bytes, (size_t)length);
    return true;
}

struct zoo_session *zoo_open(struct door *door) {
    int fd = door_connect(door, 0);

    if (fd < 0)
        return NULL;
    struct zoo_session *session = must_have(calloc(1, sizeof *session));
    session->fd = fd;
    if (begin(session))
        return session;
    zoo_close(session);
    return NULL;
}

void zoo_hand_on(const struct zoo_session *session, FILE *out) {
    handover_descriptor(out, session->fd);
    handover_number(out, session->number);
}

struct zoo_session *zoo_take_over(FILE *in) {
    struct zoo_session *session = must_have(calloc(1, sizeof *session));

    session->fd = handover_take_descriptor(in);
    session->number = (int32_t)handover_take_number(in);
    return session;
}

bool zoo_is_open(const struct zoo_session *session) {
    char byte;

    return recv(session->fd, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT) != 0;
}

// What it is comes before what it has. One that serves nobody may not close the
// connection.
static bool says_enough(const char *text) {
    return strstr(text, "Node count: ") ||
           strstr(text, "not currently serving");
}

// A server that is asked with four letters tells about itself: "Zookeeper
// version: 3.8.0-…, built on …".
static void describe(struct door *door, char *text, size_t size) {
    static const char question[] = "srvr";
    int fd = door_connect(door, 0);
    size_t length = 0;
    ssize_t more = fd < 0 ? -1 : send(fd, question, strlen(question),
                                      MSG_NOSIGNAL);

    text[0] = '\0';
    while (more > 0 && !says_enough(text) && process_hears(fd)) {
        more = read(fd, text + length, size - 1 - length);
        length += more > 0 ? (size_t)more : 0;
        text[length] = '\0';
    }
    if (fd >= 0)
        close(fd);
}

void zoo_mode(struct door *door, char *mode, size_t size) {
    char text[1024];

    describe(door, text, sizeof text);
    const char *found = strstr(text, "Mode: ");
    found = found ? found : text;
    snprintf(mode, size, "%.*s", (int)strcspn(found, "\n"), found);
}

void zoo_version(struct door *door, char *version, size_t size) {
    static const char before[] = "version: ";
    char text[1024];

    version[0] = '\0';
    describe(door, text, sizeof text);
    const char *found = strstr(text, before);
    if (found)
        snprintf(version, size, "%.*s",
                 (int)strspn(found + strlen(before), "0123456789."),
                 found + strlen(before));
}

static void begin_request(struct zoo_session *session,
                          struct jute_writer *frame, int32_t type,
                          const char *path) {
    jute_begin(frame);
    jute_write_int(frame, ++session->number);
    jute_write_int(frame, type);
    jute_write_text(frame, path);
}

// The answer's own words are in `answer`, until bytes_drop() of `length` bytes.
static bool ask(struct zoo_session *session, struct jute_writer *frame,
                long *length, struct jute_reader *answer, int32_t *error) {
    *error = 0;
    if (!send_frame(session, frame) || !hear_frame(session, length, answer))
        return false;
    jute_read_int(answer); // its number: there is never more than one
    jute_read_long(answer);
    *error = jute_read_int(answer);
    return true;
}

char **zoo_children(struct zoo_session *session, const char *path,
                    int32_t *error) {
    struct jute_writer frame;
    struct jute_reader answer;
    long length;

    begin_request(session, &frame, REQUEST_GET_CHILDREN, path);
    jute_write_bool(&frame, false); // does not watch
    if (!ask(session, &frame, &length, &answer, error))
        return NULL;
    char **names = *error ? NULL : children_read(&answer);
    bytes_drop(&session->bytes, (size_t)length);
    return names;
}

static bool change(struct zoo_session *session, struct jute_writer *frame,
                   int32_t *error) {
    struct jute_reader answer;
    long length;

    if (!ask(session, frame, &length, &answer, error))
        return false;
    bytes_drop(&session->bytes, (size_t)length);
    return true;
}

static void write_rights(struct jute_writer *frame, enum zoo_rights rights) {
    jute_write_int(frame, 1); // whom it is open to
    jute_write_int(frame, rights);
    jute_write_text(frame, "world");
    jute_write_text(frame, "anyone");
}

bool zoo_create(struct zoo_session *session, const char *path, int32_t *error) {
    enum { STAYS = 0 };
    struct jute_writer frame;

    begin_request(session, &frame, REQUEST_CREATE, path);
    jute_write_text(&frame, "");
    write_rights(&frame, ZOO_ALL_RIGHTS);
    jute_write_int(&frame, STAYS);
    return change(session, &frame, error);
}

bool zoo_delete(struct zoo_session *session, const char *path, int32_t *error) {
    struct jute_writer frame;

    begin_request(session, &frame, REQUEST_DELETE, path);
    jute_write_int(&frame, -1); // whatever its version is
    return change(session, &frame, error);
}

bool zoo_set_rights(struct zoo_session *session, const char *path,
                    enum zoo_rights rights, int32_t *error) {
    struct jute_writer frame;

    begin_request(session, &frame, REQUEST_SET_ACL, path);
    write_rights(&frame, rights);
    jute_write_int(&frame, -1); // whatever their version is
    return change(session, &frame, error);
}
