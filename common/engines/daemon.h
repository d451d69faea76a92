// A server program that is started for this run: its process, its folder in the
// sandbox, the door to it, and its log. Every engine's own struct begins with
// this one.
#ifndef DAEMON_H
#define DAEMON_H

#include "machine/door.h"
#include "machine/loop.h"
#include "machine/process.h"
#include "machine/sandbox.h"

#include <stdbool.h>

enum { DAEMON_PATH_SIZE = SANDBOX_PATH_SIZE + 32 };

struct daemon {
    const struct daemon_kind *kind;
    int number; // 1 for the first
    struct process process;
    char folder[SANDBOX_PATH_SIZE]; // its files
    char path[DAEMON_PATH_SIZE];    // its socket, until we take it
    struct door door;
    bool listens;    // it has made its socket, since it was started last
    bool answers;    // it has answered, since then
    bool met_others; // others have connected to it, before it was killed
    unsigned slot;   // its line in the clock page
    struct watch log;
    char said[4096];     // the beginning of a line of its log
    char last_line[256]; // of its log, for messages
};

struct daemon_kind {
    const char *name; // of its folder and its socket: "redis"

    // The name of the program, for messages.
    const char *(*program)(void);

    // Does it answer by now? Its door is open.
    bool (*answers)(struct daemon *daemon);

    // Notes a line of the log, if it says more than the lines before.
    void (*note_line)(struct daemon *daemon, const char *line);

    // Ends the run, if it knows why the start has failed: the process has ended
    // as `how` says (process_end()).
    void (*explain)(const struct daemon *daemon, const char *how);

    // Ends the run: the server has ended by itself, after it had answered.
    void (*fail)(struct daemon *daemon);
};

// Gives it a name and a place, from its number. The rest is zero; must stay
// where it is.
void daemon_open(struct daemon *daemon, const struct daemon_kind *kind,
                 int number);

// Reads the log of a process that was just started, and returns when the server
// answers. Fails the world if it does not.
void daemon_await(struct daemon *daemon);

// Has the server ended, or does it end within the next moments?
bool daemon_ends(const struct daemon *daemon);

// Ends the run after a wait in vain: `what` is what the server does not do
// ("does not come to rest"). Adds the states of its threads, and the line noted
// from its log. The second only if one of its threads is awake.
_Noreturn void daemon_blame(struct daemon *daemon, const char *what);
void daemon_blame_if_awake(struct daemon *daemon, const char *what);

// Ends the run: the disk is full, as the server has said.
_Noreturn void daemon_blame_disk(const struct daemon *daemon);

// Reads the log up to now, for a message that will quote it.
void daemon_hear(struct daemon *daemon);

// SIGKILL. It can be started again.
void daemon_kill(struct daemon *daemon);

#endif
