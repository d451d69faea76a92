// The director: the common ground of the verbs. A verb makes a few choices in
// the world, and each event that follows goes to the judge and into the record.
// This header is for verbs_*.c; a scenario sees race.h only.
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
    int lock, thread; // of its operations. In the handle of a second lock or
                      // thread these are set, and the fields below unused
    int held; // the connection whose command the story holds back; 0: none
    bool releases; // its last operation is a release
    int64_t patience_end_ns; // of its last wait
    bool hung; // its worker hangs: it is asked to do nothing more
    bool missed_script; // its command that was run last did nothing: the server
                        // does not know the script
    bool had_lock; // there was a lock when its connection broke
};

struct race {
    struct options options;
    const char *name;
    const char *own_name[2]; // the same, as a list that NULL ends
    const char *server_options; // by words
    int lease_ms;               // 0: the usual one
    char lock[LOCK_NAME_SIZE];
    char program[PATHS_SIZE];
    const struct engine_kind *engine;
    struct world *world;  // NULL: it has not begun
    struct world **spare; // of the last race, and for the next; NULL: none
    int masters; // of the world
    void *argument; // for the story
    bool in_story; // a story is under way
    jmp_buf end;   // its early end
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
    int64_t needed_ms; // by a client that came too late since then; 0: none did
    bool cut; // a connection was cut, and what was under way there is lost
    struct server {
        struct race *race;
        int number;
    } servers[MAX_SERVERS];
};

// Builds the race's world, if it has none yet.
void race_begin(struct race *race);

// Ends the story early; the judge has said why. Where no race_run() is under
// way it ends the program.
_Noreturn void race_end(struct race *race);

// Has it ended its own process? It knows then that its lock is lost. Verbs
// leave it alone, but for those that need it.
bool has_quit(const struct client *client);

// Ends the story: "A does not read before it writes."
_Noreturn void cannot_happen(struct client *client, const char *why);

// Ends the story as INCONCLUSIVE, whatever the judge has found: "A comes too
// late."
_Noreturn void end_inconclusive(struct client *client, const char *why);

// A step of the schedule that is more than a choice, about this client.
void note_step(struct client *client, enum step_kind kind);

// Demands of a client that has just asked itself: it must know that its lock is
// lost; it must not believe so; it must still have the lock.
void require_knowledge(struct client *client);
void require_belief(struct client *client);
void require_hold(struct client *client);

// The client must have no more connections than when they were counted. False
// if they never were.
bool require_no_more(struct client *client);

// Makes a choice for a verb, and settles the doubt that it leaves.
void race_do(struct race *race, struct choice choice);

// Asks each client that the judge doubts whether it still holds the lock.
void settle_doubt(struct race *race);

// CANNOT HAPPEN if the server has no way to refuse writes.
void need_refusal(struct race *race);

// Makes a choice about this client that needs nothing else.
void choose(struct client *client, enum choice_kind kind);

// Makes a choice about one of the client's connections.
void choose_on_wire(struct client *client, enum choice_kind kind,
                    int connection);

// Is the client in the middle of an operation?
bool busy(const struct client *client);

// Lets a command reach the server, and its answer the client. Returns 1, as a
// count of commands; 0 if the server has done nothing, because it does not know
// the script. How often a client hears that depends on who has loaded the
// script before.
int pass(struct client *client, int connection);

// Has the server said so of the client's last command?
bool has_missed_script(const struct client *client);

// Passes the client's commands, except the one that the story holds, until it
// sends nothing more. Returns their number.
int pass_all(struct client *client);

// Holds the command that the client has sent last.
void hold(struct client *client);

// The client itself, if this is the handle of its second lock or thread.
struct client *client_itself(const struct client *client);

// Asks the client for an operation, which goes on to its first command. Returns
// the client itself.
struct client *begin_operation(struct client *client, struct choice choice);

// Ends the client's waits that are over, and passes the commands that follow.
void wake_due(struct client *client);

// Does the client wait for the lock?
bool waits(const struct client *client);

// Passes the messages of servers to clients that wait, and the commands with
// which these react.
void wake_waiters(struct race *race);

// In real time: waits `us` microseconds, or until go_on(client) is false, and
// passes the commands of all other clients meanwhile.
void wait_real_us(struct race *race, int64_t us,
                 bool (*go_on)(const struct client *client),
                 const struct client *client);

// For wait_real_us(): true.
bool always(const struct client *client);

// In real time: waits for the beginning of a second of the wall clock, after at
// least `ms` milliseconds and with so many beginnings on the way.
void wait_for_second(struct race *race, int64_t ms, int seconds);

// In real time the story goes on within a second as long as no lease has ended.
// A machine that was too busy for that ends the run here, INCONCLUSIVE, unless
// the lock was BROKEN before.
void check_pace(struct client *client, enum verdict before);

// Moves time to the next instant at which a server ends the wait of a command
// in it. False if there is none until `until_ns`.
bool pass_server_wait(struct race *race, int64_t until_ns);

// Moves time, with a stop where the lease ends on the way.
void move_clock(struct race *race, int64_t ns);

#endif
