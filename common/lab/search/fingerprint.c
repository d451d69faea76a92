// A position as a hash of all that matters for the next moves, and of nothing
// else. A field too many makes a search longer; a field too few makes it miss
// schedules. tests/models counts the same states by other means.
#include "position.h"
#include "snapshot.h"
#include "writes.h"

#include "base/units.h"

struct hash {
    struct fingerprint sum;
    int exchange;
};

__extension__ typedef unsigned __int128 product;

// The two halves of a product, XORed: the upper half brings all bits of `one`
// into the low bits, which choose a place in the table. Source: the "mum" hash
// functions of Vladimir Makarov, github.com/vnmakarov/mum-hash.
static uint64_t fold(uint64_t one, uint64_t other) {
    product whole = (product)one * other;
    return (uint64_t)whole ^ (uint64_t)(whole >> 64);
}

// Two hashes of the same numbers, with different constants. If both were the
// same for two positions, the second would be taken for the first. With 128
// bits and some hundred million positions that does not happen. (mix() is the
// better hash, and takes five times as long: a position has a hundred numbers.)
static void put(struct hash *hash, uint64_t value) {
    hash->sum.high = fold(hash->sum.high ^ value, 0x9e3779b97f4a7c15u) +
                     0x632be59bd9b4e019u;
    hash->sum.low = fold(hash->sum.low + value, 0xc4ceb9fe1a85ec53u) ^
                    0x5851f42d4c957f2du;
}

static void put_text(struct hash *hash, text_id number) {
    put(hash, text_hash(text_exchanged(number, hash->exchange)));
}

// Is the client done with everything? Then its history does not matter.
static bool is_over(const struct position *position, int client) {
    const struct seat *seat = &position->seats[client];

    return seat->life == DEAD ||
           (seat->life == LIVES && !seat->asked && !seat->hung &&
            seat->depth == 0 && seat->rounds == 0 && seat->second.depth == 0 &&
            seat->second.rounds == 0 && seat->wait_ns < 0 &&
            !seat_has_pending(seat) && !seat->blocked &&
            !position_may_release(position, client));
}

// Has the client given up on a command that can still run?
static bool has_abandoned(const struct seat *seat) {
    for (int c = 0; c < POSITION_CONNECTIONS; c++)
        if (seat->connection[c].abandoned)
            return true;
    return false;
}

static void put_wire(struct hash *hash, const struct seat *seat) {
    for (int c = 0; c < POSITION_CONNECTIONS; c++) {
        if (seat->connection[c].stage == STAGE_QUIET &&
            !seat->connection[c].noted && !seat->connection[c].listens)
            continue;
        put(hash, (uint64_t)c << 8 |
            (uint64_t)seat->connection[c].listens << 5 |
            (uint64_t)seat->connection[c].messages << 16 |
            (uint64_t)seat->connection[c].abandoned << 4 |
            (uint64_t)seat->connection[c].stage);
        put_text(hash, seat->connection[c].request);
        put_text(hash, seat->connection[c].answer);
        put_text(hash, seat->connection[c].message);
        put_text(hash, seat->connection[c].noted);
    }
}

// The part of a seat in which no client's name is.
static uint64_t plain(const struct seat *seat) {
    return (uint64_t)seat->asked | (uint64_t)seat->hung << 1 |
           (uint64_t)seat->leaving << 3 |
           (uint64_t)(seat->asked ? seat->operation : 0) << 4 |
           (uint64_t)seat->depth << 8 |
           (uint64_t)seat->rounds << 16 |
           (uint64_t)seat->nested << 24 |
           (uint64_t)seat->asks << 32;
}

static void put_seat(struct hash *hash, const struct position *position,
                     int client) {
    const struct seat *seat = &position->seats[client];
    bool over = is_over(position, client);

    put(hash, (uint64_t)seat->life << 1 | (uint64_t)over);
    put_wire(hash, seat); // what the dead have sent still arrives
    if (seat->blocked) {
        put(hash, seat->blocked);
        put(hash, (uint64_t)seat->blocked_ns);
    }
    if (over)
        return;
    put(hash, history_exchanged(client, seat->history, hash->exchange));
    put(hash, plain(seat));
    put(hash, (uint64_t)seat->wait_ns);
}

// The client's depth in the second lock, and the judge's notes on it.
static void put_second(struct hash *hash, const struct position *position,
                       int client) {
    const struct seat *seat = &position->seats[client];

    put(hash, (uint64_t)position->view.clients[client].inside[1] |
        (uint64_t)position->view.exclusion.confirmed[client][1] << 1 |
        (uint64_t)(seat->asked && seat->lock > 0) << 2 |
        (uint64_t)seat->second.leaving << 3 |
        (uint64_t)seat->second.depth << 8 |
        (uint64_t)seat->second.rounds << 16);
}

