// The lock: the one interface that every stage implements.
//
// A stage is one lock.c that defines struct lock and the functions below. It
// is linked with this folder: the connection (redis.h), waiting (wait.h),
// tokens (token.h), a watchdog (watchdog.h) and the client's main() (client.c).
#ifndef LOCK_H
#define LOCK_H

#include <stdbool.h>

// A lock with a distributed life has more answers than yes and no. "Busy" and
// "lost" are facts; "unknown" is the honest answer when nothing came back: the
// command may have run, or may still run later. A time-out is never "busy".
// A server that cannot be reached makes an operation unknown, too, with a
// reason that begins with "cannot connect": its last command was not sent, but
// one before it may have been, in this attempt or in the one that it repeats.
enum lock_result {
    LOCK_OK,      // acquired, or released
    LOCK_BUSY,    // definitely not acquired: somebody has it
    LOCK_LOST,    // definitely not ours (any more)
    LOCK_UNKNOWN, // no answer: it may have happened, or may happen later
    LOCK_ERROR,   // the server refused: nothing happened
    LOCK_CANNOT,  // this lock has no such operation: nothing was sent
};

struct lock;

// Opens a handle on the lock `key`. `lease_ms` is how long a lock outlives a
// holder that dies, for stages that have a lease. Connects at once: NULL if
// that fails, and lock_reason() says why. The key is copied.
//
// A handle belongs to one thread: nothing in it is guarded against two calls at
// once. Two handles on the same key are two owners, in one process as in two.
// (The mutex of stage 0 is the exception: its owner is a thread, whatever
// handle the thread uses.)
struct lock *lock_open(const char *key, int lease_ms);

// One attempt; never waits for the holder.
enum lock_result lock_acquire(struct lock *lock);

// The same, with a lease for this one acquire: for who knows how long its work
// will take. Unless a stage defines it: LOCK_CANNOT.
enum lock_result lock_acquire_for(struct lock *lock, int lease_ms);

// One release for each acquire that was OK. One that was answered with
// LOCK_UNKNOWN is not over: it must be repeated until there is another answer,
// and LOCK_LOST can then mean that it had run. A lock that counts cannot tell
// the repetition from the release of an outer call: who goes on without it
// leaves a count behind, and a watchdog keeps the lock for nobody.
enum lock_result lock_release(struct lock *lock);

// Does the holder still believe that it holds the lock? Meaningful between an
// acquire that was OK and its release. Unless a stage defines it: yes.
bool lock_held(struct lock *lock);

// Frees the handle. Does not release: a lock that is still held stays until
// its lease is over.
void lock_close(struct lock *lock);

// Why the last operation of this thread was LOCK_UNKNOWN, LOCK_ERROR or
// LOCK_CANNOT, or lock_open() NULL: one line, never NULL, valid until the next
// operation.
const char *lock_reason(void);

// For the code behind a stage: sets what lock_reason() answers.
void lock_explain(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif
