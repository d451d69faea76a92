// A client of a lock, or a program in its place, that reads lines and writes
// one line for each.
#ifndef DRIVEN_H
#define DRIVEN_H

#include "engines/engine.h"
#include "machine/door.h"

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct driven {
    pid_t pid;
    int in; // its input
    int out;
    FILE *said;
};

// The address for a child of this process: a socket at which it reaches the
// server behind this door.
enum { DRIVEN_PATH_SIZE = 32 };
struct address driven_address(const struct door *door,
                              char path[DRIVEN_PATH_SIZE]);

// A connection of the bench's own to the server at this path; it never is NULL.
redisContext *connect_to(const char *path);

// The server's answer; if it is NULL, the bench ends.
redisReply *must_answer(redisReply *reply);

// Sends PING to the server at this path, so often, each after the answer to the
// one before.
void ping(const char *path, int times);

// Starts the client of this lock on these servers.
struct driven driven_client(const char *lock, const struct address *servers,
                            int count);

// The same of a child that is no program of its own: it calls be(argument), and
// talks on its standard input and output.
struct driven driven_child(void (*be)(const void *argument),
                           const void *argument);

// In such a child: its line.
void driven_say(const char *word);

// Waits until it is ready. Returns it.
struct driven driven_ready(struct driven driven);

// Is a line of the client's waiting to be read?
bool driven_has_spoken(const struct driven *driven);

void driven_order(const struct driven *driven, const char *lines);

// Waits for the next line and fails if it is another one.
void driven_hear(const struct driven *driven, const char *line);

// Tells it the end, and waits until it has said everything and has ended.
void driven_end(struct driven *driven);

#endif
