// An engine's rules about requests, for a search.
//
// A search follows a server without asking it. Beside what lies under its keys,
// a server remembers something of its clients: who watches a key, which
// commands wait in a transaction, which scripts are stored. The rules say how a
// request changes that. They read its words, as a trace shows them, and nothing
// else.
#ifndef REQUESTS_H
#define REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAITS_NOT = -1 };

struct request_rules {
    // Does what the server makes of it depend on the server's clock?
    bool (*looks_at_clock)(const char *request);

    // The longest wait of the request in the server, in milliseconds; 0:
    // without a limit; WAITS_NOT: it is answered at once.
    int64_t (*waits_ms)(const char *request);

    // Does its connection hear messages from now on?
    bool (*listens)(const char *request);

    // The number of its first characters that store a script; 0: it stores
    // none.
    size_t (*stores)(const char *request);

    // The server's memory of a connection, in words; "": none. The first gives
    // it after this request was answered, or refused; NULL: none. The second
    // gives it after a key has changed, which is taken to be the lock; NULL: it
    // is the same as before. The caller frees the result.
    char *(*session_after)(const char *session, const char *request,
                           const char *answer, bool refused);
    char *(*session_changed)(const char *session);
};

#endif
