// The locks that this checkout has: folders of stages/, clients in build/, and
// what the head of a lock.c says about itself.
#ifndef LOCKS_H
#define LOCKS_H

#include "base/paths.h"

#include <stdbool.h>
#include <stddef.h>

enum { LOCK_NAME_SIZE = 64, MAX_LOCKS = 128 };

struct lock_list {
    char names[MAX_LOCKS][LOCK_NAME_SIZE];
    size_t count;
    bool all; // asked for with one word
};

// All built locks on Redis, the ladder first and in order. A student's own
// locks are left out: they belong only to a table that names them.
void locks_built(struct lock_list *list);

// All built locks on this engine, as their heads say. NULL: the locks of all
// engines but Redis, built or not.
void locks_elsewhere(struct lock_list *list, const char *engine);

// All roads that there are, of any engine, built or not.
void locks_roads(struct lock_list *list);

// The lock that "4", "stage4" or "stage4_set_nx_ex" means, or "detour_x".
// Refuses what is unknown, ambiguous or not built, in one line.
void locks_find(const char *word, char name[LOCK_NAME_SIZE]);

// Is there such a lock, built or not?
bool locks_known(const char *word);

bool locks_is_built(const char *name);

// For --stage: finds it and adds it to a list. Refuses one too many, too.
void locks_add(struct lock_list *list, const char *word);

// For --all: those that are built. Not with --stage.
void locks_add_all(struct lock_list *list);

// The lock last made. Refuses if there is none.
void locks_current(char name[LOCK_NAME_SIZE]);

// The name of a guest in tables and schedules. It belongs to no lock here.
#define LOCK_GUEST "client"

// The key that a lock is opened with, unless something else is said.
#define USUAL_KEY "lock"

// Is the lock a stage of the ladder; a detour, which is a wrong turn; a road,
// which is another right way?
bool locks_is_stage(const char *name);
bool locks_is_detour(const char *name);
bool locks_is_road(const char *name);

// Is the lock a student's own (docs/exercises.md)?
bool locks_is_mine(const char *name);

// Does its head say "Local:"? Then no server knows of the lock, and only the
// threads of one process share it.
bool locks_is_local(const char *name);

// The number of independent masters that a client of the lock speaks with: from
// "Masters:" in its head, otherwise one.
int locks_masters(const char *name);

// The engine that holds it, as its head says with "Engine:". False: it says
// nothing.
bool locks_engine(const char *name, char engine[LOCK_NAME_SIZE]);

// "stage4" for a rung of the ladder, whose number says enough; other names stay
// whole.
void locks_short_name(const char *name, char brief[LOCK_NAME_SIZE]);

// The first line of its lock.c: "Stage 4: one SET that …".
void locks_title(const char *name, char *title, size_t size);

// The path of its client.
void locks_client(const char *name, char path[PATHS_SIZE]);

// The number of a rung; of a detour, the rung that it leaves from, which the
// first line of its lock.c names. -1: it has none.
int locks_number(const char *name);

#endif
