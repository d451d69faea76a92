// A mariadbd that is started for this run: in the sandbox, without a port, with
// the world's wall clock.
//
// Its folder is empty at first. A server that asks nobody who he is
// (--skip-grant-tables) needs no tables of its own: it makes what InnoDB needs
// when it starts. The usual way, mariadb-install-db, takes a second and 77 MB.
// The world then makes the few tables that name two accounts, and from then on
// the server asks: root may do everything, and clients may use their database.
// So a server that is read-only refuses what a client writes.
#ifndef MARIADBD_H
#define MARIADBD_H

#include "engines/daemon.h"
#include "sql.h"

#include <stdbool.h>

// The database in which clients have their tables.
#define MARIADB_DATABASE "lockstep"

// The account of the clients. It has no password.
#define MARIADB_CLIENT "client"

// The world's own connections to each server; an operator's comes and goes.
enum { MARIADB_OURS = 2 };

struct mariadbd {
    struct daemon daemon; // notes the first error in its log
    bool is_replica; // of the first server: it starts read-only
    bool was_read_only; // before the world made it refuse writes
    bool emptied; // its disk is wiped, and it has not started since
    unsigned foreign; // connections that it had counted before ours
    struct sql_session *own;      // the world's own connection
    struct sql_session *reader;   // has an open transaction; because of it the
                                  // server purges nothing
    struct sql_session *operator; // an operator's; NULL: not yet, or closed
    char version[64];     // "mariadb 10.11.6"
    char asked[64];       // the world's last statement, for messages
    // When nothing moved in it any more:
    int rested_idle;          // clients' connections without a statement
    unsigned rested_connections; // made until then
    bool rested;              // and nobody waited for a lock
    int holder; // the connection that had locked a row when last looked at
    int numbered_before; // connections, before the world's own
    char forgotten[64]; // the last transaction of the races before this one, as
                        // a replica names it; "": there were none
};

// Gives it a name and a place, from its number. Must stay where it is.
void mariadbd_open(struct mariadbd *server, int number);

// Starts the program that MARIADB_SERVER names, or mariadbd, and returns when
// it answers. Fails the world when there is none.
void mariadbd_start(struct mariadbd *server);

// Threads of its own have got numbers, as connections do: those count no more.
void mariadbd_excuse_threads(struct mariadbd *server);

// The same, and the next connection is numbered as the first of a new server.
void mariadbd_count_anew(struct mariadbd *server);

// From now on clients cannot write to it, or can again.
void mariadbd_set_read_only(struct mariadbd *server, bool on);

// SIGKILL. It can be started again, from its disk.
void mariadbd_kill(struct mariadbd *server);

// Deletes the tables of the clients, which are gone: the server goes on as if
// it had just been started.
void mariadbd_forget(struct mariadbd *server);

// It runs, or is dead, and is not needed any more.
void mariadbd_close(struct mariadbd *server);

// Asks on the world's own connection. An error, or no answer, fails the world.
// packets_free() frees the answer.
struct sql_answer mariadbd_ask(struct mariadbd *server, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The same of a table; without rows, if there is no such table.
struct sql_answer mariadbd_look(struct mariadbd *server, const char *format,
                                ...) __attribute__((format(printf, 2, 3)));

// The same, of one number.
long long mariadbd_number(struct mariadbd *server, const char *statement,
                          int column);

// Fails the world: this server has ended by itself, or does not answer.
_Noreturn void mariadbd_fail(struct mariadbd *server);

// Has it accepted a connection that this process has not made?
bool mariadbd_has_met_others(struct mariadbd *server);

#endif
