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

// Reads what there is. False at the end, or if there is nothing now. Ends the
// program if that is more than 64 MB.
bool stream_read(struct stream *stream);

// Forgets the first `length` bytes of what it has read.
void stream_forget(struct stream *stream, size_t length);

void stream_close(struct stream *stream);

#endif
