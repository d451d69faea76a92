#include "text.h"

#include <stdbool.h>
#include <stdint.h>

size_t text_character(const char *text) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = bytes[0] < 0x80             ? 1
                    : (bytes[0] & 0xe0) == 0xc0 ? 2
                    : (bytes[0] & 0xf0) == 0xe0 ? 3
                    : (bytes[0] & 0xf8) == 0xf0 ? 4
                                                : 0;

    if (length < 2)
        return length;
    uint32_t code = bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (bytes[i] & 0x3fu);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < smallest[length] || code > 0x10ffff || surrogate ? 0 : length;
}

// A control character is a byte below 0x20, 0x7f, or one of U+0080 to U+009F,
// whose first byte is 0xc2.
static bool is_control(const char *text) {
    unsigned char first = (unsigned char)text[0];
    return first < ' ' || first == 0x7f ||
           (first == 0xc2 && (unsigned char)text[1] < 0xa0);
}

void text_print(FILE *out, const char *text) {
    while (*text) {
        size_t length = text_character(text);
        if (length == 0 || is_control(text)) {
            fprintf(out, "\\x%02x", (unsigned char)*text++);
        } else {
            fwrite(text, 1, length, out);
            text += length;
        }
    }
}

char *text_escaped(const char *text) {
    char *escaped = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&escaped, &size);

    if (!out)
        return NULL;
    text_print(out, text);
    return fclose(out) == 0 ? escaped : NULL;
}
