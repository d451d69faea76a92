// The one place where the world waits: file descriptors and what to do when
// they are ready.
#ifndef LOOP_H
#define LOOP_H

#include <stdbool.h>

// Belongs to whoever watches; must stay where it is while it is watched.
struct watch {
    int fd;
    void (*ready)(void *owner);
    void *owner;
};

void loop_watch(struct watch *watch, int fd, void (*ready)(void *owner),
                void *owner);

// The same for the moment at which the descriptor takes bytes again.
void loop_watch_room(struct watch *watch, int fd, void (*ready)(void *owner),
                     void *owner);

// Stops watching and closes the descriptor. Nothing if it is not open (-1).
void loop_close(struct watch *watch);

// Stops watching and leaves the descriptor open.
void loop_pause(struct watch *watch);

// Watches it again, after loop_pause().
void loop_resume(struct watch *watch);

// Calls what is ready; waits at most `us` microseconds for something to be.
// False if nothing was.
bool loop_turn(int us);

#endif