// The judge's notes on promises to this client that can still be broken.
static void put_promises(struct hash *hash, const struct position *position,
                         int client) {
    const struct seat *seat = &position->seats[client];
    const struct view *view = &position->view;
    bool dead = seat->life == DEAD;
    bool may_die = position->faults[FAULT_CRASH] > 0 &&
                   position->fault_total > 0;
    bool may_repeat = view->clients[client].told.leaves &&
                      position_may_release(position, client);

    if (!dead && ((seat->asked && view->clients[client].releases) ||
                  (!seat->asked && may_repeat)))
        put(hash, (uint64_t)view->clients[client].told.release);
    if (seat->asked && view->clients[client].acquires)
        put(hash, view->bounded.clients[client].overdue);
    if (seat->asked)
        put(hash, view->clients[client].told.hearing);
    if (view->owner == client && snapshot_has_lock(position->content) &&
        (dead || may_die))
        put(hash, (uint64_t)view->bounded.clients[client].sign_ns);
}

static bool may_own(const struct view *view, int client) {
    return view->owner == client ||
           (view->owner >= 0 &&
            view->clients[view->owner].displaced == client);
}

// If nothing has hindered it: since when its lease counts, if that is not over.
static void put_gain(struct hash *hash, const struct position *position,
                     int client) {
    int64_t gained_ns = position->view.clients[client].gained_ns;

    if (may_own(&position->view, client) &&
        snapshot_lock(position->content)->ttl_ms > 0 &&
        position->now_ns < gained_ns + LEASE)
        put(hash, (uint64_t)gained_ns + 1);
}

// Whether it was prompt so far, if it is inside or on its way there.
static void put_prompt(struct hash *hash, const struct position *position,
                       int client) {
    const struct seat *seat = &position->seats[client];
    const struct view *view = &position->view;

    if (!view->clients[client].inside[0] &&
        (seat->life == DEAD || !seat->asked ||
         (!view->clients[client].acquires && !view->clients[client].releases)))
        return;
    put(hash, view->clients[client].prompt);
    if (view->clients[client].prompt)
        put_gain(hash, position, client);
}

// Where writes alone count: the client's writes that are left, whether it has
// written, and the order of the holds.
static void put_writes(struct hash *hash, const struct position *position,
                       int client) {
    struct hold_order order = writes_order(position, client);

    put(hash, (uint64_t)(is_over(position, client)
                         ? 0 : position->seats[client].writes) |
        (uint64_t)position->seats[client].wrote << 8 |
        (uint64_t)order.entry << 16 | (uint64_t)order.claim << 24);
}

static uint64_t up_to_a_second(int64_t ns) {
    return (uint64_t)(ns < SECOND ? ns : SECOND);
}

// The judge's notes: how long the client has waited, and how long the lock has
// been free. More than a second does not matter.
static void put_waiting(struct hash *hash, const struct position *position,
                        int client) {
    const struct view *view = &position->view;
    const struct seat *seat = &position->seats[client];

    if (!view->clients[client].waits)
        return;
    put(hash, 1 | (uint64_t)view->wakeup.hindered[client] << 1 |
        (uint64_t)seat->sleeps << 2);
    put(hash, up_to_a_second(position->now_ns -
                             view->clients[client].since_ns));
    put(hash, view->wakeup.free_ns < 0
              ? 0
              : 1 + up_to_a_second(position->now_ns - view->wakeup.free_ns));
}

// The judge's notes: whether the client is inside, and its operation while that
// can still change the lock.
static void put_view(struct hash *hash, const struct position *position,
                     int client) {
    const struct seat *seat = &position->seats[client];
    const struct view *view = &position->view;
    bool dead = seat->life == DEAD;
    bool acquires = view->clients[client].acquires;
    bool releases = view->clients[client].releases;

    put(hash, (uint64_t)view->clients[client].inside[0] |
        (uint64_t)(view->owner == client) << 1 |
        (uint64_t)view->exclusion.confirmed[client][0] << 2);
    for (int i = 0; i < POSITION_CLIENTS; i++)
        if (view->owner == client && view->clients[client].displaced == i)
            put(hash, 1u << 8 | (uint64_t)exchange_of(hash->exchange, i) |
                (uint64_t)view->kept.robs[client] << 16);
    if (!view->disturbed || !view->entry.used) // else nobody asks for it
        put(hash, (uint64_t)view->entry.clients[client].involved |
            (uint64_t)view->entry.clients[client].free << 1);
    if (has_abandoned(seat))
        put(hash, (uint64_t)view->clients[client].late_acquires |
            (uint64_t)view->clients[client].late_releases << 1);
    put_promises(hash, position, client);
    if (dead ? !seat_has_pending(seat) : !seat->asked)
        return;
    put(hash, (uint64_t)acquires | (uint64_t)releases << 1 |
        (uint64_t)(releases && view->clients[client].late) << 3 |
        (uint64_t)(!dead && acquires &&
                   view->clients[client].changed) << 2 |
        (uint64_t)(releases ? view->clients[client].depth : 0) << 8);
}

// The same of the second lock, below.
static void put_second_work(struct hash *hash, const struct position *position,
                            int client) {
    const struct seat *seat = &position->seats[client];
    int64_t ns = position->now_ns - seat->second.asked_ns;

    if (position->view.clients[client].inside[1] ||
        (seat->life != DEAD && seat->asked && seat->lock > 0))
        put(hash, (uint64_t)(ns < LEASE ? ns : LEASE));
}

