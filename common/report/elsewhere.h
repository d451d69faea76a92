// The lock of a guest that lies under another key than the world looks at.
#ifndef ELSEWHERE_H
#define ELSEWHERE_H

#include "record.h"

// A sentence that names the key, if the clients' commands have one word around
// the name of their lock: "mutex:lock". NULL if not. The caller frees it.
char *elsewhere_find(const struct record *record);

#endif
