// A client that waits as stage 8 does, in bare hiredis: it subscribes, tries,
// sleeps until a message, and tries again. It has no lease, no token and no
// watchdog. Every lock that is built like this needs at least its time for a
// handover.
#ifndef BARE_WAITER_H
#define BARE_WAITER_H

// For driven_child(). The argument is the path of the server's socket.
void bare_waiter(const void *path);

#endif
