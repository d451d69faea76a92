#include "sql.h"

#include "base/fail.h"
#include "machine/process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHUNK = 16384 };

struct sql_session {
    int fd;
    char *bytes; // came in
    size_t length;
};

void sql_close(struct sql_session *sql) {
    if (!sql)
        return;
    close(sql->fd);
    free(sql->bytes);
    free(sql);
}

static bool send_packet(const struct sql_session *sql, const char *body,
                        size_t length, unsigned char number) {
    char *packet = must_have(malloc(PACKET_HEAD + length));

    packet[0] = (char)(length & 0xff);
    packet[1] = (char)(length >> 8 & 0xff);
    packet[2] = (char)(length >> 16 & 0xff);
    packet[3] = (char)number;
    memcpy(packet + PACKET_HEAD, body, length);
    ssize_t sent = send(sql->fd, packet, PACKET_HEAD + length, MSG_NOSIGNAL);
    free(packet);
    return sent == (ssize_t)(PACKET_HEAD + length);
}

static bool has_answer(const struct sql_session *sql) {
    for (int i = 0; i < SQL_PATIENCES; i++)
        if (process_hears(sql->fd))
            return true;
    return false;
}

static bool read_more(struct sql_session *sql) {
    sql->bytes = must_have(realloc(sql->bytes, sql->length + CHUNK));
    if (!has_answer(sql))
        return false;
    ssize_t length = read(sql->fd, sql->bytes + sql->length, CHUNK);
    if (length <= 0)
        return false;
    sql->length += (size_t)length;
    return true;
}

// The first byte of the next packet and its number; the packet is dropped.
static bool hear_packet(struct sql_session *sql, unsigned char *first,
                        unsigned char *number) {
    const unsigned char *head;
    size_t length;

    do {
        head = (const unsigned char *)sql->bytes;
        length = sql->length < PACKET_HEAD + 1
                     ? 0
                     : PACKET_HEAD + (head[0] | (size_t)head[1] << 8 |
                                      (size_t)head[2] << 16);
    } while ((length == 0 || sql->length < length) && read_more(sql));
    if (length == 0 || sql->length < length)
        return false;
    head = (const unsigned char *)sql->bytes;
    *first = head[PACKET_HEAD];
    *number = head[3];
    sql->length -= length;
    memmove(sql->bytes, sql->bytes + length, sql->length);
    return true;
}

// The greeting: capabilities, the longest packet, the character set, 23 bytes
// of nothing, name, no password, database, how a password would be sent.
static bool say_who(struct sql_session *sql, const char *database) {
    enum {
        LONG_PASSWORD = 0x1, WITH_DATABASE = 0x8, PROTOCOL_41 = 0x200,
        TRANSACTIONS = 0x2000, SECURE = 0x8000, PLUGIN = 0x80000,
        UTF8 = 45, SET_AT = 8, NAME_AT = 32, LONGEST = 256,
    };
    static const char method[] = "mysql_native_password";
    unsigned flags = LONG_PASSWORD | PROTOCOL_41 | TRANSACTIONS | SECURE |
                     PLUGIN | (database ? WITH_DATABASE : 0);
    char body[LONGEST] = {0}, *at = body + NAME_AT;

    for (int i = 0; i < 4; i++)
        body[i] = (char)(flags >> (8 * i) & 0xff);
    body[6] = 1; // 2^16 bytes
    body[SET_AT] = UTF8;
    at = stpcpy(at, "root") + 1;
    *at++ = 0;
    if (database)
        at = stpcpy(at, database) + 1;
    at = stpcpy(at, method) + 1;
    return send_packet(sql, body, (size_t)(at - body), 1);
}

static bool is_let_in(struct sql_session *sql, const char *database) {
    enum { GREETS = 0x0a, OK = 0x00, ANOTHER_WAY = 0xfe };
    unsigned char first, number;

    if (!hear_packet(sql, &first, &number) || first != GREETS ||
        !say_who(sql, database) || !hear_packet(sql, &first, &number))
        return false;
    if (first == ANOTHER_WAY &&
        (!send_packet(sql, "", 0, (unsigned char)(number + 1)) ||
         !hear_packet(sql, &first, &number)))
        return false;
    return first == OK;
}

struct sql_session *sql_open(struct door *door, const char *database) {
    int fd = door_connect(door, 0);

    if (fd < 0)
        return NULL;
    struct sql_session *sql = must_have(calloc(1, sizeof *sql));
    sql->fd = fd;
    if (is_let_in(sql, database))
        return sql;
    sql_close(sql);
    return NULL;
}

static bool send_statement(struct sql_session *sql, const char *statement) {
    size_t length = strlen(statement);
    char *body = must_have(malloc(length + 2));

    body[0] = 0x03; // a query
    strcpy(body + 1, statement);
    bool sent = send_packet(sql, body, length + 1, 0);
    free(body);
    return sent;
}

static bool hear_answer(struct sql_session *sql, struct sql_answer *answer) {
    long length;

    while ((length = packets_read(sql->bytes, sql->length, answer)) == 0)
        if (!read_more(sql))
            return false;
    if (length < 0)
        return false;
    sql->length -= (size_t)length;
    memmove(sql->bytes, sql->bytes + length, sql->length);
    return true;
}

bool sql_ask(struct sql_session *sql, const char *statement,
             struct sql_answer *answer) {
    return send_statement(sql, statement) && hear_answer(sql, answer);
}
