#include "message.h"

#include <stdlib.h>

void message_free(struct message *message) {
    free(message->bytes);
    free(message->text);
    for (size_t i = 0; message->words && message->words[i]; i++)
        free(message->words[i]);
    free(message->words);
    *message = (struct message){0};
}
