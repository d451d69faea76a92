// Finds files of the repository. Every program is built in a folder of the
// repository (build/lockstep), so the repository's top is the folder above the
// program's folder. A race can therefore be started from any folder.
#ifndef PATHS_H
#define PATHS_H

#include <limits.h>

enum { PATHS_SIZE = PATH_MAX };

// Writes the absolute path of `name`, a path relative to the repository's top.
void paths_join(char path[PATHS_SIZE], const char *name);

#endif
