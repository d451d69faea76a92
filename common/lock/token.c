#include "token.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

void token_new(char token[TOKEN_SIZE]) {
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[16];

    // Up to 256 bytes getrandom() gives all or nothing, and is not interrupted.
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        perror("getrandom");
        abort();
    }
    // Two digits for each byte. sprintf() took a quarter of all that a client
    // computes in one hold.
    for (size_t i = 0; i < sizeof bytes; i++) {
        token[2 * i] = digits[bytes[i] >> 4];
        token[2 * i + 1] = digits[bytes[i] & 15];
    }
    token[2 * sizeof bytes] = '\0';
}
