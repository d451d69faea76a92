#include "recall.h"

static struct outcome known(void) {
    return (struct outcome){.known = true};
}

struct outcome recall_client(const struct position *position, int client,
                             text_id stimulus, struct reaction *reaction) {
    history_id history = position->seats[client].history;
    struct occasion occasion = position_occasion(position, client);

    if (memo_client(client, history, stimulus, occasion, reaction))
        return known();
    text_id own = text_exchanged(stimulus, exchange_swap(0, client));
    return (struct outcome){
        .client = client,
        .missing = mix(mix(history, 1),
                       mix(own, occasion_hash(occasion)))};
}

struct outcome recall_server(const struct position *position,
                             text_id scripts, text_id command,
                             struct effect *effect) {
    if (memo_server(position->content, scripts, command, effect))
        return known();
    int exchange = exchange_in_order(position->content, command);
    text_id content = text_exchanged(position->content, exchange);
    return (struct outcome){
        .client = NOBODY,
        .missing = mix(mix(content, scripts),
                       text_exchanged(command, exchange))};
}
