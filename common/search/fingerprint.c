// A position as a hash: what of it matters for what can come next.
#include "position.h"

struct hash {
    struct fingerprint sum;
    int exchange;
};

static void put(struct hash *hash, uint64_t value) {
    hash->sum.high = mix(hash->sum.high, value);
    hash->sum.low = mix(hash->sum.low ^ 0x5851f42d4c957f2du, value);
}

static void put_text(struct hash *hash, text_id number) {
    put(hash, text_hash(text_exchanged(number, hash->exchange)));
}

// It will not do anything any more: what it was told does not matter.
static bool is_over(const struct seat *seat) {
    return seat->life == DEAD ||
           (seat->life == LIVES && !seat->asked && !seat->hung &&
            seat->depth == 0 && seat->rounds == 0 && seat->wait_ns < 0);
}

static void put_seat(struct hash *hash, const struct seat *seat, int client) {
    put(hash, is_over(seat) ? 0
                            : history_exchanged(client, seat->history,
                                                hash->exchange));
    put(hash, (uint64_t)seat->life | (uint64_t)seat->asked << 2 |
                  (uint64_t)seat->hung << 3 | (uint64_t)seat->confirmed << 4 |
                  (uint64_t)(seat->asked ? seat->operation : 0) << 5 |
                  (uint64_t)seat->depth << 8 |
                  (uint64_t)seat->leaving << 15 |
                  (uint64_t)seat->rounds << 16 |
                  (uint64_t)(is_over(seat) ? 0 : seat->nested) << 24);
    put(hash, (uint64_t)seat->wait_ns);
    for (int c = 0; c < POSITION_CONNECTIONS; c++) {
        if (seat->connection[c].stage == STAGE_QUIET &&
            !seat->connection[c].noted)
            continue;
        put(hash, (uint64_t)c << 8 | (uint64_t)seat->connection[c].stage);
        put_text(hash, seat->connection[c].request);
        put_text(hash, seat->connection[c].answer);
        put_text(hash, seat->connection[c].noted);
    }
}

// How many got in before it and are still inside.
static uint64_t rank_of(const struct view *view, int client) {
    uint64_t rank = 1;

    if (!view->clients[client].inside[0])
        return 0;
    for (int i = 0; i < POSITION_CLIENTS; i++)
        rank += view->clients[i].inside[0] &&
                view->clients[i].entry < view->clients[client].entry;
    return rank;
}

static void put_view(struct hash *hash, const struct view *view, int client) {
    put(hash, rank_of(view, client) |
                  (uint64_t)view->clients[client].acquires << 8 |
                  (uint64_t)view->clients[client].releases << 9 |
                  (uint64_t)view->clients[client].changed << 10 |
                  (uint64_t)view->clients[client].depth << 16);
}

static struct fingerprint exchanged(const struct position *position,
                                    int exchange, int clients) {
    struct hash hash = {.exchange = exchange};
    int who[POSITION_CLIENTS]; // sits there once they are exchanged

    for (int i = 0; i < POSITION_CLIENTS; i++)
        who[exchange_of(exchange, i)] = i;
    put(&hash, (uint64_t)position->now_ns);
    put_text(&hash, position->content);
    put_text(&hash, position->scripts);
    put(&hash, (uint64_t)position->mode);
    put(&hash, (uint64_t)position->probe_ns);
    for (int fault = 0; fault < FAULTS; fault++)
        put(&hash, (uint64_t)position->faults[fault]);
    put(&hash, (uint64_t)position->fault_total);
    // The fresh one sits there only at the end.
    int seated = position->mode == MODE_FREE ? clients : clients + 1;
    for (int i = 0; i < seated; i++) {
        put_seat(&hash, &position->seats[who[i]], who[i]);
        put_view(&hash, &position->view, who[i]);
        put(&hash, position->view.owner == who[i]);
        put(&hash, position->view.clients[who[i]].inside[0]
                       ? (uint64_t)position->seats[who[i]].asked_ns
                       : 0);
    }
    return hash.sum;
}

struct fingerprint position_fingerprint(const struct position *position,
                                        const struct bounds *bounds) {
    struct fingerprint least = exchanged(position, 0, bounds->clients);

    for (int e = 1; e < exchanges(bounds->clients); e++) {
        struct fingerprint other = exchanged(position, e, bounds->clients);
        if (other.high < least.high ||
            (other.high == least.high && other.low < least.low))
            least = other;
    }
    return least;
}