// The age of the attempt that let the client in, or still may, up to the
// longest lease; and the lease into which its work has to fit.
static void put_work(struct hash *hash, const struct position *position,
                     int client) {
    const struct seat *seat = &position->seats[client];
    int64_t ns = position->now_ns - seat->asked_ns;
    bool enters = seat->life != DEAD && seat->asked && seat->depth == 0 &&
                  seat->lock == 0 &&
                  seat->operation == OPERATION_ENTER;

    if (!enters && !position->view.clients[client].inside[0])
        return;
    put(hash, (uint64_t)(ns < LEASE ? ns : LEASE));
    put(hash, (uint64_t)seat->lease_s);
}

_Static_assert(MOST_FAULTS < 1 << 8, "a count of faults fits eight bits");

// Eight counts in one number.
static void put_faults(struct hash *hash, const struct position *position) {
    uint64_t eight = 0;

    for (int fault = 0; fault < FAULTS; fault++) {
        eight = eight << 8 | (uint64_t)position->faults[fault];
        if (fault % 8 == 7 || fault == FAULTS - 1) {
            put(hash, eight);
            eight = 0;
        }
    }
}

static struct fingerprint exchanged(const struct position *position,
                                    const struct bounds *bounds, int exchange) {
    struct hash hash = {.exchange = exchange};
    int who[POSITION_CLIENTS]; // sits there once they are exchanged

    for (int i = 0; i < POSITION_CLIENTS; i++)
        who[exchange_of(exchange, i)] = i;
    put(&hash, (uint64_t)position->now_ns);
    put_text(&hash, position->content);
    put_text(&hash, position->scripts);
    put(&hash, (uint64_t)position->mode |
        (uint64_t)position->view.disturbed << 8 |
        (uint64_t)position->view.entry.used << 9 |
        (uint64_t)position->view.renews << 10 |
        (uint64_t)position->view.empty_is_free << 11);
    put(&hash, (uint64_t)position->probe_ns);
    put_faults(&hash, position);
    put(&hash, (uint64_t)position->fault_total |
        (uint64_t)position->halfway << 32);
    // The fresh one sits there only at the end.
    int seated = bounds->clients + (position->mode != MODE_FREE);
    for (int i = 0; i < seated; i++) {
        put_seat(&hash, position, who[i]);
        put_view(&hash, position, who[i]);
        put_waiting(&hash, position, who[i]);
        if (bounds->own_lease_s > 0)
            put(&hash, (uint64_t)position->view.clients[who[i]].lease_ns);
        if (bounds->locks > 1)
            put_second(&hash, position, who[i]);
        if (bounds->locks > 1 && bounds->assumed & 1u << ASSUME_WORK_FITS_LEASE)
            put_second_work(&hash, position, who[i]);
        if (bounds->writes > 0)
            put_writes(&hash, position, who[i]);
        else if (bounds->renews || bounds->asks > 0)
            put_prompt(&hash, position, who[i]);
        if (bounds->assumed & 1u << ASSUME_WORK_FITS_LEASE)
            put_work(&hash, position, who[i]);
    }
    return hash.sum;
}

// For each client a number to sort it by. It is made only of what put_seat()
// hashes, and no client's name is in it.
static void mark_all(const struct position *position, int clients,
                     uint64_t marks[POSITION_CLIENTS]) {
    for (int i = 0; i < clients; i++) {
        const struct seat *seat = &position->seats[i];
        marks[i] = is_over(position, i)
                       ? (uint64_t)seat->life
                       : (uint64_t)seat->life << 40 | plain(seat) |
                             (uint64_t)seat->connection[0].stage << 48;
    }
}

// Do they sit in the order of their marks once they are exchanged?
static bool in_order(const uint64_t marks[], int clients, int exchange) {
    uint64_t sorted[POSITION_CLIENTS];

    for (int i = 0; i < clients; i++)
        sorted[exchange_of(exchange, i)] = marks[i];
    for (int i = 1; i < clients; i++)
        if (sorted[i - 1] > sorted[i])
            return false;
    return true;
}

// The least hash of all exchanges that seat the clients in the order of their
// marks. (The least hash of all exchanges would do as well. But three clients
// have six of them, and mostly only one puts them in order.)
struct fingerprint position_fingerprint(const struct position *position,
                                        const struct bounds *bounds) {
    uint64_t marks[POSITION_CLIENTS];
    struct fingerprint least = {UINT64_MAX, UINT64_MAX};

    mark_all(position, bounds->clients, marks);
    for (int e = 0; e < exchanges(bounds->clients); e++) {
        if (!in_order(marks, bounds->clients, e))
            continue;
        struct fingerprint other = exchanged(position, bounds, e);
        if (other.high < least.high ||
            (other.high == least.high && other.low < least.low))
            least = other;
    }
    return least;
}

struct fingerprint position_own_fingerprint(const struct position *position,
                                            const struct bounds *bounds) {
    return exchanged(position, bounds, 0);
}
