// Knowledge: a client knows that its lock is lost, where it must know.
#include "property.h"
#include "verdict.h"

const struct property_row property_knowledge = {.property = PROPERTY_KNOWLEDGE};

void judge_require_knowledge(struct judge *judge, int client) {
    if (judge->view.clients[client].believes)
        judge_lose(judge, PROPERTY_KNOWLEDGE, client,
                   "does not know that its lock is lost.");
    else
        judge_meet(judge, PROPERTY_KNOWLEDGE, client);
}
