#include "token.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

void token_new(char token[TOKEN_SIZE]) {
    unsigned char bytes[16];

    // Up to 256 bytes getrandom() gives all or nothing, and is not interrupted.
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        perror("getrandom");
        abort();
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        sprintf(token + 2 * i, "%02x", bytes[i]);
}
