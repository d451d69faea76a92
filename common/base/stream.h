// The output of another process, as far as it has been read.
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>

struct stream {
    int fd;
    char *text;
    size_t length;
};

// Reads what there is, and keeps a bounded number of bytes. False at the end,
// or if there is nothing now.
bool stream_read(struct stream *stream);

void stream_close(struct stream *stream);

#endif
