#include "message.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

void message_free(struct message *message) {
    free(message->bytes);
    free(message->text);
    for (size_t i = 0; message->words && message->words[i]; i++)
        free(message->words[i]);
    free(message->words);
    *message = (struct message){0};
}

char **message_words(const char *text, const char *between) {
    char **words = must_have(calloc(strlen(text) / 2 + 2, sizeof *words));
    size_t count = 0;

    for (text += strspn(text, between); *text; text += strspn(text, between)) {
        size_t length = strcspn(text, between);
        words[count++] = must_have(strndup(text, length));
        text += length;
    }
    return words;
}
