#include "elsewhere.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The word of these that has the key in it and is longer; its length.
static const char *find_word(const char *words, const char *key,
                             size_t *length) {
    for (const char *word = words; *word; word += *length) {
        word += strspn(word, " ");
        *length = strcspn(word, " ");
        const char *found = strstr(word, key);
        if (found && found + strlen(key) <= word + *length &&
            *length > strlen(key))
            return word;
    }
    return NULL;
}

char *elsewhere_find(const struct record *record) {
    const char *key = record->guest.key;
    char *text = NULL;
    size_t size = 0, length;

    for (size_t i = 0; i < record->entry_count; i++) {
        const char *request = record->entries[i].request;
        const char *word = request ? find_word(request, key, &length) : NULL;
        if (!word)
            continue;
        int before = (int)(strstr(word, key) - word);
        const char *after = word + before + strlen(key);
        FILE *out = must_have(open_memstream(&text, &size));
        fprintf(out, "The commands name \"%.*s\": --at '%.*s%%s%.*s' says that "
                "the lock lies there.", (int)length, word, before, word,
                (int)(word + length - after), after);
        fclose(out);
        return text;
    }
    return NULL;
}
