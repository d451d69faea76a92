// The pages of the world: memory that it shares with its processes.
//
// There are two kinds. The clock's page is one for all: the world writes it,
// and a process can only read it. A process's page is its own: it tells the
// world of itself there, and no other process can write or read it. One page
// for both was the alternative. Then any client could write what another one
// reads, and that is a lock in shared memory.
//
// A page has no name. A process inherits both as descriptors. A client closes
// them when it has mapped them. A process that it starts asks the world for
// them, at the socket for its waits.
#ifndef CLOCK_PAGE_H
#define CLOCK_PAGE_H

#include <stdint.h>
#include <sys/types.h>

// The wall clock at the start of every race: 2001-09-09 01:46:40 UTC. It is a
// round number of seconds, so that a reader of a trace understands a deadline
// at once: 1000000030 is thirty seconds after the start.
#define CLOCK_EPOCH_S 1000000000LL

// The monotonic clock at that time, of the process in the first slot. Its
// machine has been up for 34 days: more milliseconds than an int can count.
// Each further client's begins so much later than the one before, as if on a
// machine of its own. So nothing works by luck that mistakes it for the wall
// clock, or for another client's clock.
#define CLOCK_MONOTONIC_S 3000000LL
#define CLOCK_APART_S 1000LL

// Environment variables: the number of this process's slot in the clock's page;
// for clients only, the path of the socket for its waits. For jvm_preload.c
// only, the folders of its network, without the number at their ends.
#define CLOCK_SLOT_VARIABLE "LOCKSTEP_CLOCK_SLOT"
#define CLOCK_WAITS_VARIABLE "LOCKSTEP_WAITS"
#define CLOCK_PORTS_VARIABLE "LOCKSTEP_PORTS"

// The deadline of a wait without a limit.
#define SERVER_WAIT_ENDLESS (INT64_MAX / 2)

// The descriptors as which a process inherits its pages.
enum { CLOCK_PAGE_FD = 3, PROCESS_PAGE_FD = 4 };

enum { CLOCK_SLOTS = 64, SERVER_WAITS = 64, CLOCK_CONNECTIONS = 32 };

struct clock_page {
    _Atomic int64_t now_ns;               // since the race began
    _Atomic int64_t skew_ns[CLOCK_SLOTS]; // how far a wall clock is ahead
    _Atomic uint64_t seed;                // of all that clients draw
    // For servers in a Java virtual machine (jvm_preload.c):
    _Atomic int is_virtual;  // false: real time
    _Atomic int64_t past_ns; // before now_ns, where it has seen other races
    _Atomic uint32_t moves;  // how often the time has changed: a process can
                             // wait for the next one
    _Atomic uint32_t cut_off[CLOCK_SLOTS]; // from these hosts: a bit for each
    // How long a client's machine has been suspended: its CLOCK_MONOTONIC stood
    // still, and its CLOCK_BOOTTIME went on.
    _Atomic int64_t suspended_ns[CLOCK_SLOTS];
};

enum server_wait_state { WAIT_FREE, WAIT_TAKEN, WAIT_SHOWN };

struct process_page {
    _Atomic uint32_t reads; // how often it has read its clock
    // Its time-outs of waits for an answer, for its connections in the order in
    // which it made them; 0: none, or it is not known.
    _Atomic int64_t limit_ns[CLOCK_CONNECTIONS];
    _Atomic pid_t first;    // a client's first process; 0: none yet
    _Atomic uint64_t drawn; // random words, by a client so far
    _Atomic uint32_t is_loaded; // a client has said so (fork_server_page.h)
    struct server_wait { // of a thread of a server, for a condition
        _Atomic uint32_t state;   // enum server_wait_state
        _Atomic int64_t until_ns; // by its wall clock, since 1970
        _Atomic uint64_t thread;  // as its pthread_self()
    } server_waits[SERVER_WAITS];
    // For a server in a Java virtual machine:
    _Atomic uint32_t accepted;  // connections
    _Atomic uint32_t connected; // to others of its kind
};

// A thread tells the world until when it waits, or until when it has set a
// timer. The main thread is 0, and the others are numbered in the order of
// their first waits. The threads of processes that the client has started come
// after all of them, and then timers. Of two waits until the same instant, the
// world ends the one with the lower number first. With a timer comes a
// descriptor (SCM_RIGHTS): the timer rings when the world writes the number 1
// to it, as to an eventfd.
//
// A process without its pages has no wait, and the number PAGES_WANTED. The
// world sends it both descriptors.
enum { PAGES_WANTED = -1, WAIT_OF_CHILD = 1000, WAIT_OF_TIMER = 2000 };

struct announced_wait {
    int64_t deadline_ns; // as now_ns
    int64_t thread;
    int64_t goes_on; // 0: it is put off while the client's machine is suspended
};

#endif
