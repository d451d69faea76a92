#include "varying.h"

#include "base/list.h"

#include <stdbool.h>
#include <string.h>

enum { HEAD = 2, HEAD_SIZE = 64 };

// A place: the words with which the command begins, and which word it is.
static struct place {
    char head[HEAD_SIZE];
    int word;
} *places;

static size_t place_count;

// The next argument; NULL: there is none.
static const char *next_word(const char *text, size_t *length) {
    text += strspn(text, " ");
    *length = strcspn(text, " ");
    return *length ? text : NULL;
}

// How long the first words are, with what stands between them.
static size_t head_length(const char *text) {
    const char *at = text, *word;
    size_t length;

    for (int i = 0; i < HEAD && (word = next_word(at, &length)); i++)
        at = word + length;
    size_t head = (size_t)(at - text);
    return head < HEAD_SIZE ? head : HEAD_SIZE - 1;
}

static bool is_head(const struct place *place, const char *text) {
    size_t length = head_length(text);

    return strlen(place->head) == length &&
           strncmp(place->head, text, length) == 0;
}

static void add(const char *text, int word) {
    struct place place = {.word = word};

    if (word < HEAD)
        return;
    memcpy(place.head, text, head_length(text));
    places = list_grow(places, place_count, sizeof place);
    places[place_count++] = place;
}

void varying_compare(const char *one, const char *other) {
    const char *a = one, *b = other;
    size_t a_length, b_length;

    for (int word = 0;; word++) {
        a = next_word(a, &a_length);
        b = next_word(b, &b_length);
        if (!a || !b)
            return;
        if (a_length != b_length || strncmp(a, b, a_length) != 0)
            add(one, word);
        a += a_length;
        b += b_length;
    }
}

void varying_name(struct names *names, const char *client, const char *text) {
    const char *at = text;
    size_t length;

    for (int word = 0; (at = next_word(at, &length)); word++, at += length)
        for (size_t i = 0; i < place_count; i++)
            if (places[i].word == word && is_head(&places[i], text))
                names_add(names, client, at, length);
}
