// The wire format of MySQL and MariaDB.
//
// A message is one or more packets: three bytes with the length, one with a
// number, and the rest. A request is one packet. An answer is one packet, or
// for a table many: how many columns, each column, each row, the end. The
// server speaks first, when a client has connected; what the two say until the
// client is let in passes through the gate unheld.
//
// Only requests that are text are understood. A prepared statement is not: its
// request would be a number in a trace.
#ifndef PACKETS_H
#define PACKETS_H

#include "engines/message.h"

#include <stddef.h>

extern const struct wire_format packets;

enum { PACKET_HEAD = 4, ANSWER_COLUMNS = 96 };

// The number of a server's error that locks have to do with.
enum {
    ERROR_DUPLICATE = 1062,
    ERROR_NO_TABLE = 1146,
    ERROR_LOCK_TIMEOUT = 1205,
    ERROR_DEADLOCK = 1213,
    ERROR_READ_ONLY = 1290,
};

// An answer of the server; packets_free() frees its content.
struct sql_answer {
    int error;        // its number; 0: none
    char reason[256]; // of the error
    bool is_table;    // rows of cells; else `rows` is how many have changed
    long long rows;
    int columns;
    char *names[ANSWER_COLUMNS];
    char **cells; // row by row; NULL where a cell is NULL
};

// Reads an answer from its bytes. How many of them it takes; 0: there is more
// to come; -1: not understood.
long packets_read(const char *bytes, size_t length, struct sql_answer *answer);
void packets_free(struct sql_answer *answer);

// The answer to this statement, as a trace shows it. The caller frees it.
char *packets_text_to(const char *statement, const struct sql_answer *answer);

#endif
