// The director: what the verbs have in common. A verb makes a few choices in
// the world. What happens then goes to the judge and into the record. This
// header is for verbs_*.c; a scenario sees race.h only.
#ifndef DIRECTOR_H
#define DIRECTOR_H

#include "options.h"
#include "race_more.h"
#include "judge/judge.h"
#include "report/record.h"
#include "world/world.h"
#include "engines/engine.h"

#include <setjmp.h>

// A race's handle on a client of the world.
struct client {
    struct race *race;
    const char *name;
    int number;
    int lock, thread; // that its operations are about, if it is the handle of
                      // a second lock or thread: then nothing else counts
    int held; // the connection whose command the story holds back; 0: none
    bool releases; // what it has begun last is a release
    int64_t patience_end_ns; // of the wait that it has begun last
    bool hung; // its worker hangs: it is asked to do nothing more
    bool had_lock; // there was a lock when its connection broke
    int choices; // that the story has made about it, since this time
    int64_t counted_ns;
    int all_choices; // since its beginning
};

struct race {
    struct options options;
    const char *name;
    const char *server_options; // by words
    int lease_ms;               // 0: the usual one
    char lock[LOCK_NAME_SIZE];
    char program[PATHS_SIZE];
    const struct engine_kind *engine;
    struct world *world;  // NULL: it has not begun
    struct world **spare; // of the last race, and for the next; NULL: none
    int masters; // of the world
    void *argument; // the story's
    bool is_told; // a story is under way
    jmp_buf end;  // its early end
    struct judge judge;
    struct record record;
    struct client clients[MAX_CLIENTS];
    struct client second_locks[MAX_CLIENTS], second_threads[MAX_CLIENTS];
    int client_count;
    bool begun; // an operation has begun
    bool settles_doubt; // those who are inside are being asked
    // In real time: the beginning of the second in which the story began, or
    // went on after the end of a lease.
    struct {
        int64_t wall_ms, story_ns;
    } second;
    bool cut; // a connection was cut, and what was under way there is lost
    struct server {
        struct race *race;
        int number;
    } servers[MAX_SERVERS];
};

// Builds the race's world, if it has none yet.
void race_begin(struct race *race);

// Ends the story early; the judge has said why. Where no race_tell() is under
// way it ends the program.
_Noreturn void race_end(struct race *race);

// Ends the story: "A does not read before it writes."
_Noreturn void cannot_happen(struct client *client, const char *why);

// The same, INCONCLUSIVE, whatever was found meanwhile: "A comes too late."
_Noreturn void tells_nothing(struct client *client, const char *why);

// A step of the schedule that is more than a choice, about this client.
void note_step(struct client *client, enum step_kind kind);

// The client has just asked itself, and must know that its lock is lost, or
// must not believe so; must still have its lock.
void require_knowledge(struct client *client);
void require_belief(struct client *client);
void require_hold(struct client *client);

// It must have no more connections than when they were counted. False: they
// were not.
bool require_no_more(struct client *client);

// Makes a choice for a verb. Then asks the clients that are inside whether they
// still hold the lock, if the judge wants to know.
void race_do(struct race *race, struct choice choice);

// Asks these clients, until the judge has no more to ask.
void settle_doubt(struct race *race);

// CANNOT HAPPEN if the server cannot be told to refuse writes.
void need_refusal(struct race *race);

// Choices that need no more than a client.
void choose(struct client *client, enum choice_kind kind);

// Choices about one of its connections.
void choose_on_wire(struct client *client, enum choice_kind kind,
                    int connection);

// Is it in the middle of an operation?
bool busy(const struct client *client);

// A command goes to the server, and its answer back. Returns 1, as a count.
int pass(struct client *client, int connection);

// All that the client has on the wire passes, but for what the story holds,
// until it has nothing more to send. How many commands that were.
int pass_all(struct client *client);

// What the client has sent last is the story's from now on.
void hold(struct client *client);

// The client, of whom this may be the handle of a second lock or thread.
struct client *client_itself(const struct client *client);

// The client is asked for an operation, which goes on until its first command.
// Returns the client itself.
struct client *begin_operation(struct client *client, struct choice choice);

// Wakes what is due, with all that this sends.
void wake_due(struct client *client);

// Does the client wait for the lock?
bool waits(const struct client *client);

// What servers have sent to those that wait reaches them, with all that they
// send then.
void wake_waiters(struct race *race);

// In real time: lets it pass, with all that clients send meanwhile but for what
// the story holds, as long as go_on(client) is true.
void let_pass_us(struct race *race, int64_t us,
                 bool (*go_on)(const struct client *client),
                 const struct client *client);

// The same as long as nothing else ends it.
bool always(const struct client *client);

// In real time: lets at least so much time pass, with the beginnings of so many
// whole seconds of the wall clock, and ends at such a beginning.
void wait_for_second(struct race *race, int64_t ms, int seconds);

// In real time the story goes on within a second as long as no lease of its has
// ended. When the machine was too busy for that, the run tells nothing: it ends
// here, INCONCLUSIVE, unless the lock was BROKEN before.
void check_pace(struct client *client, enum verdict before);

// Time passes, not farther than to this instant, to the next one at which a
// server has kept a command for as long as it does. False if there is none.
bool pass_kept(struct race *race, int64_t until_ns);

// Moves time, with a stop where the lease ends on the way.
void move_clock(struct race *race, int64_t ns);

#endif
