// Feeds standard input to the gate's parser and prints what it cuts out:
//
//     parse requests|answers BYTES_AT_ONCE
#include "engines/redis/resp.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char bytes[4096];
    ssize_t length;

    if (argc != 3)
        return 2;
    void *parser = resp.open(argv[1][0] == 'r' ? REQUESTS : ANSWERS);
    size_t at_once = (size_t)atoi(argv[2]);
    while ((length = read(STDIN_FILENO, bytes, at_once)) > 0) {
        struct message message;
        enum cut cut;
        resp.feed(parser, bytes, (size_t)length);
        while ((cut = resp.cut(parser, &message)) == CUT_MESSAGE) {
            printf("%zu %s\n", message.length, message.text);
            message_free(&message);
        }
        if (cut == CUT_RUBBISH) {
            puts("rubbish");
            break;
        }
    }
    resp.close(parser);
    return 0;
}
