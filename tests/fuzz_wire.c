// libFuzzer: any bytes, in any pieces, as a client's requests and a server's
// answers to them. See tests/all/test_fuzz.py, which says what WIRE is.
#include WIRE_HEADER

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes_left {
    const char *at;
    size_t length;
};

// The next message, fed in pieces. False: there is none, or it is rubbish.
static bool next(void *parser, struct bytes_left *left, size_t piece,
                 struct message *message) {
    enum cut cut;

    *message = (struct message){0};
    while ((cut = WIRE.cut(parser, message)) == CUT_MORE && left->length > 0) {
        size_t length = left->length < piece ? left->length : piece;
        WIRE.feed(parser, left->at, length);
        left->at += length;
        left->length -= length;
    }
    return cut == CUT_MESSAGE;
}

// The first two bytes say how much is requests, and how long a piece is.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    size_t requests_length = data[0] < size - 2 ? data[0] : size - 2;
    struct bytes_left asked = {(const char *)data + 2, requests_length};
    struct bytes_left said = {asked.at + requests_length,
                              size - 2 - requests_length};
    void *requests = WIRE.open(REQUESTS), *answers = WIRE.open(ANSWERS);
    size_t piece = 1 + data[1];
    struct message request, answer;

    while (next(requests, &asked, piece, &request)) {
        if (!request.words[0])
            abort(); // a request has a word
        if (next(answers, &said, piece, &answer)) {
            WIRE.is_pushed(&answer);
            WIRE.answered(&request, &answer);
            WIRE.subscribes(&request);
            for (size_t i = 0; i < sizeof answer.varying / sizeof *answer.varying; i++)
                if (answer.varying[i].from + answer.varying[i].count > answer.length)
                    abort(); // numbers that are left out stand in the message
        }
        message_free(&answer);
        message_free(&request);
    }
    message_free(&request);
    while (next(answers, &said, piece, &answer))
        message_free(&answer);
    message_free(&answer);
    WIRE.close(requests);
    WIRE.close(answers);
    FORGET;
    return 0;
}
