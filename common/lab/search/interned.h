// Interned texts (commands, answers, what a server holds): each text is stored
// once and known by a number. Equal texts have equal numbers.
//
// All clients run the same program. So a fact about A and B is also true of B
// and A. An exchange is a permutation of the clients' names. In a text it
// changes the names of tokens (A1 becomes B1).
#ifndef INTERNED_H
#define INTERNED_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t text_id;

// Clients whose names can be exchanged for one another, and in how many ways.
enum { MAX_ALIKE = 4, MAX_EXCHANGES = 24 };

// The number of the empty text.
enum { NO_TEXT = 0 };

text_id text_of(const char *words);
text_id text_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
// These four in a row, as one text. The result is remembered, and nothing is
// formatted when they come again. `before` and `after` must be literals: they
// are known by their addresses.
text_id text_about(const char *before, long long about, const char *after,
                   text_id text);
const char *text_words(text_id number);

// Puts the lines of a text in order; each of them ends with a line break.
void text_sort_lines(char *text);

// A hash of two. Inline: a search calls it many times for a position.
static inline uint64_t mix(uint64_t one, uint64_t other) {
    uint64_t h = one * 0x9e3779b97f4a7c15u ^ (other + 0x632be59bd9b4e019u);

    h ^= h >> 32; // the finisher of MurmurHash3
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

// --- exchanges --------------------------------------------------------------

// The number of exchanges among the first so many clients. Exchange 0 changes
// nothing.
int exchanges(int clients);

// Client `client` gets the name of the client that this returns.
int exchange_of(int exchange, int client);

// The one that swaps two clients.
int exchange_swap(int one, int other);

// First `first`, then `then`.
int exchange_both(int first, int then);

// The one that undoes it.
int exchange_back(int exchange);

// One names the clients in the order of the texts.
int exchange_in_order(text_id one, text_id other);

text_id text_exchanged(text_id number, int exchange);
uint64_t text_hash(text_id number);

// Of all texts.
size_t text_bytes(void);

#endif
