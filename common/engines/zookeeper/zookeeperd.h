// A ZooKeeper server that is started for this run: in the sandbox, without a
// port, with the world's whole clock (jvm_preload.c).
#ifndef ZOOKEEPERD_H
#define ZOOKEEPERD_H

#include "engines/daemon.h"
#include "zoo_session.h"

#include <stdbool.h>
#include <stdint.h>

struct zookeeperd {
    struct daemon daemon; // its folder is also its host, 127.0.0.NUMBER
    int peers;            // it is one of an ensemble of so many; 0: alone
    unsigned accepted;    // connections, before it was started last; of one of
                          // several: before it was, and those that were ours
    struct zoo_session *own; // the world's
    char version[64];    // "zookeeper 3.8.0"
    // Of several: they have found each other once; it was woken since they have
    // rested last.
    bool has_found_others, woken;
    // When nothing moved in it any more:
    bool rested;
    int64_t rested_ns;           // the world's time
    unsigned rested_connections; // made until then
};

// Gives it a name and a place, from its number. Must stay where it is.
void zookeeperd_open(struct zookeeperd *server, int number);

// Starts the server from the archive that ZOOKEEPER_JAR names, or from
// Debian's, and returns when it answers. Fails the world when there is none.
void zookeeperd_start(struct zookeeperd *server);

// The same for one of several, in two steps: starts it; returns when it
// listens. It serves nobody until it has found the others (ensemble.h).
void zookeeperd_launch(struct zookeeperd *server);
void zookeeperd_await(struct zookeeperd *server);

// Does one of several serve clients now? Then `own` is open.
bool zookeeperd_serves(struct zookeeperd *server);

// SIGKILL. It can be started again, from its disk.
void zookeeperd_kill(struct zookeeperd *server);

// While it is down: nothing is left of what it has written.
void zookeeperd_wipe(struct zookeeperd *server);

// It runs, or is dead, and is not needed any more.
void zookeeperd_close(struct zookeeperd *server);

// Do all of its threads sleep, and have they done so since it was asked last?
bool zookeeperd_rests(struct zookeeperd *server);

// Waits until they do.
void zookeeperd_come_to_rest(struct zookeeperd *server);

// Makes the node to which the clients of the locks here write (common/lock).
void zookeeperd_make_resource(struct zookeeperd *server);

// The parts of that, for several: has nothing happened since they slept; do
// they sleep at this moment (`mark` is as in tasks_sleep()); they slept.
bool zookeeperd_rested(const struct zookeeperd *server);
bool zookeeperd_sleeps(struct zookeeperd *server, uint64_t *mark);
void zookeeperd_note_rest(struct zookeeperd *server);

// Has anybody connected to it but this process?
bool zookeeperd_has_met_others(struct zookeeperd *server);

// The end of the run: it has not answered this.
_Noreturn void zookeeperd_fail(struct zookeeperd *server, const char *asked);

#endif
