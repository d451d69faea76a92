#include "memo.h"

#include "snapshot.h"

#include "base/list.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t ANY_TIME = UINT64_MAX;

// --- a table from hashes to entries of one size -----------------------------

struct memo {
    struct map numbers; // of entries
    size_t entry_size;
    char *entries;
};

static void *table_find(const struct memo *table, struct map_key key) {
    uint32_t number = map_find(&table->numbers, key);
    return number == MAP_NONE ? NULL
                              : table->entries + number * table->entry_size;
}

// The key is not there yet.
static void table_add(struct memo *table, struct map_key key,
                      const void *entry) {
    uint32_t count = table->numbers.count;

    map_add(&table->numbers, key);
    table->entries = list_grow(table->entries, count, table->entry_size);
    memcpy(table->entries + count * table->entry_size, entry,
           table->entry_size);
}

static size_t table_bytes(const struct memo *table) {
    return map_bytes(&table->numbers) +
           table->numbers.count * table->entry_size;
}

// Among a million keys the odds that two are equal by chance are less than one
// in 10^26.
static struct map_key key_of(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    return (struct map_key){mix(mix(mix(a, b), c), d),
                            mix(mix(mix(d + 1, c), b), a)};
}

// --- histories --------------------------------------------------------------

// The stimuli of a client that are about its writes stand apart from all
// others. The order of its writes and of other operations makes no difference
// to its lock. So there are two chains, and a history is the last link of both.
// (With one chain, a lock with a watchdog has five times as many positions.)
struct past {
    uint64_t exchanged[MAX_EXCHANGES];
    bool of_write;
    history_id other; // the last link of the other chain
};

static struct past *pasts; // by number
static uint32_t past_count;

// The last link of one of the two chains.
static history_id link_of(history_id history, bool of_write) {
    return pasts[history].of_write == of_write ? history
                                               : pasts[history].other;
}

static history_id add_history(history_id before, text_id stimulus,
                              uint64_t when, bool of_write) {
    pasts = list_grow(pasts, past_count, sizeof *pasts);
    if (past_count == 0) {
        memset(&pasts[past_count++], 0, sizeof *pasts); // no stimulus yet
        pasts = list_grow(pasts, past_count, sizeof *pasts);
    }
    struct past *past = &pasts[past_count];
    past->of_write = of_write;
    past->other = link_of(before, !of_write);
    before = link_of(before, of_write);
    for (int i = 0; i < MAX_EXCHANGES; i++)
        past->exchanged[i] =
            mix(mix(pasts[before].exchanged[i],
                    text_hash(text_exchanged(stimulus, i))),
                when);
    return past_count++;
}

// The exchange that makes this client A, so that it sees the world from its own
// side.
static int own_side(int client) {
    return exchange_swap(0, client);
}

uint64_t history_exchanged(int client, history_id history, int exchange) {
    int from_own_side = exchange_both(own_side(client), exchange);
    if (!history)
        return 0;
    history_id write = link_of(history, true);
    uint64_t hash = pasts[link_of(history, false)].exchanged[from_own_side];
    return write ? mix(hash, pasts[write].exchanged[from_own_side]) : hash;
}

// --- clients ----------------------------------------------------------------

static struct memo reactions = {.entry_size = sizeof(struct reaction)};
static struct memo effects = {.entry_size = sizeof(struct effect)};

uint64_t occasion_hash(struct occasion occasion) {
    return mix((uint64_t)occasion.now_ns, (uint64_t)occasion.wait_ns);
}

static struct map_key point(history_id history, text_id stimulus,
                            uint64_t when) {
    return key_of(history, stimulus, when, 1);
}

// The same reaction from the client's own side, or back: it is a swap.
static void turn(int client, struct reaction *reaction) {
    for (int i = 0; i < reaction->requests; i++)
        reaction->request[i].request =
            text_exchanged(reaction->request[i].request, own_side(client));
}

