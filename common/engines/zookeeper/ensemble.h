// An ensemble: three ZooKeeper servers, of which one leads and two follow.
//
// A change is done when two of the three have it on their disks.
// When the leader is gone, the two others elect the one with the later changes.
// All this takes some rounds of messages, and some of it waits for time to
// pass. So time moves in steps here, and at the end of each all servers come to
// rest together. Only so it is certain when each server has heard each message.
//
// Before the world's clock has begun, and nobody but the servers notices, they
// find each other and elect the first of them.
#ifndef ENSEMBLE_H
#define ENSEMBLE_H

#include "zookeeperd.h"

#include <stdbool.h>
#include <stdint.h>

enum { ENSEMBLE = 3 };

// The first of these servers runs alone. Starts it again as one of three, with
// what it has on its disk, and two others. Returns when it leads them.
void ensemble_begin(struct zookeeperd *servers);

// SIGKILL; a new start from its disk. It may serve clients when some time has
// passed.
void ensemble_kill(struct zookeeperd *servers, int number);
void ensemble_start(struct zookeeperd *servers, int number);

// From now on this server and the first hear nothing of each other.
void ensemble_part(struct zookeeperd *servers, int number);

// Time passes for everybody.
void ensemble_pass_time(struct zookeeperd *servers, int64_t ns);

// Does nothing move in any of them, or between them?
bool ensemble_rests(struct zookeeperd *servers);

// Has anybody connected to one of them but this process and each other?
bool ensemble_has_met_others(const struct zookeeperd *servers);

void ensemble_close(struct zookeeperd *servers);

#endif
