// A connection to MySQL or MariaDB: libmariadb with answers by value.
//
// An answer of the library is asked for in four calls, checked after each, and
// freed. Here it is a small struct, as in redis.h, so that the statement stands
// in the lock as one would type it. The price is a limit on the number and the
// length of the fields; no lock needs more.
#ifndef MYSQL_H
#define MYSQL_H

#include <stdbool.h>

struct sql;

enum sql_type {
    SQL_DONE,      // it has run: rows is how many it has found and changed; a
                   // row that had these values already counts, too
    SQL_ROWS,      // it has selected: rows is how many, field[] the first one's
    SQL_DUPLICATE, // error 1062: such a row is there already
    SQL_TIMEOUT,   // error 1205: it has waited too long for a locked row.
                   // Only this statement is undone, not the transaction
    SQL_DEADLOCK,  // error 1213: the whole transaction is undone
    SQL_ERROR,     // the server refused
    SQL_NONE,      // no answer came: it may have run; it was not even sent if
                   // lock_reason() begins with "cannot connect"
};

enum { SQL_FIELDS = 4, SQL_FIELD_SIZE = 128 };

struct sql_result {
    enum sql_type type;
    long long rows;
    char field[SQL_FIELDS][SQL_FIELD_SIZE]; // NULL is an empty text
};

// Connects to the server and the database that the environment names in
// MYSQL_URL:
//     mysql://[user[:password]@]host[:port]/database[?unix_socket=/path]
// with %xx for a byte, as in every URL; or, if it is not set, to the database
// test on this machine. NULL if that fails; lock_reason() says why. Not
// thread-safe: one connection for each thread.
struct sql *sql_open(void);

// Closes the connection and frees it. NULL is fine. The server undoes what a
// transaction had done that was not committed.
void sql_close(struct sql *sql);

// Is the connection still there, as far as this side knows? A transaction's
// rows are only locked for as long.
bool sql_is_open(struct sql *sql);

// Sends one statement and waits for its answer, at most two seconds. After a
// time-out or an error of the connection it is closed: a late answer would be
// taken for that of the next statement. The next call makes a new connection.
// Nothing is sent twice. %s is a text: it is quoted, whatever it contains; %d
// is a number; there is nothing else.
struct sql_result sql_call(struct sql *sql, const char *format, ...);

// The same for a statement that may wait in the server for another's lock, at
// most `kept_ms`: the answer has two seconds more than that.
struct sql_result sql_call_kept(struct sql *sql, int kept_ms,
                                const char *format, ...);

#endif
