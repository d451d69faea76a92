// The contents of a picture of a run: its rows, the messages on the wire, and
// the clients that are inside. The writers of pictures (diagram_svg.h,
// diagram_mermaid.h) only have to draw it.
//
// A row is an event, as in a trace, so the picture is not to scale: where time
// passes, there is a row that says how much. Every entry of the record has a
// place, so that a message is drawn from where it was sent to where it arrived.
#ifndef DIAGRAM_H
#define DIAGRAM_H

#include "report/history.h"
#include "report/record.h"

#include <stdbool.h>
#include <stddef.h>

enum row_kind {
    ROW_CLIENT,  // an event of one client: text, and its meaning for it
    ROW_NOTE,    // a note of the story
    ROW_SERVER,  // an event of a server
    ROW_TIME,    // time passes: passed_ns
    ROW_REPEATS, // the rows above happen again and again
    ROW_OVERLAP, // from here on several clients are inside
};

struct diagram_row {
    enum row_kind kind;
    size_t entry;
    int client;        // of ROW_CLIENT
    char *text;
    char *meaning;     // "inside", or empty
    bool shows_answer; // of a command that ran: this is its answer
    int64_t time_ns;
    int64_t passed_ns;
};

// The place of an entry. An event on a server stands a little below the
// beginning of its row, since a command needs some time to get there.
struct diagram_place {
    int row; // -1: above all rows
    bool at_server;
    bool hidden; // it repeats rows above
};

enum arrival { ARRIVES, NEVER_ARRIVES, STAYS_UNDER_WAY };

// A command, an answer, or a pushed message.
struct diagram_arrow {
    int client;
    int server;
    bool to_client;
    size_t from; // the entries
    size_t to;   // where it arrives or is lost; NOWHERE if it stays under way
    enum arrival arrival;
    bool held;   // it did not arrive at once
};

// A client has the lock, as far as it knows.
struct diagram_stay {
    int client;
    int lock;  // of the client's locks, from 0
    int depth; // 2: it is inside again
    size_t from, to;
    bool works; // it is inside; if not, its work is done or it is leaving
};

// Several clients are inside at the same time, and the verdict says so.
struct diagram_overlap {
    size_t from, to;
    unsigned clients; // bit 1 << client
};

struct diagram {
    const struct record *record;
    struct diagram_row *rows;
    size_t row_count;
    struct diagram_place *places; // one for each entry
    struct diagram_arrow *arrows;
    size_t arrow_count;
    struct diagram_stay *stays;
    size_t stay_count;
    struct diagram_overlap *overlaps;
    size_t overlap_count;
    struct history histories[JUDGE_LOCKS]; // of one lock, or two
    int lock_count;
};

void diagram_open(struct diagram *diagram, const struct record *record);
void diagram_close(struct diagram *diagram);

#endif
