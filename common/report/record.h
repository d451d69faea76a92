// The record of one race: all its events, with names in place of random tokens.
// The trace and the JSON are two ways to print it.
#ifndef RECORD_H
#define RECORD_H

#include "judge/judge.h"
#include "schedule/schedule.h"
#include "world/event.h"

#include <stddef.h>

// A copy of an event. It owns its strings; they have no random bytes in them.
struct entry {
    enum event_kind kind;
    int64_t time_ns;
    int client;     // -1: nobody's
    int connection; // 0: not on the wire
    int lock_number;
    int thread;
    char *request;  // NULL: none
    char *answer;
    enum write write;
    char *request_bytes; // as on the wire, but for tokens
    char *answer_bytes;
    bool waited;
    enum operation operation;
    enum result result;
    int depth;
    char *text;
    int64_t ns;
    int64_t patience_ns;
    enum choice_kind done; // with EVENT_SERVER: the choice that was made, or
                           // CHOOSE_ASK if it was no choice
    int server;            // to which server; of the wire: with which
    bool one_way;          // with EVENT_ISOLATED and the like: only this one
    int reaches;           // which client now reaches it (CHOOSE_REACH)
    struct lock_state lock;
    struct lock_state second;
    struct lock_state *masters; // what each of several masters holds, or NULL
};

struct record {
    const char *race;
    const char *lock;
    const char *server; // "redis 7.0.15"
    const char *server_title; // "Redis"
    const char *place;  // the key under which the lock lies
    int lease_ms;
    int masters; // of the world
    const char *clients[JUDGE_CLIENTS];
    int client_count;
    bool two_locks; // one of the clients uses two locks
    struct entry *entries;
    size_t entry_count;
    struct names *names;
    struct schedule schedule; // replays this run
    bool replays;             // false in real time: no schedule replays it
    struct guest guest;       // no command: a lock of this checkout
    // These are known at the end:
    enum verdict verdict;
    const char *sentence; // why, or empty
    bool exclusion_lost;  // two were inside
    const char *because;  // if BROKEN: the cause (cause.h); if HOLDS: the same
                          // (cause_kept.h), or empty
    size_t decided;       // … the entry that it names
    const char *answered_by; // and the stage that answers it, or empty
};

void record_open(struct record *record);
void record_close(struct record *record);

// An event; a choice becomes a step of the schedule.
void record_add(struct record *record, const struct event *event);

// A step that is more than a choice. Nothing else writes the schedule.
void record_step(struct record *record, struct step step);

#endif
