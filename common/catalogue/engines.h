// The engines that there are, by name. Only this file names them.
#ifndef ENGINES_H
#define ENGINES_H

#include "engines/engine.h"

// The engine of this lock: as its head says with "Engine:", otherwise Redis.
// Refuses a name that there is not.
const struct engine_kind *engines_of(const char *lock);

// A guest's, unless another is named.
const struct engine_kind *engines_usual(void);

// By its name. Refuses one that there is not.
const struct engine_kind *engines_named(const char *name);

#endif
