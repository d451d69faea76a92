// Where the repository is: two folders above nothing but the program itself,
// so that a scenario can be started from any folder.
#ifndef PATHS_H
#define PATHS_H

#include <limits.h>

enum { PATHS_SIZE = PATH_MAX };

// The absolute path of `name`, which is relative to the repository's top.
void paths_join(char path[PATHS_SIZE], const char *name);

#endif
