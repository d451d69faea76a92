#include "engines.h"

#include "base/arguments.h"
#include "engines/mariadb/mariadb.h"
#include "engines/redis/engine.h"
#include "engines/zookeeper/zookeeper.h"
#include "locks.h"

#include <string.h>

static const struct engine_kind *const kinds[] = {
    &redis_engine, &mariadb_engine, &zookeeper_engine};

const struct engine_kind *engines_usual(void) {
    return &redis_engine;
}

static const struct engine_kind *find(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

const struct engine_kind *engines_named(const char *name) {
    const struct engine_kind *kind = find(name);

    if (!kind)
        refuse("there is no engine '%s': redis, mariadb or zookeeper", name);
    return kind;
}

const struct engine_kind *engines_of(const char *lock) {
    char name[LOCK_NAME_SIZE];

    if (!locks_engine(lock, name))
        return engines_usual();
    const struct engine_kind *kind = find(name);
    if (kind)
        return kind;
    refuse("the head of %s wants the engine '%s': there is none of that name",
           lock, name);
}
