// A host: namespaces of its own for a client and all that it starts, as if it
// ran on a machine of its own.
//
// Processes of one machine share files, memory, sockets without a path, ports,
// and the list of all processes. Each of these can be a lock between them, and
// on two machines none of them is. On a host, every file system of this machine
// is the lower layer of an overlay: its files can be read. A file that is
// written there stays on the host and is gone with it. Its network is a
// loopback. Of the run's folder it has the client's own part, with the sockets
// of its gate.
//
// A read-only view of all files was the alternative. But flock() can lock a
// file that can only be read, and two hosts would share that lock. The file of
// an overlay is another one on each host. Device files, and the kernel's files
// in /sys, are the same ones everywhere: there flock() is a lock for all.
//
// The first process of a host is a copy of this one. It does nothing but open
// ports. When it ends, the kernel ends all others there.
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <sys/types.h>

enum { HOST_SPACES = 6 };

struct host {
    pid_t first; // its first process; 0: there is no host
    int socket;  // to it
    int spaces[HOST_SPACES]; // the namespaces, to enter them; -1: there is none
};

// Do clients run on hosts of their own? Guests do, unless an option says
// otherwise.
enum hosts { HOSTS_FOR_GUESTS, HOSTS_NONE, HOSTS_FOR_ALL };
void hosts_choose(enum hosts which);
bool hosts_are_wanted(bool guest);
enum hosts hosts_chosen(void);

// Makes a host with this name, which sees this folder and no other one of the
// run's. False, with a line on standard error for the first time, if the kernel
// does not allow it.
bool host_open(struct host *host, const char *name, const char *folder);
void host_close(struct host *host);

// Has nobody left anything there: a file, or memory, semaphores and queues that
// outlive their processes? (The time of a file that was touched is not seen.)
bool host_is_untouched(const struct host *host);

// Starts a program there, as child_exec() does.
pid_t host_exec(const struct host *host, char *const argv[],
                char *const environment[],
                void (*prepare)(const void *argument), const void *argument);

// As loopback_listen(), on the host's loopback.
int host_listen(const struct host *host, int *port);

#endif
