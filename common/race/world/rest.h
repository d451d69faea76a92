// Coming to rest: nothing in the world moves by itself any more.
#ifndef REST_H
#define REST_H

#include "client.h"
#include "cluster.h"

// Turns the loop until no server has a request that it can work on, and every
// client rests. Fails the world, naming who does not, when that takes longer
// than anything here should.
void rest(struct client *clients, int count, struct cluster *cluster);

#endif
