// What a search has to know of an engine's requests.
//
// A search follows a server without asking it. Beside what lies under its keys,
// a server remembers something of its clients: who watches a key, which
// commands wait in a transaction, which scripts it was told. The rules say how
// a request changes that. They read its words, as a trace shows them, and
// nothing else.
#ifndef REQUESTS_H
#define REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAITS_NOT = -1 };

struct request_rules {
    // Does what the server makes of it depend on the server's clock?
    bool (*looks_at_clock)(const char *request);

    // How long the server may keep it until something happens, in milliseconds;
    // 0: without a limit; WAITS_NOT: it answers at once.
    int64_t (*waits_ms)(const char *request);

    // Does its connection hear messages from now on?
    bool (*listens)(const char *request);

    // So many characters of it, from its first, store a script; 0: it stores
    // none.
    size_t (*stores)(const char *request);

    // What the server keeps for a connection, in words; "": nothing. The first
    // says it after this request was answered, or refused. The second says it
    // after a key has changed, which is taken to be the lock. The caller frees
    // what they return; NULL: nothing, or the same as before.
    char *(*session_after)(const char *session, const char *request,
                           const char *answer, bool refused);
    char *(*session_changed)(const char *session);
};

#endif
