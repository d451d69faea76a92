// The lock: the one interface that every stage implements.
//
// A stage is one lock.c that defines struct lock and the functions below. It
// is linked with this folder: the connection (redis.h), waiting (wait.h),
// tokens (token.h), a watchdog (watchdog.h) and the client's main() (client.c).
#ifndef LOCK_H
#define LOCK_H

#include <stdbool.h>

// An operation on a distributed lock has more answers than yes and no. "Busy"
// and "lost" are facts. "Unknown" is the honest answer when no answer came
// back: the command may have run, or may still run later. So a time-out is
// never "busy". If the server cannot be reached, the result is unknown, too,
// and the reason begins with "cannot connect". Then the last command was not
// sent; but an earlier command of this operation may have been, or of the
// operation that this one repeats.
enum lock_result {
    LOCK_OK,      // acquired, or released
    LOCK_BUSY,    // certainly not acquired: another owner has it
    LOCK_LOST,    // certainly not ours (any more)
    LOCK_UNKNOWN, // no answer: it may have happened, or may happen later
    LOCK_ERROR,   // the server refused the command: nothing happened
    LOCK_CANNOT,  // this lock has no such operation: nothing was sent
};

struct lock;

// Opens a handle on the lock `key`. In stages that have a lease, `lease_ms` is
// how long the lock stays taken after its holder has died. Connects at once;
// returns NULL if that fails, and lock_reason() says why. The key is copied.
//
// A handle belongs to one thread: nothing in it is guarded against two calls at
// once. Two handles on the same key are two owners, in one process as in two.
// (The mutex of stage 0 is the exception: its owner is a thread, whatever
// handle the thread uses.)
struct lock *lock_open(const char *key, int lease_ms);

// Tries once to acquire the lock. Never waits for the holder.
enum lock_result lock_acquire(struct lock *lock);

// Acquires the lock, and waits for its holder at most `patience_ms`. LOCK_BUSY
// means that the time is over, and that nothing is left behind: the lock will
// not be given to this caller later. LOCK_UNKNOWN ends the waiting, as it ends
// lock_acquire(): whether to try again, only the caller knows. In a stage that
// does not define it: an attempt every 100 ms.
enum lock_result lock_wait(struct lock *lock, int patience_ms);

// The same, with a lease for this one acquire: for a caller that knows how long
// its work will take. In a stage that does not define it: LOCK_CANNOT.
enum lock_result lock_acquire_for(struct lock *lock, int lease_ms);

// Releases the lock: once for each acquire that was OK. A release that returns
// LOCK_UNKNOWN must be repeated until it returns something else; LOCK_LOST can
// then mean that the first one had run. A reentrant lock cannot tell such a
// repetition from the release of an outer call. A caller that does not repeat
// it leaves the count too high, and the watchdog then renews a lock that nobody
// uses. A lock that sends its command twice by itself, because no answer came,
// knows no more than its caller would: then "not ours" must be LOCK_UNKNOWN,
// too.
enum lock_result lock_release(struct lock *lock);

// Does the holder still believe that it holds the lock? Only has a meaning
// between an acquire that was OK and its release. In a stage that does not
// define it: true.
bool lock_held(struct lock *lock);

// The fencing token of the last hold: a number that is greater than those of
// all holds before, whoever had them. The holder sends it with every write, and
// what the lock protects refuses a number that is smaller than the highest it
// has seen. Inner acquires keep it; a hold that is over keeps it too, so that a
// late write can still be told from a new one. 0: there was no hold yet. In a
// stage that does not define it: NO_FENCE.
enum { NO_FENCE = -1 };
long long lock_fence(struct lock *lock);

// Frees the handle. Does not release the lock: if it is still held, it stays
// taken until its lease is over.
void lock_close(struct lock *lock);

// Why the last operation of this thread returned LOCK_UNKNOWN, LOCK_ERROR or
// LOCK_CANNOT, or why lock_open() returned NULL. One line, never NULL, valid
// until the thread's next operation.
const char *lock_reason(void);

// For the code behind a stage: sets what lock_reason() answers.
void lock_explain(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif
