// Redis, and what is compatible with it, as an engine.
#ifndef REDIS_ENGINE_H
#define REDIS_ENGINE_H

#include "engines/engine.h"

extern const struct engine_kind redis_engine;

#endif
