// Jute, the encoding in which ZooKeeper's clients and servers write their
// records: numbers with the highest byte first, texts and lists with their
// length before them. A frame is a record with its length before it.
// Source: zookeeper.jute in ZooKeeper's sources, which lists all records.
#ifndef JUTE_H
#define JUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRAME_HEAD = 4 };

// --- reading -----------------------------------------------------------------

// The rest of a record. Reading beyond its end gives zeros, and is noted.
struct jute_reader {
    const unsigned char *at, *end;
    bool short_of;
};

// The frame at the start of these bytes; its whole length, 0: it is not there
// in full, -1: that is no frame.
long jute_frame(const char *bytes, size_t length, struct jute_reader *frame);

int32_t jute_read_int(struct jute_reader *reader);
int64_t jute_read_long(struct jute_reader *reader);
bool jute_read_bool(struct jute_reader *reader);

// A text, or bytes as a text; NULL: there is none. The caller frees it.
char *jute_read_text(struct jute_reader *reader);

// --- writing -----------------------------------------------------------------

// A frame that is being written.
struct jute_writer {
    char bytes[1024]; // of FRAME_HEAD the last to be written
    size_t length;
};

void jute_begin(struct jute_writer *writer);
void jute_write_int(struct jute_writer *writer, int32_t number);
void jute_write_long(struct jute_writer *writer, int64_t number);
void jute_write_bool(struct jute_writer *writer, bool yes);
void jute_write_text(struct jute_writer *writer, const char *text);
void jute_end(struct jute_writer *writer);

#endif
