// A client's randomness: its own, and the same on every run.
//
// Each client draws from a sequence that begins with the number of its machine.
// So two clients never draw the same token. Some libraries make it of little
// randomness, of the time, which stands still here, and of facts about the
// machine: theirs differ, too. How much a client has drawn stands in its
// page: its children go on where it has stopped.
//
// The C library's functions, also syscall(), and /dev/urandom give these
// numbers. A program that asks the kernel without them, or the processor
// (RDRAND, RDTSC), gets true randomness: unique too, and other bytes in every
// run.
//
// One number is no token: four bytes for which the program would not wait
// (GRND_NONBLOCK) make a pause. They are 0. So a client waits the shortest
// time, and the world chooses how much later it wakes.
#include "random_preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

// The finalizer of SplitMix64 (Steele, Lea and Flood: Fast Splittable
// Pseudorandom Number Generators, OOPSLA 2014).
static uint64_t mix(uint64_t value) {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

static uint64_t draw(void) {
    enum { MACHINES = 1 << 16 };
    uint64_t sequence = preload_page->seed * MACHINES + preload_slot + 1;

    return mix(mix(sequence) + preload_own->drawn++);
}

static void fill(void *bytes, size_t length) {
    char *to = bytes;

    while (length > 0) {
        uint64_t word = draw();
        size_t part = length < sizeof word ? length : sizeof word;
        memcpy(to, &word, part);
        to += part;
        length -= part;
    }
}

// The kernel has given each process sixteen random bytes, from which some
// runtimes begin.
void random_begin(void) {
    enum { LENGTH = 16 };
    unsigned long given = getauxval(AT_RANDOM);

    if (given)
        fill((void *)given, LENGTH);
}

// --- the C library's functions ----------------------------------------------

ssize_t getrandom(void *bytes, size_t length, unsigned flags) {
    enum { PAUSE_LENGTH = 4 };

    if (!preload_is_client())
        return syscall(SYS_getrandom, bytes, length, flags);
    if (length == PAUSE_LENGTH && flags & GRND_NONBLOCK)
        memset(bytes, 0, length);
    else
        fill(bytes, length);
    return (ssize_t)length;
}

// As OpenSSL and PHP ask for it. Every other call is the kernel's.
long syscall(long number, ...) {
    static long (*next)(long, long, long, long, long, long, long);
    long words[6];
    va_list given;

    va_start(given, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(given, long);
    va_end(given);
    if (number == SYS_getrandom && preload_is_client())
        return getrandom((void *)words[0], (size_t)words[1],
                         (unsigned)words[2]);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "syscall");
    return next(number, words[0], words[1], words[2], words[3], words[4],
                words[5]);
}

int getentropy(void *bytes, size_t length) {
    enum { MOST = 256 };

    if (length <= MOST)
        return getrandom(bytes, length, 0) == (ssize_t)length ? 0 : -1;
    errno = EIO;
    return -1;
}

void arc4random_buf(void *bytes, size_t length) {
    while (getrandom(bytes, length, 0) < 0)
        continue; // a signal came
}

uint32_t arc4random(void) {
    uint32_t number;

    arc4random_buf(&number, sizeof number);
    return number;
}

// As arc4random(3): each of the numbers below the limit is as likely.
uint32_t arc4random_uniform(uint32_t limit) {
    uint32_t uneven = limit ? -limit % limit : 0, number;

    do
        number = arc4random();
    while (number < uneven);
    return limit ? number % limit : 0;
}

// --- its files (files_preload.c) ---------------------------------------------

int random_is_file(const char *path) {
    return strcmp(path, "/dev/urandom") == 0 ||
           strcmp(path, "/dev/random") == 0;
}

int random_open(int flags) {
    enum { PARTS = 16 };
    char bytes[4096];
    int fd = memfd_create("random", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);

    for (int i = 0; fd >= 0 && i < PARTS; i++) {
        fill(bytes, sizeof bytes);
        if (write(fd, bytes, sizeof bytes) != sizeof bytes)
            preload_exit("lockstep: no room for /dev/urandom\n");
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}
