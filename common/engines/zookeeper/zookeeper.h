// ZooKeeper as an engine: one server that stands alone, or an ensemble of three
// where a story has a replica.
//
// A lock is a node with the lock's name. Its children are those that have it or
// wait for it, in the order of the numbers that the server has put at the ends
// of their names; the first of them has the lock.
#ifndef ZOOKEEPER_ENGINE_H
#define ZOOKEEPER_ENGINE_H

#include "engines/engine.h"

extern const struct engine_kind zookeeper_engine;

#endif
