#include "interned.h"

#include "base/hash.h"
#include "base/fail.h"
#include "base/list.h"
#include "base/map.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct interned {
    char *words;
    text_id exchanged[MAX_EXCHANGES]; // number + 1; 0: not asked for yet
    char named[MAX_ALIKE + 1]; // the clients that it names, in order, from '0'
} *entries;
static struct map numbers; // of entries, by the hash of their words
static size_t word_bytes;  // of all of them
static struct map phrases; // made by text_about(), by what they are made of
static text_id *phrase_texts;

// Does an escaped character, as \x0a, end here?
static bool ends_escape(const char *words, const char *at) {
    return at - words >= 4 && at[-4] == '\\' && at[-3] == 'x';
}

// A token's name: a client's letter and a number, on their own.
static bool is_name(const char *words, const char *at) {
    return *at >= 'A' && *at < 'A' + MAX_ALIKE &&
           isdigit((unsigned char)at[1]) &&
           (at == words || !isalnum((unsigned char)at[-1]) ||
            ends_escape(words, at));
}

static void note_names(struct interned *entry) {
    int count = 0;

    for (const char *at = entry->words; *at; at++) {
        char client = (char)('0' + *at - 'A');
        if (is_name(entry->words, at) && !strchr(entry->named, client))
            entry->named[count++] = client;
    }
}

static text_id add(const char *words, struct map_key key) {
    text_id number = numbers.count;

    map_add(&numbers, key);
    entries = list_grow(entries, number, sizeof *entries);
    entries[number] = (struct interned){.words = must_have(strdup(words))};
    note_names(&entries[number]);
    word_bytes += strlen(words) + 1;
    return number;
}

// Two texts may have the same hash: then the high halves of their keys differ.
text_id text_of(const char *words) {
    if (numbers.count == 0 && *words)
        text_of(""); // the empty text is number 0
    struct map_key key = {.low = mix(hash_of(words), 0)};
    for (;; key.high++) {
        text_id number = map_find(&numbers, key);
        if (number == MAP_NONE)
            return add(words, key);
        if (strcmp(entries[number].words, words) == 0)
            return number;
    }
}

// (The text may have any length: two long texts that are cut off could become
// one.)
text_id text_format(const char *format, ...) {
    char *words;
    va_list args;

    va_start(args, format);
    if (vasprintf(&words, format, args) < 0)
        fail("no memory is left for a text");
    va_end(args);
    text_id number = text_of(words);
    free(words);
    return number;
}

text_id text_about(const char *before, long long about, const char *after,
                   text_id text) {
    struct map_key key = {mix((uintptr_t)before, (uintptr_t)after),
                          mix((uint64_t)about, text)};
    uint32_t place = map_find(&phrases, key);

    if (place == MAP_NONE) {
        text_id number = text_format("%s%lld%s%s", before, about, after,
                                     text_words(text));
        place = phrases.count;
        map_add(&phrases, key);
        phrase_texts = list_grow(phrase_texts, place, sizeof *phrase_texts);
        phrase_texts[place] = number;
    }
    return phrase_texts[place];
}

const char *text_words(text_id number) {
    return numbers.count ? entries[number].words : "";
}

uint64_t text_hash(text_id number) {
    return numbers.count ? numbers.keys[number].low : 0;
}

size_t text_bytes(void) {
    return word_bytes + map_bytes(&numbers) + numbers.count * sizeof *entries +
           map_bytes(&phrases) + phrases.count * sizeof *phrase_texts;
}

// --- exchanges --------------------------------------------------------------

// All orders of four things, so sorted that the orders of the first two and of
// the first three come first.
static const char orders[MAX_EXCHANGES][MAX_ALIKE + 1] = {
    "0123", "1023", "0213", "1203", "2013", "2103",
    "0132", "0231", "0312", "0321", "1032", "1230", "1302", "1320", "2031",
    "2130", "2301", "2310", "3012", "3021", "3102", "3120", "3201", "3210",
};

int exchanges(int clients) {
    static const int counts[MAX_ALIKE + 1] = {1, 1, 2, 6, 24};
    return counts[clients];
}

int exchange_of(int exchange, int client) {
    return orders[exchange][client] - '0';
}

// The number of an order. The order itself, read as a number in base four, is
// its place in a table.
static int find_exchange(const char *order) {
    enum { CODES = MAX_ALIKE * MAX_ALIKE * MAX_ALIKE * MAX_ALIKE };
    static signed char known[CODES]; // number + 1
    int code = 0;

    for (int i = 0; i < MAX_ALIKE; i++)
        code = code * MAX_ALIKE + order[i] - '0';
    for (int i = 0; known[code] == 0; i++)
        if (strcmp(orders[i], order) == 0)
            known[code] = (signed char)(i + 1);
    return known[code] - 1;
}

int exchange_swap(int one, int other) {
    char order[] = "0123";

    order[one] = (char)('0' + other);
    order[other] = (char)('0' + one);
    return find_exchange(order);
}

int exchange_both(int first, int then) {
    static signed char known[MAX_EXCHANGES][MAX_EXCHANGES]; // number + 1
    char order[] = "0123";

    if (!known[first][then]) {
        for (int i = 0; i < MAX_ALIKE; i++)
            order[i] = (char)('0' + exchange_of(then, exchange_of(first, i)));
        known[first][then] = (signed char)(find_exchange(order) + 1);
    }
    return known[first][then] - 1;
}

int exchange_back(int exchange) {
    int i = 0;
    while (exchange_both(exchange, i) != 0)
        i++;
    return i;
}

// Gives names to those clients of the text that have none yet.
static int name_in(text_id number, char *order, int named) {
    const char *clients = number == NO_TEXT ? "" : entries[number].named;

    for (; *clients; clients++)
        if (order[*clients - '0'] == '?')
            order[*clients - '0'] = (char)('0' + named++);
    return named;
}

int exchange_in_order(text_id one, text_id other) {
    char order[] = "????";
    int named = name_in(one, order, 0);

    named = name_in(other, order, named);
    for (int i = 0; i < MAX_ALIKE; i++)
        if (order[i] == '?')
            order[i] = (char)('0' + named++);
    return find_exchange(order);
}

static int compare_lines(const void *one, const void *other) {
    return strcmp(*(char *const *)one, *(char *const *)other);
}

void text_sort_lines(char *text) {
    char *copy = must_have(strdup(text)), *rest = NULL, **lines = NULL;
    size_t count = 0;

    for (char *line = strtok_r(copy, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        lines = list_grow(lines, count, sizeof *lines);
        lines[count++] = line;
    }
    if (count > 1)
        qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < count; i++)
        text += sprintf(text, "%s\n", lines[i]);
    free(lines);
    free(copy);
}

text_id text_exchanged(text_id number, int exchange) {
    if (number == NO_TEXT || exchange == 0)
        return number;
    if (!entries[number].exchanged[exchange]) {
        char *words = must_have(strdup(entries[number].words));
        for (char *at = words; *at; at++)
            if (is_name(words, at))
                *at = (char)('A' + exchange_of(exchange, *at - 'A'));
        if (strchr(words, '\n'))
            text_sort_lines(words); // what a server holds
        text_id exchanged = text_of(words); // may move the entries
        entries[number].exchanged[exchange] = exchanged + 1;
        free(words);
    }
    return entries[number].exchanged[exchange] - 1;
}
