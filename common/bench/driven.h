// A client of a lock, or something in its place, that is told lines and says
// one line for each.
#ifndef DRIVEN_H
#define DRIVEN_H

#include "engines/redis/instance.h"

#include <stdio.h>
#include <sys/types.h>

struct driven {
    pid_t pid;
    int in; // what it is told
    int out;
    FILE *said;
};

// The URL at which a child of this process reaches the server.
enum { URL_SIZE = 64 };
const char *driven_url(const struct instance *server, char url[URL_SIZE]);

// Starts the client of this lock on these servers (REDIS_URLS; the first is
// also REDIS_URL), and returns when it is ready.
struct driven driven_client(const char *lock, const char *urls);

// The same of a child that is no program of its own: it calls be(argument), and
// talks on its standard input and output.
struct driven driven_child(void (*be)(const void *argument),
                           const void *argument);

void driven_tell(const struct driven *driven, const char *lines);

// Waits for the next line and fails if it is another one.
void driven_hear(const struct driven *driven, const char *line);

// Tells it the end, and waits until it has said everything and has ended.
void driven_end(struct driven *driven);

#endif
