#include "handover.h"

#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char VARIABLE[] = "LOCKSTEP_HANDED";

FILE *handover_begin(void) {
    int fd = memfd_create("handed", MFD_CLOEXEC);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w+");

    if (!out)
        fail("cannot make a file in memory: %s", strerror(errno));
    return out;
}

void handover_number(FILE *out, long long number) {
    fprintf(out, "%lld\n", number);
}

void handover_text(FILE *out, const char *text) {
    fprintf(out, "%s\n", text);
}

void handover_descriptor(FILE *out, int fd) {
    fcntl(fd, F_SETFD, 0);
    handover_number(out, fd);
}

void handover_exec(FILE *out, char *const argv[]) {
    char number[16];

    if (out) {
        if (fflush(out) != 0 || lseek(fileno(out), 0, SEEK_SET) < 0)
            fail("cannot write to a file in memory: %s", strerror(errno));
        fcntl(fileno(out), F_SETFD, 0);
        snprintf(number, sizeof number, "%d", fileno(out));
        setenv(VARIABLE, number, 1);
    }
    execv(argv[0], argv);
    fail("cannot start %s: %s", argv[0], strerror(errno));
}

FILE *handover_taken(void) {
    const char *number = getenv(VARIABLE);
    FILE *in = number ? fdopen(atoi(number), "r") : NULL;

    if (in)
        fcntl(fileno(in), F_SETFD, FD_CLOEXEC);
    unsetenv(VARIABLE);
    return in;
}

void handover_take_text(FILE *in, char *text, size_t size) {
    if (!fgets(text, (int)size, in))
        fail("what was handed on is not whole");
    text[strcspn(text, "\n")] = '\0';
}

long long handover_take_number(FILE *in) {
    char text[32];

    handover_take_text(in, text, sizeof text);
    return strtoll(text, NULL, 10);
}

int handover_take_descriptor(FILE *in) {
    int fd = (int)handover_take_number(in);

    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}
