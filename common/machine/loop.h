// The event loop, the one place where the world waits: file descriptors, and a
// function for each that is called when the descriptor is ready.
#ifndef LOOP_H
#define LOOP_H

#include <stdbool.h>

// The caller owns it. It must not move in memory while it is watched.
struct watch {
    int fd;
    void (*ready)(void *owner);
    void *owner;
};

// Calls ready(owner) whenever there is something to read from `fd`.
void loop_watch(struct watch *watch, int fd, void (*ready)(void *owner),
                void *owner);

// Calls ready(owner) whenever there is room to write to `fd`.
void loop_watch_room(struct watch *watch, int fd, void (*ready)(void *owner),
                     void *owner);

// Stops watching and closes the descriptor. Does nothing if it is -1.
void loop_close(struct watch *watch);

// Stops watching and leaves the descriptor open.
void loop_pause(struct watch *watch);

// Waits at most `us` microseconds until a descriptor is ready, then calls the
// functions of all that are. False if none was ready.
bool loop_turn(int us);

#endif
