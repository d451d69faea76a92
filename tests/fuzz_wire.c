// libFuzzer: any bytes, in any pieces, as requests and as answers.
// See tests/test_fuzz.py.
#include "resp.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    enum direction direction = data[0] & 1 ? REQUESTS : ANSWERS;
    size_t piece = 1 + data[1];
    void *parser = resp.open(direction);
    enum cut cut = CUT_MORE;

    for (size_t at = 2; at < size && cut != CUT_RUBBISH; at += piece) {
        size_t length = size - at < piece ? size - at : piece;
        struct message message = {0};
        resp.feed(parser, (const char *)data + at, length);
        while ((cut = resp.cut(parser, &message)) == CUT_MESSAGE) {
            if (direction == REQUESTS && !message.words[0])
                abort(); // a request has a word
            message_free(&message);
        }
    }
    resp.close(parser);
    resp_forget_scripts();
    return 0;
}
