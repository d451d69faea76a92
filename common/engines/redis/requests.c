#include "requests.h"

#include "resp.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool begins(const char *request, const char *words) {
    return strncasecmp(request, words, strlen(words)) == 0;
}

static bool is(const char *request, const char *words) {
    return strcasecmp(request, words) == 0;
}

// --- the clock ---------------------------------------------------------------

// A script is known by its name. In a transaction a command is one of many.
static bool looks_at_clock(const char *request) {
    return resp_names_instant(request) || strstr(request, SCRIPT_CLOCK) ||
           is(request, "TIME") || strcasestr(request, "; TIME");
}

// --- requests that wait in the server ----------------------------------------

// (The last word of these commands is the wait in seconds.)
static int64_t waits_ms(const char *request) {
    static const char *const names[] = {"BLPOP ", "BRPOP ", "BLMOVE ",
                                        "BRPOPLPUSH ", "BZPOPMIN ",
                                        "BZPOPMAX "};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (begins(request, names[i]))
            return (int64_t)(strtod(strrchr(request, ' '), NULL) * 1000 + 0.5);
    return WAITS_NOT;
}

static bool listens(const char *request) {
    return begins(request, "SUBSCRIBE ");
}

// --- scripts -----------------------------------------------------------------

// "EVAL script" of "EVAL script 1 lock A1", and all of "SCRIPT LOAD script".
static size_t stores(const char *request) {
    static const char eval[] = "EVAL ";

    if (begins(request, eval))
        return strlen(eval) + strcspn(request + strlen(eval), " ");
    return begins(request, "SCRIPT LOAD ") ? strlen(request) : 0;
}

// --- WATCH and MULTI ---------------------------------------------------------

static const char watching[] = "WATCH", changed[] = "WATCH changed";

// "MULTI; SET lock A1"
static char *with(const char *session, const char *mark, const char *request) {
    char *longer;

    if (asprintf(&longer, "%s%s%s%s", session, *session ? "; " : "", mark,
                 request) < 0)
        fail("there is no memory left");
    return longer;
}

static bool in_transaction(const char *session) {
    return strstr(session, "MULTI") != NULL;
}

static bool ends_transaction(const char *request) {
    return is(request, "EXEC") || is(request, "DISCARD");
}

static char *session_after(const char *session, const char *request,
                           const char *answer, bool refused) {
    if (refused && in_transaction(session) && !ends_transaction(request))
        return with(session, "refused ", request);
    if (is(request, "MULTI"))
        return with(session, "", "MULTI");
    if (begins(request, "WATCH "))
        return must_have(strdup(*session ? session : watching));
    if (!*session || is(request, "UNWATCH"))
        return NULL;
    if (is(answer, "QUEUED"))
        return with(session, "", request);
    return in_transaction(session) ? NULL : must_have(strdup(session));
}

// EXEC will do nothing for a client that watches it.
static char *session_changed(const char *session) {
    char *after;

    if (!begins(session, watching) || begins(session, changed))
        return NULL;
    if (asprintf(&after, "%s%s", changed, session + strlen(watching)) < 0)
        fail("there is no memory left");
    return after;
}

const struct request_rules redis_requests = {
    .looks_at_clock = looks_at_clock,
    .waits_ms = waits_ms,
    .listens = listens,
    .stores = stores,
    .session_after = session_after,
    .session_changed = session_changed,
};