static const struct reaction *find_reaction(history_id history,
                                            text_id stimulus,
                                            struct occasion occasion) {
    const struct reaction *at_any =
        table_find(&reactions, point(history, stimulus, ANY_TIME));
    return at_any ? at_any
                  : table_find(&reactions, point(history, stimulus,
                                                 occasion_hash(occasion)));
}

bool memo_client(int client, history_id history, text_id stimulus,
                 struct occasion occasion, struct reaction *reaction) {
    const struct reaction *known = find_reaction(
        history, text_exchanged(stimulus, own_side(client)), occasion);

    if (!known)
        return false;
    *reaction = *known;
    turn(client, reaction);
    return true;
}

static bool same_reaction(const struct reaction *one,
                          const struct reaction *other) {
    bool same = one->by_time == other->by_time &&
                one->has_result == other->has_result &&
                (!one->has_result || one->result == other->result) &&
                one->wait_ns == other->wait_ns &&
                one->closes == other->closes &&
                one->requests == other->requests;

    for (int i = 0; same && i < one->requests; i++)
        same = one->request[i].connection == other->request[i].connection &&
               one->request[i].request == other->request[i].request &&
               one->request[i].writes == other->request[i].writes;
    return same;
}

bool memo_teach_client(int client, history_id history, text_id stimulus,
                       struct occasion occasion, bool of_write,
                       struct reaction *seen) {
    struct reaction own = *seen;

    stimulus = text_exchanged(stimulus, own_side(client));
    turn(client, &own);
    const struct reaction *known = find_reaction(history, stimulus, occasion);
    if (known) {
        seen->next = known->next;
        return same_reaction(known, &own);
    }
    uint64_t when = seen->by_time ? occasion_hash(occasion) : ANY_TIME;
    seen->next = own.next = add_history(history, stimulus, when, of_write);
    table_add(&reactions, point(history, stimulus, when), &own);
    return true;
}

// --- the server -------------------------------------------------------------

bool memo_server(text_id content, text_id scripts, text_id command,
                 struct effect *effect) {
    int exchange = exchange_in_order(content, command);
    const struct effect *known = table_find(
        &effects, key_of(text_exchanged(content, exchange), scripts,
                         text_exchanged(command, exchange), 2));

    if (!known)
        return false;
    effect->answer = text_exchanged(known->answer, exchange_back(exchange));
    effect->content = text_exchanged(known->content, exchange_back(exchange));
    effect->message = text_exchanged(known->message, exchange_back(exchange));
    effect->served = text_exchanged(known->served, exchange_back(exchange));
    effect->blocks = known->blocks;
    effect->is_error = known->is_error;
    effect->write = known->write;
    return true;
}

bool memo_teach_server(text_id content, text_id scripts, text_id command,
                       struct effect seen) {
    int exchange = exchange_in_order(content, command);
    struct effect known;

    if (memo_server(content, scripts, command, &known))
        return known.answer == seen.answer && known.content == seen.content &&
               known.message == seen.message && known.served == seen.served &&
               known.blocks == seen.blocks && known.is_error == seen.is_error &&
               known.write == seen.write;
    seen.answer = text_exchanged(seen.answer, exchange);
    seen.content = text_exchanged(seen.content, exchange);
    seen.message = text_exchanged(seen.message, exchange);
    seen.served = text_exchanged(seen.served, exchange);
    table_add(&effects,
              key_of(text_exchanged(content, exchange), scripts,
                     text_exchanged(command, exchange), 2), &seen);
    return true;
}

static void table_empty(struct memo *table) {
    map_empty(&table->numbers);
    free(table->entries);
    table->entries = NULL;
}

void memo_forget(void) {
    table_empty(&reactions);
    table_empty(&effects);
    past_count = 0;
}

size_t memo_size(void) {
    return reactions.numbers.count + effects.numbers.count;
}

size_t memo_bytes(void) {
    return table_bytes(&reactions) + table_bytes(&effects) +
           past_count * sizeof *pasts + text_bytes() + snapshot_bytes();
}
