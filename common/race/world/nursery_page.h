// What a nursery and the world agree on.
#ifndef NURSERY_PAGE_H
#define NURSERY_PAGE_H

// The number of the nursery's end of the socket.
#define NURSERY_VARIABLE "LOCKSTEP_NURSERY"

// An order is one packet: the new client's variables, and its standard input
// and output. It is answered with the process number, a pid_t.
enum { NURSERY_ORDER = 4096, NURSERY_FILES = 2 };

// The library's part. Returns at once where there is no nursery, and otherwise
// in every new client.
void wait_in_nursery(void);

#endif
