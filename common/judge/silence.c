// Silence: a result that says nothing about the lock, though the story has not
// caused that. The story causes it in four ways, during the operation. It
// breaks a connection, has the server down, or makes it refuse a command. Or it
// does something that the server then answers with an error.
//
// Three results say nothing. They are "unknown" and "error", a write that is
// said to be done and has not reached the server, and an unproven "ok". Its
// client was outside, and has changed nothing under the lock's key. (The change
// may come from an earlier operation whose end was unknown. A lock that is
// local, as the catalogue says, has no key to change.)
#include "facts.h"
#include "property.h"
#include "verdict.h"

static void check_proof(struct judge *judge, const struct event *event) {
    bool *unproven = &judge->view.clients[event->client].unproven;

    if (event->operation != OPERATION_ENTER &&
        event->operation != OPERATION_LEAVE)
        return;
    *unproven =
        judge_is_unproven(judge, event) && !judge_is_nested(judge, event);
    if (!*unproven)
        return;
    judge->blind = true;
    judge_see_nothing(judge, event->client,
                      "says that it is inside, and has changed nothing under "
                      "the lock's key.");
}

// (An answer to the question whether a client still holds the lock is never
// silence: anything but "lost" means that the client knows of no loss.)
static void check_answer(struct judge *judge, const struct event *event) {
    const struct silence *silence = &judge->silence;
    int client = event->client;

    if (event->operation == OPERATION_HELD)
        return;
    if (operation_writes(event->operation) && event->result == RESULT_OK &&
        !silence->written[client])
        judge_see_nothing(judge, client,
                          "says that it has written, and nothing has reached "
                          "the server.");
    if (told_mistake(judge, event) || judge_is_definite(event->result) ||
        !event->all_reachable || silence->troubled[client] ||
        (judge->operations[client].refused && silence->server_touched))
        return;
    judge_see_nothing(judge, client,
                      event->result == RESULT_ERROR
                      ? "hears an error that the story has not caused."
                      : "hears nothing, and the story has not caused that.");
}

static void watch_client(struct judge *judge, const struct event *event) {
    bool *troubled = &judge->silence.troubled[event->client];
    bool *written = &judge->silence.written[event->client];

    switch (event->kind) {
    case EVENT_ASKED:
        *troubled = !event->all_reachable;
        *written = false;
        break;
    case EVENT_RAN:
        *written |= write_is_taken(event->write);
        break;
    case EVENT_REFUSED:
    case EVENT_CUT:
    case EVENT_GAVE_UP:
    case EVENT_ISOLATED:
        *troubled = true;
        break;
    case EVENT_RESULT:
        check_proof(judge, event);
        check_answer(judge, event);
        break;
    default:
        break;
    }
}

void silence_watch(struct judge *judge, const struct event *event) {
    struct silence *silence = &judge->silence;

    if (event->client >= 0) {
        watch_client(judge, event);
        return;
    }
    silence->server_touched |= event->kind == EVENT_SERVER;
    for (int i = 0; i < judge->client_count; i++)
        silence->troubled[i] |=
            event->kind == EVENT_SERVER || event->delayed >> i & 1;
}
