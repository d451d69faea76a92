#include "token_names.h"

#include "base/fail.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKEN_LENGTH = 32, UUID_LENGTH = 36, MOST_LENGTH = 64, NAME_SIZE = 24 };

struct token_name {
    char token[MOST_LENGTH];
    size_t length;
    char name[NAME_SIZE];
    char client[NAME_SIZE];
    int number; // of the client's tokens
    struct token_name *next, *older;
};

// A race in which somebody waits has thousands of tokens, and looks for one in
// each word of each event.
struct names {
    struct token_name *begins[UCHAR_MAX + 1]; // by a token's first byte
    struct token_name *newest;
};

struct names *names_open(void) {
    return must_have(calloc(1, sizeof(struct names)));
}

void names_close(struct names *names) {
    while (names->newest) {
        struct token_name *entry = names->newest;
        names->newest = entry->older;
        free(entry);
    }
    free(names);
}

static struct token_name *first_like(const struct names *names,
                                     const char *text) {
    return names->begins[(unsigned char)text[0]];
}

static int count_of(const struct names *names, const char *client) {
    const struct token_name *entry = names->newest;

    while (entry && strcmp(entry->client, client) != 0)
        entry = entry->older;
    return entry ? entry->number : 0;
}

static const char *name_of(struct names *names, const char *client,
                           const char *token, size_t length) {
    struct token_name *entry = first_like(names, token);

    while (entry && (entry->length != length ||
                     memcmp(entry->token, token, length) != 0))
        entry = entry->next;
    if (entry)
        return entry->name;
    entry = must_have(calloc(1, sizeof *entry));
    memcpy(entry->token, token, length);
    entry->length = length;
    entry->number = count_of(names, client) + 1;
    snprintf(entry->client, NAME_SIZE, "%s", client);
    snprintf(entry->name, NAME_SIZE, "%.8s%d", client, entry->number);
    entry->next = first_like(names, token);
    entry->older = names->newest;
    names->begins[(unsigned char)token[0]] = names->newest = entry;
    return entry->name;
}

void names_add(struct names *names, const char *client, const char *word,
               size_t length) {
    if (length <= MOST_LENGTH)
        name_of(names, client, word, length);
}

static bool is_word(char character) {
    return isalnum((unsigned char)character);
}

// The length of the longest token that is known and begins here.
static size_t known_length(const struct names *names, const char *text) {
    size_t longest = 0;

    for (const struct token_name *entry = first_like(names, text); entry;
         entry = entry->next) {
        size_t length = entry->length;
        if (length > longest && strncmp(entry->token, text, length) == 0 &&
            !(is_word(text[length - 1]) && is_word(text[length])))
            longest = length;
    }
    return longest;
}

static size_t hex_digits(const char *text) {
    size_t length = 0;
    while (isxdigit((unsigned char)text[length]))
        length++;
    return length;
}

// A UUID: 8-4-4-4-12 hex digits.
static bool is_uuid(const char *text) {
    static const size_t groups[] = {8, 4, 4, 4, 12};

    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (hex_digits(text) != groups[i])
            return false;
        text += groups[i];
        if (i < 4 && *text++ != '-')
            return false;
    }
    return true;
}

// The length of an escaped character, such as \\ or \x0a: its digits belong to
// no token.
static size_t escape_length(const char *text) {
    if (text[0] != '\\' || text[1] == '\0')
        return 0;
    return text[1] == 'x' && hex_digits(text + 2) >= 2 ? 4 : 2;
}

char *names_apply(struct names *names, const char *client, const char *text) {
    char *result = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&result, &size));

    for (char before = ' '; *text; before = text[-1]) {
        size_t digits = hex_digits(text), escape = escape_length(text);
        size_t known = is_word(before) ? 0 : known_length(names, text);
        size_t token = known                    ? known
                       : is_uuid(text)          ? UUID_LENGTH
                       : digits == TOKEN_LENGTH ? TOKEN_LENGTH
                                                : 0;
        if (token) {
            fputs(name_of(names, client, text, token), out);
            text += token;
        } else if (digits > 0 || escape > 0) {
            fwrite(text, 1, digits + escape, out);
            text += digits + escape; // one of them is 0
        } else {
            fputc(*text++, out);
        }
    }
    fclose(out);
    return result;
}
