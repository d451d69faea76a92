// The memo: every reaction of clients and server that a run has shown.
//
// A client's next reaction depends only on its stimuli so far: operations,
// answers, broken connections, waits that are over. If it reads its clock or
// has several waits, it also depends on the time. A server's effect depends
// only on its content and on the command. So if one of them has come to the
// same point in two schedules, it does the same thing next in both. A search
// runs real clients on a real server until each such reaction was seen once,
// and remembers it. All other schedules are computed from these reactions. (A
// search with a visited set assumes just as much. The option --verify tests
// this assumption.)
#ifndef MEMO_H
#define MEMO_H

#include "interned.h"

#include "world/event.h"

#include <stdbool.h>

// The number of a history: the stimuli of a client so far, in order. Equal
// histories have equal numbers; 0 is the empty one. A history is noted as if
// its client were A, so that A and B can have the same one.
typedef uint32_t history_id;

enum { MAX_REQUESTS = 4 };

// In place of a wait's time: there is no wait; the wait is the same as before.
// Any other number is a time from now, and negative if the wait is overdue.
#define WAIT_NONE INT64_MIN
#define WAIT_SAME (INT64_MIN + 1)

// A client's reaction to one more stimulus.
struct reaction {
    history_id next;
    bool by_time;     // the occasion matters: it looks at its clock, or has
                      // several waits
    bool has_result;  // the operation ends
    enum result result;
    int64_t wait_ns;  // from now, of the wait that is over first; or one of
                      // those above
    unsigned closes; // 1 << connection: it has stopped listening there
    int requests;
    struct {
        int connection;
        text_id request;
        bool writes; // to what the lock protects
    } request[MAX_REQUESTS];
};

// A server's effect, by a command or by time.
struct effect {
    text_id answer;
    text_id content; // what it holds then
    text_id message; // what it sends to those who listen; NO_TEXT: nothing
    text_id served;  // the requests that it unblocks, and their answers
    bool blocks;     // it blocks this request, and answers it later
    bool is_error;   // its answer
    enum write write; // what the resource has made of it
};

// The time of a stimulus, and the deadline of the client's wait then (-1:
// none), in nanoseconds. They matter for a client that reads its clock, and for
// one with several waits, of which only the first can be seen.
struct occasion {
    int64_t now_ns, wait_ns;
};

uint64_t occasion_hash(struct occasion occasion);

// False: not seen yet.
bool memo_client(int client, history_id history, text_id stimulus,
                 struct occasion occasion, struct reaction *reaction);
bool memo_server(text_id content, text_id scripts, text_id command,
                 struct effect *effect);

// Adds a reaction, and sets `seen->next`. False if the client has reacted
// otherwise at this point before. `of_write`: the stimulus is about a write to
// the resource.
bool memo_teach_client(int client, history_id history, text_id stimulus,
                       struct occasion occasion, bool of_write,
                       struct reaction *seen);
bool memo_teach_server(text_id content, text_id scripts, text_id command,
                       struct effect seen);

// A hash of this client's history when clients are exchanged. It is the same
// for histories that differ only in when, between all else, the client wrote.
uint64_t history_exchanged(int client, history_id history, int exchange);

// Forgets everything: what comes next is another lock.
void memo_forget(void);

// The number of steps of clients and of the server in the memo.
size_t memo_size(void);

// The memory in use, with that of the texts.
size_t memo_bytes(void);

#endif
