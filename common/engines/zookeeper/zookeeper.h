// ZooKeeper as an engine: one server that stands alone, or an ensemble of three
// where a story has a replica.
//
// A lock is a node with the lock's name. Its children are the holder and the
// clients that wait. Their order is that of the numbers at the ends of their
// names, which the server has put there. The first one has the lock.
#ifndef ZOOKEEPER_ENGINE_H
#define ZOOKEEPER_ENGINE_H

#include "engines/engine.h"

extern const struct engine_kind zookeeper_engine;

#endif
