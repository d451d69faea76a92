#include "message.h"

#include <stdlib.h>

void message_free(struct message *message) {
    free(message->bytes);
    free(message->text);
    *message = (struct message){0};
}
