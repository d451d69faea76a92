// The servers of a world: the first, and replicas of it.
#ifndef CLUSTER_H
#define CLUSTER_H

#include "choice.h"
#include "redis_server.h"
#include "relay.h"

#include <stdbool.h>
#include <stdint.h>


struct cluster {
    struct redis_server servers[MAX_SERVERS];
    struct relay relays[MAX_SERVERS]; // before the first, one for each replica
    int count;
};

// Starts the first server, with these options ("--appendonly yes", by words).
// Must stay where it is until it is closed.
void cluster_open(struct cluster *cluster, const char *options);
void cluster_close(struct cluster *cluster);

// Starts a replica of the first server and returns when it has everything.
// Its number.
int cluster_add_replica(struct cluster *cluster);

// The server with this number. Fails the world if there is none.
struct redis_server *cluster_server(struct cluster *cluster, int number);

// Does it run: neither dead nor stopped?
bool cluster_runs(const struct cluster *cluster, int number);
bool cluster_is_dead(const struct cluster *cluster, int number);

void cluster_stop(struct cluster *cluster, int number);
void cluster_continue(struct cluster *cluster, int number);

// Its wall clock is ahead by that much.
void cluster_skew(struct cluster *cluster, int number, int64_t ns);

// From now on nothing reaches this replica.
void cluster_hold_replication(struct cluster *cluster, int number);

// Fails the world if this cannot be done to that server, as it is.
void cluster_check(struct cluster *cluster, const struct choice *choice);

// An operator's command, by words: "an operator: DEL lock -> 1". The caller frees
// it. Fails the world if the server refuses and should not, or the other way
// round: what follows would mean something else.
char *cluster_operate(struct cluster *cluster, const struct choice *choice);

#endif
