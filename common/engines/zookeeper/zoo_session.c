#include "zoo_session.h"

#include "base/fail.h"
#include "children.h"
#include "engines/bytes.h"
#include "frames.h"
#include "jute.h"
#include "machine/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// After so long without an answer, the server is woken (ensemble.c says why).
enum { WAKING_MS = 1000 };

struct zoo_session {
    int fd;
    int32_t number; // of the last request
    int pings;      // that have not been answered yet
    bool may_sleep; // the server may have to be woken
    struct bytes bytes;
};

void zoo_close(struct zoo_session *session) {
    if (!session)
        return;
    close(session->fd);
    free(session->bytes.at);
    free(session);
}

// Has the server left it open? Its messages must have been read.
static bool is_open(const struct zoo_session *session) {
    char byte;

    return recv(session->fd, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT) != 0;
}

static bool send_frame(struct zoo_session *session, struct jute_writer *frame) {
    jute_end(frame);
    return send(session->fd, frame->bytes, frame->length, MSG_NOSIGNAL) ==
           (ssize_t)frame->length;
}

static bool send_ping(struct zoo_session *session) {
    struct jute_writer frame;

    jute_begin(&frame);
    jute_write_int(&frame, NUMBER_OF_PINGS);
    jute_write_int(&frame, REQUEST_PING);
    session->pings++;
    return send_frame(session, &frame);
}

// Reads the next frame, within this time. It is valid until the next call.
static bool hear_frame(struct zoo_session *session, int64_t limit_ms,
                       long *length, struct jute_reader *frame) {
    char chunk[4096];

    while ((*length = jute_frame(session->bytes.at, session->bytes.length,
                                 frame)) == 0) {
        ssize_t more = process_hears_within(session->fd, limit_ms)
                           ? read(session->fd, chunk, sizeof chunk) : 0;
        if (more <= 0)
            return false;
        bytes_add(&session->bytes, chunk, (size_t)more);
    }
    return *length > 0;
}

// Reads answers to pings. False if any other frame comes.
static bool hear_pings(struct zoo_session *session, int64_t limit_ms) {
    struct jute_reader answer;
    long length;

    for (; session->pings > 0; session->pings--) {
        if (!hear_frame(session, limit_ms, &length, &answer))
            return false;
        bytes_drop(&session->bytes, (size_t)length);
    }
    return true;
}

// The answer to a request; its own words are in `answer`, until bytes_drop() of
// `length` bytes. A ping may have been answered before it, or will be after it.
static bool hear_answer(struct zoo_session *session, long *length,
                        struct jute_reader *answer) {
    bool wakes = session->may_sleep;

    for (;;) {
        if (!hear_frame(session, wakes ? WAKING_MS : PATIENCE_MS, length,
                        answer)) {
            if (!wakes || !is_open(session) || !send_ping(session))
                return false;
            wakes = false;
            continue;
        }
        if (jute_read_int(answer) != NUMBER_OF_PINGS)
            return true; // there is never more than one other
        bytes_drop(&session->bytes, (size_t)*length);
        session->pings--;
    }
}

// No session has a number yet, and a new one has no password.
static bool ask_for_session(struct zoo_session *session) {
    enum { LONGEST_MS = 2000000000, PASSWORD = 16 };
    static const char nothing[PASSWORD + 1] = "0000000000000000";
    struct jute_writer frame;

    jute_begin(&frame);
    jute_write_int(&frame, 0); // the protocol's version
    jute_write_long(&frame, 0);
    jute_write_int(&frame, LONGEST_MS);
    jute_write_long(&frame, 0);
    jute_write_text(&frame, nothing);
    return send_frame(session, &frame);
}

// A connection on which a session was asked for.
static struct zoo_session *begin(struct door *door, bool may_sleep) {
    int fd = door_connect(door, 0);

    if (fd < 0)
        return NULL;
    struct zoo_session *session = must_have(calloc(1, sizeof *session));
    session->fd = fd;
    session->may_sleep = may_sleep;
    if (ask_for_session(session))
        return session;
    zoo_close(session);
    return NULL;
}

static bool has_begun(struct zoo_session *session) {
    struct jute_reader answer;
    long length;

    if (!hear_frame(session, session->may_sleep ? WAKING_MS : PATIENCE_MS,
                    &length, &answer))
        return false;
    bytes_drop(&session->bytes, (size_t)length);
    return true;
}

// A session that has not begun cannot ping: another one wakes the server.
struct zoo_session *zoo_open(struct door *door, bool may_sleep) {
    struct zoo_session *session = begin(door, may_sleep), *waker = NULL;
    bool begun = session && has_begun(session);

    for (int ms = WAKING_MS; session && may_sleep && !begun &&
                             ms < PATIENCE_MS && is_open(session);
         ms += WAKING_MS) {
        zoo_close(waker);
        waker = begin(door, may_sleep);
        begun = has_begun(session);
    }
    zoo_close(waker);
    if (begun)
        return session;
    zoo_close(session);
    return NULL;
}

// One that comes just after the server has answered it may overlook, too.
bool zoo_ping(struct zoo_session *session) {
    for (int ms = 0; ms < PATIENCE_MS; ms += WAKING_MS) {
        if (!send_ping(session))
            return false;
        if (hear_pings(session, WAKING_MS))
            return true;
        if (!is_open(session))
            return false;
    }
    return false;
}

bool zoo_is_open(struct zoo_session *session) {
    return hear_pings(session, PATIENCE_MS) && is_open(session);
}

// The line with the server's place is enough: the counters come after it, and a
// server that serves nobody may leave the connection open.
static bool says_enough(const char *text) {
    return strstr(text, "Node count: ") ||
           strstr(text, "not currently serving");
}

// A server that is asked with four letters tells about itself: "Zookeeper
// version: 3.8.0-…, built on …". Each read waits at most that long.
static void describe(struct door *door, int64_t limit_ms, char *text,
                     size_t size) {
    static const char question[] = "srvr";
    int fd = door_connect(door, 0);
    size_t length = 0;
    ssize_t more = fd < 0 ? -1 : send(fd, question, strlen(question),
                                      MSG_NOSIGNAL);

    text[0] = '\0';
    while (more > 0 && !says_enough(text) &&
           process_hears_within(fd, limit_ms)) {
        more = read(fd, text + length, size - 1 - length);
        length += more > 0 ? (size_t)more : 0;
        text[length] = '\0';
    }
    if (fd >= 0)
        close(fd);
}

void zoo_mode(struct door *door, char *mode, size_t size) {
    char text[1024];

    describe(door, PATIENCE_MS, text, sizeof text);
    const char *found = strstr(text, "Mode: ");
    found = found ? found : text;
    snprintf(mode, size, "%.*s", (int)strcspn(found, "\n"), found);
}

void zoo_version(struct door *door, char *version, size_t size) {
    static const char before[] = "version: ";
    enum { ONE_TRY_MS = 1000 };
    char text[1024];

    version[0] = '\0';
    describe(door, ONE_TRY_MS, text, sizeof text);
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

static bool ask(struct zoo_session *session, struct jute_writer *frame,
                long *length, struct jute_reader *answer, int32_t *error) {
    *error = 0;
    if (!hear_pings(session, PATIENCE_MS) || !send_frame(session, frame) ||
        !hear_answer(session, length, answer))
        return false;
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
