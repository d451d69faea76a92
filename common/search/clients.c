// What a server remembers of its clients, beside what lies under its keys.
#include "clients.h"

#include "base/fail.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

// What the server keeps for a connection: that it watches, whether what it
// watches has changed since then, and what is queued in its transaction.
static text_id noted_after(text_id noted, const char *request,
                           const char *answer) {
    if (strcasecmp(request, "MULTI") == 0)
        return noted ? text_format("%s; MULTI", text_words(noted))
                     : text_of("MULTI");
    if (strncasecmp(request, "WATCH ", 6) == 0)
        return noted ? noted : text_of("WATCH");
    if (!noted || strcasecmp(request, "UNWATCH") == 0)
        return NO_TEXT;
    if (strcmp(answer, "QUEUED") == 0)
        return text_format("%s; %s", text_words(noted), request);
    return strstr(text_words(noted), "MULTI") ? NO_TEXT : noted;
}

// A key is not the same any more: EXEC will do nothing for those who watch. All
// are taken to watch the lock.
void clients_mark_watchers(struct position *position) {
    static const char changed[] = "WATCH changed";

    for (int i = 0; i < POSITION_CLIENTS; i++)
        for (int c = 0; c < POSITION_CONNECTIONS; c++) {
            text_id *noted = &position->seats[i].connection[c].noted;
            if (!*noted || strncmp(text_words(*noted), "WATCH", 5) != 0 ||
                strncmp(text_words(*noted), changed, strlen(changed)) == 0)
                continue;
            *noted = text_format("%s%s", changed, text_words(*noted) + 5);
        }
}

// Does somebody listen to what is published?
static bool somebody_listens(const struct position *position) {
    for (int i = 0; i < POSITION_CLIENTS; i++)
        for (int c = 0; c < POSITION_CONNECTIONS; c++)
            if (position->seats[i].connection[c].listens)
                return true;
    return false;
}

text_id position_command(const struct position *position,
                         const struct move *move) {
    const struct seat *seat = &position->seats[move->client];
    text_id request = seat->connection[move->connection - 1].request;
    text_id noted = seat->connection[move->connection - 1].noted;
    const char *mark = move->kind == MOVE_REFUSE ? "refused: " : "";
    const char *heard = somebody_listens(position) ? "heard: " : "";

    if (!noted && !*mark && !*heard)
        return request;
    return text_format("%s%s%s%s%s", text_words(noted), noted ? "; " : "", mark,
                       heard, text_words(request));
}

void clients_publish(struct position *position, text_id message) {
    enum { MOST_MESSAGES = 9 };

    for (int i = 0; i < POSITION_CLIENTS; i++)
        for (int c = 0; c < POSITION_CONNECTIONS; c++) {
            struct seat *seat = &position->seats[i];
            if (!seat->connection[c].listens)
                continue;
            if (seat->connection[c].messages > 0 &&
                seat->connection[c].message != message)
                fail("%c is sent two messages that differ: a search does not "
                     "follow that", 'A' + i);
            if (seat->connection[c].messages == MOST_MESSAGES)
                fail("%c is sent more than %d messages: fewer rounds, please",
                     'A' + i, MOST_MESSAGES);
            seat->connection[c].message = message;
            seat->connection[c].messages++;
        }
}

// Of several masters, a request begins with the number of one: "2> ".
static const char *plain(const char *request) {
    return isdigit((unsigned char)*request) && request[1] == '>' ? request + 3
                                                                 : request;
}

int request_server(text_id request) {
    const char *words = text_words(request);
    return plain(words) != words ? *words - '1' : 0;
}

text_id jump_command(const struct move *move) {
    return text_format("jump %d", move->server + 1);
}

// Which scripts the server knows: those it was told since the beginning or, if
// it was restarted, since then. What clients load when they open their locks is
// there from the beginning.
static text_id scripts_after(text_id scripts, const char *request,
                             bool refused) {
    const char *words = plain(request);
    int begin = (int)(words - request);
    text_id script;

    if (refused && (strncasecmp(words, "EVAL ", 5) == 0 ||
                    strncasecmp(words, "SCRIPT LOAD ", 12) == 0))
        script = text_format("; refused %s;", request);
    else if (strncasecmp(words, "EVAL ", 5) == 0) // EVAL script 1 lock …
        script = text_format("; %.*s;",
                             begin + (int)strcspn(words + 5, " ") + 5, request);
    else if (strncasecmp(words, "SCRIPT LOAD ", 12) == 0)
        script = text_format("; %s;", request);
    else
        return scripts;
    if (strstr(text_words(scripts), text_words(script)))
        return scripts;
    return text_format("%s%s", text_words(scripts), text_words(script));
}

// What it keeps after a command that was queued while it refused to write.
static text_id noted_refused(text_id noted, const char *request) {
    bool ends = strcasecmp(request, "EXEC") == 0 ||
                strcasecmp(request, "DISCARD") == 0;

    return noted && !ends && strstr(text_words(noted), "MULTI")
               ? text_format("%s; refused %s", text_words(noted), request)
               : NO_TEXT;
}

void clients_note(struct position *position, const struct move *move,
                  text_id answer) {
    struct seat *seat = &position->seats[move->client];
    int c = move->connection - 1;
    const char *request = text_words(seat->connection[c].request);
    const char *words = plain(request);
    text_id noted = NO_TEXT;
    bool refused = move->kind == MOVE_REFUSE;

    if (refused)
        noted = noted_refused(seat->connection[c].noted, words);
    if (!noted)
        noted = noted_after(seat->connection[c].noted, words,
                            text_words(answer));
    seat->connection[c].noted = noted;
    position->scripts = scripts_after(position->scripts, request, refused);
}
