// What a program hands to the program that takes its place in the same process.
//
// A process that starts another program by exec() stays the parent of its
// children, and they still die with it. So servers that cost much to start can
// be kept for the next race, which is another program: descriptors stay open,
// and their numbers stand in a file in memory, which the next program finds by
// a variable. What is handed on has to be taken over in the same order.
#ifndef HANDOVER_H
#define HANDOVER_H

#include <stdio.h>

FILE *handover_begin(void);
void handover_number(FILE *out, long long number);
void handover_text(FILE *out, const char *text); // one line of it
void handover_descriptor(FILE *out, int fd);     // stays open

// Becomes the program argv[0]. Fails the world if it cannot. `out` may be NULL:
// nothing is handed on.
_Noreturn void handover_exec(FILE *out, char *const argv[]);

// What was handed to this program; NULL: nothing. The next program does not
// find it any more.
FILE *handover_taken(void);
long long handover_take_number(FILE *in);
void handover_take_text(FILE *in, char *text, size_t size);
int handover_take_descriptor(FILE *in);

#endif
