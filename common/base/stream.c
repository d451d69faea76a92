#include "stream.h"

#include "fail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool stream_read(struct stream *stream) {
    enum { CHUNK = 65536, MOST = 1 << 26 };

    if (stream->length > MOST)
        fail("a process has written more than %d MB", MOST >> 20);
    stream->text = must_have(realloc(stream->text, stream->length + CHUNK + 1));
    ssize_t length = read(stream->fd, stream->text + stream->length, CHUNK);
    if (length > 0)
        stream->length += (size_t)length;
    stream->text[stream->length] = '\0';
    return length > 0 || (length < 0 && errno == EINTR);
}

void stream_forget(struct stream *stream, size_t length) {
    stream->length -= length;
    memmove(stream->text, stream->text + length, stream->length + 1);
}

void stream_close(struct stream *stream) {
    close(stream->fd);
    free(stream->text);
    *stream = (struct stream){.fd = -1};
}
