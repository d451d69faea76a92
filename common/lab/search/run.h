// Runs schedules for real, one after the other in the same world, and reports
// every step.
//
// A report is lines of text, a group for each step, each group begun by "step":
//
//     q A 1 SET lock A1 NX PX 30000    A has sent this on its connection 1
//     v A 3                            it is a write to the resource
//     a A 1 OK                         the server has answered it
//     e A 1                            with an error
//     t A 3                            the resource has taken the write
//     n A 3                            or refused it
//     k A 1                            or keeps it until something happens,
//     s A 1 [lock:signal, free]        and answers it now
//     r A ok                           A's operation has ended
//     w A 10000000000                  A waits until then; -1: for nothing
//     w A 10000000000 anew             and it has begun that wait just now
//     l A                              A has looked at its clock
//     h lock 30000 A1                  a line of what the server holds
//     p A 1 h                          held at the gate (h), kept by the
//                                      server (k) or answered (a)
//     o A 1 2 0 0 0 0                  possible next, only if it was asked for:
//                                      client, kind, connection, server,
//                                      operation, lock, thread
//
// and "end". Tokens have names. In a world of several masters it is said to
// which one a request goes, and which one holds a key:
//
//     q A 2 2> SET lock A1 NX PX 30000
//     h 2/lock 30000 A1
#ifndef RUN_H
#define RUN_H

#include "engines/engine.h"

#include <stdbool.h>
#include <stdio.h>

struct run_setup {
    const struct engine_kind *engine;
    const char *program; // the client's; a guest's is a shell command
    bool guest;
    int masters; // of the world; at least one
    bool says_what_is_possible; // after each step
    bool loads_anew; // for every client; else the program is loaded once, and
                     // clients are copies of it
};

// Opens the world: a server, and the client's program.
void run_open(const struct run_setup *setup);

// Runs the schedule from the beginning and writes the report.
void run_schedule(const char *schedule, FILE *report);

// Goes on where that ended: of a schedule that begins with the same steps it
// makes the others, and reports on these.
void run_further(const char *schedule, FILE *report);

#endif
