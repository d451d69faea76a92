// What clients and server have been seen to do.
//
// A client is a function of what it was told (operations, answers, broken
// connections, waits that are over) and, where it looks, of its clock; a server
// is one of what it holds and of the command. So what one of them does at a
// point in one schedule it also does in every other schedule in which it has
// come to the same point. A search runs real clients on a real server until
// each of these steps has been seen once, and puts together from them what was
// not run as a whole. That is no more than a table of visited states takes for
// granted, and --verify puts it to the test.
#ifndef MEMO_H
#define MEMO_H

#include "interned.h"

#include "world/event.h"

#include <stdbool.h>

// What a client has been told so far, in order, by number: equal histories have
// equal numbers. 0: nothing yet. Clients are alike: told from each one's own
// side, as if it were A and A were it, their histories are the same.
typedef uint32_t history_id;

enum { MAX_REQUESTS = 4, WAIT_SAME = -2 };

// What it does when it is told one thing more.
struct reaction {
    history_id next;
    bool looks;       // at its clock
    bool has_result;  // the operation ends
    enum result result;
    int64_t wait_ns;  // from now, of the wait that is over first; -1: none,
                      // WAIT_SAME: the one that was there
    int requests;
    struct {
        int connection;
        text_id request;
    } request[MAX_REQUESTS];
};

// What a server does with a command, or when time passes.
struct effect {
    text_id answer;
    text_id content; // what it holds then
};

// False: not seen yet.
bool memo_client(int client, history_id history, text_id told, int64_t now_ns,
                 struct reaction *reaction);
bool memo_server(text_id content, text_id scripts, text_id command,
                 struct effect *effect);

// Seen: `seen->next` is set. False if it has done something else at the same
// point before.
bool memo_teach_client(int client, history_id history, text_id told,
                       int64_t now_ns, struct reaction *seen);
bool memo_teach_server(text_id content, text_id scripts, text_id command,
                       struct effect seen);

// A hash of this client's history when clients are exchanged.
uint64_t history_exchanged(int client, history_id history, int exchange);

// Forgets everything: what comes next is another lock.
void memo_forget(void);

// How many steps of clients and of the server have been seen.
size_t memo_size(void);

// What is remembered, with its texts.
size_t memo_bytes(void);

#endif
