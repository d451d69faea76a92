#include "replica.h"

#include "base/fail.h"
#include "machine/clock.h"

#include <stdio.h>
#include <string.h>

// After a connection has ended, it makes another one at once, and then one each
// second of the world's time. It makes no noise while nothing happens.
void replica_begin(struct mariadbd *replica, const char *after, int port) {
    struct sql_answer done = mariadbd_ask(
        replica, "SET GLOBAL gtid_slave_pos = '%s'", after);
    packets_free(&done);
    done = mariadbd_ask(
        replica, "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', "
                 "MASTER_PORT = %d, MASTER_USER = 'root', "
                 "MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1, "
                 "MASTER_HEARTBEAT_PERIOD = 0, MASTER_SSL = 0, "
                 "MASTER_SSL_VERIFY_SERVER_CERT = 0", port);
    packets_free(&done);
    replica_go_on(replica);
}

// "0-1-17": the last transaction that this server has put into its log, or has
// done for its master.
static void read_position(struct mariadbd *server, const char *name, char *text,
                          size_t size) {
    struct sql_answer answer = mariadbd_ask(server, "SELECT @@GLOBAL.%s", name);

    snprintf(text, size, "%s",
             answer.rows == 1 && answer.cells[0] ? answer.cells[0] : "");
    packets_free(&answer);
}

// "": there is no such column.
static const char *cell_of(const struct sql_answer *row, const char *name) {
    for (int i = 0; i < row->columns; i++)
        if (strcmp(row->names[i], name) == 0 && row->cells[i])
            return row->cells[i];
    return "";
}

struct threads {
    enum { ENDED, CONNECTING, CONNECTED } state; // ENDED: or it never had any
    bool did_all; // that it has heard
    char done[64]; // the last transaction that it has done
};

// The states of its two threads.
static struct threads look_at_threads(struct mariadbd *replica) {
    struct sql_answer status = mariadbd_ask(replica, "SHOW SLAVE STATUS");
    struct threads threads = {.state = CONNECTING};

    if (status.rows == 0) {
        packets_free(&status);
        return (struct threads){.state = ENDED};
    }
    const char *hears = cell_of(&status, "Slave_IO_Running");
    const char *does = cell_of(&status, "Slave_SQL_Running");
    bool hears_no_more = strcmp(hears, "No") == 0;
    const char *why = cell_of(&status, hears_no_more ? "Last_IO_Error"
                                                     : "Last_SQL_Error");
    if (hears_no_more || strcmp(does, "Yes") != 0)
        threads.state = ENDED;
    else if (strcmp(hears, "Yes") == 0)
        threads.state = CONNECTED;
    if (threads.state == ENDED && *why)
        fail("server %d replicates no more: %s", replica->daemon.number, why);
    read_position(replica, "gtid_slave_pos", threads.done, sizeof threads.done);
    threads.did_all =
        strcmp(threads.done, cell_of(&status, "Gtid_IO_Pos")) == 0;
    packets_free(&status);
    return threads;
}

// Does nothing on a server that is no replica any more.
void replica_go_on(struct mariadbd *replica) {
    struct sql_answer status = mariadbd_ask(replica, "SHOW SLAVE STATUS");
    bool is_one = status.rows > 0;

    packets_free(&status);
    if (!is_one)
        return;
    struct sql_answer done = mariadbd_ask(replica, "START SLAVE");
    packets_free(&done);
    mariadbd_count_anew(replica);
}

bool replica_did_all(struct mariadbd *replica) {
    struct threads threads = look_at_threads(replica);
    return threads.state == ENDED || threads.did_all;
}

bool replica_rests(struct mariadbd *replica, struct mariadbd *master) {
    unsigned slot = replica->daemon.slot;
    char committed[sizeof ((struct threads *)NULL)->done];

    if (clock_has_overdue(slot))
        return false;
    struct threads threads = look_at_threads(replica);
    switch (threads.state) {
    case ENDED:
        return true;
    case CONNECTED:
        if (!master) // it does not know yet
            return false;
        read_position(master, "gtid_binlog_pos", committed, sizeof committed);
        return strcmp(committed, threads.done) == 0;
    default: // until its next attempt, or in real time until the one after
        return threads.did_all &&
               (clock_waits(slot) || (!master && clock_wall_s(slot) == 0));
    }
}
