#include "recall.h"

static struct outcome known(void) {
    return (struct outcome){.known = true};
}

struct outcome recall_client(const struct position *position, int client,
                             text_id told, struct reaction *reaction) {
    history_id history = position->seats[client].history;
    struct occasion occasion = position_occasion(position, client);

    if (memo_client(client, history, told, occasion, reaction))
        return known();
    text_id own = text_exchanged(told, exchange_swap(0, client));
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

struct outcome position_known(const struct position *position,
                              const struct bounds *bounds,
                              const struct move *move) {
    struct position after;
    struct reaction reaction;
    struct effect effect;
    text_id told = move_told(position, move);

    if (told != NO_TEXT)
        return recall_client(position, move->client, told, &reaction);
    switch (move->kind) {
    case MOVE_FORWARD:
    case MOVE_LAND:
    case MOVE_REFUSE:
        return recall_server(position, position->scripts,
                             position_command(position, move), &effect);
    case MOVE_TIME:
        return recall_server(position, NO_TEXT,
                             time_command(position, move->ns), &effect);
    case MOVE_JUMP:
        return recall_server(position, NO_TEXT, jump_command(position, move),
                             &effect);
    case MOVE_RESTART: // each client is told something of its own
        return position_after(position, bounds, move, &after);
    default:
        return known();
    }
}
