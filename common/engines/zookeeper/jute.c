#include "jute.h"

#include "base/fail.h"

#include <string.h>

// --- reading -----------------------------------------------------------------

static uint64_t read_number(struct jute_reader *reader, size_t size) {
    uint64_t number = 0;

    if ((size_t)(reader->end - reader->at) < size) {
        reader->short_of = true;
        reader->at = reader->end;
        return 0;
    }
    for (size_t i = 0; i < size; i++)
        number = number << 8 | *reader->at++;
    return number;
}

long jute_frame(const char *bytes, size_t length, struct jute_reader *frame) {
    enum { LONGEST = 1 << 20 }; // a server takes no longer one (jute.maxbuffer)

    if (length < FRAME_HEAD)
        return 0;
    struct jute_reader head = {(const unsigned char *)bytes,
                               (const unsigned char *)bytes + length, false};
    int32_t size = jute_read_int(&head);
    if (size < 0 || size > LONGEST)
        return -1;
    if (length < FRAME_HEAD + (size_t)size)
        return 0;
    *frame = (struct jute_reader){head.at, head.at + size, false};
    return FRAME_HEAD + size;
}

int32_t jute_read_int(struct jute_reader *reader) {
    return (int32_t)read_number(reader, sizeof(int32_t));
}

int64_t jute_read_long(struct jute_reader *reader) {
    return (int64_t)read_number(reader, sizeof(int64_t));
}

bool jute_read_bool(struct jute_reader *reader) {
    return read_number(reader, 1) != 0;
}

char *jute_read_text(struct jute_reader *reader) {
    int32_t length = jute_read_int(reader);

    if (length < 0 || reader->short_of)
        return NULL;
    if (length > reader->end - reader->at) {
        reader->short_of = true;
        return NULL;
    }
    char *text = must_have(strndup((const char *)reader->at, (size_t)length));
    reader->at += length;
    return text;
}

// --- writing -----------------------------------------------------------------

static void write_bytes(struct jute_writer *writer, const void *bytes,
                        size_t length) {
    if (writer->length + length > sizeof writer->bytes)
        fail("a request to ZooKeeper is longer than %zu bytes",
             sizeof writer->bytes);
    memcpy(writer->bytes + writer->length, bytes, length);
    writer->length += length;
}

static void write_number(struct jute_writer *writer, uint64_t number,
                         size_t size) {
    for (size_t i = size; i-- > 0;) {
        unsigned char byte = (unsigned char)(number >> (8 * i));
        write_bytes(writer, &byte, 1);
    }
}

void jute_begin(struct jute_writer *writer) {
    writer->length = FRAME_HEAD;
}

void jute_write_int(struct jute_writer *writer, int32_t number) {
    write_number(writer, (uint32_t)number, sizeof number);
}

void jute_write_long(struct jute_writer *writer, int64_t number) {
    write_number(writer, (uint64_t)number, sizeof number);
}

void jute_write_bool(struct jute_writer *writer, bool yes) {
    write_number(writer, yes, 1);
}

void jute_write_text(struct jute_writer *writer, const char *text) {
    jute_write_int(writer, (int32_t)strlen(text));
    write_bytes(writer, text, strlen(text));
}

void jute_end(struct jute_writer *writer) {
    size_t length = writer->length;

    writer->length = 0;
    jute_write_int(writer, (int32_t)(length - FRAME_HEAD));
    writer->length = length;
}
