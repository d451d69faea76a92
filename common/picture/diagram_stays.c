// The judge says when a client is inside (docs/judge.md). It is so from the
// answer that lets it in until it begins to leave, dies, hangs, has done its
// work, or says that its lock is lost. Until its release has ended it still has
// the lock as far as it knows.
#include "diagram_build.h"

#include "base/fail.h"
#include "base/list.h"
#include "world/depth.h"

#include <stdio.h>

struct walk {
    struct diagram *diagram;
    size_t open[JUDGE_CLIENTS][JUDGE_LOCKS]; // its stay; NOWHERE: none
    size_t again[JUDGE_CLIENTS][JUDGE_LOCKS]; // the same of its second entry
    unsigned inside[JUDGE_LOCKS];            // bit 1 << client
    struct diagram_overlap overlap[JUDGE_LOCKS]; // no clients: none
};

static size_t begin(struct walk *walk, struct diagram_stay stay) {
    struct diagram *diagram = walk->diagram;

    stay.to = NOWHERE;
    diagram->stays = list_grow(diagram->stays, diagram->stay_count,
                               sizeof *diagram->stays);
    diagram->stays[diagram->stay_count] = stay;
    return diagram->stay_count++;
}

static void end(struct walk *walk, size_t *stay, size_t at) {
    if (*stay != NOWHERE)
        walk->diagram->stays[*stay].to = at;
    *stay = NOWHERE;
}

static void end_all(struct walk *walk, int client, int lock, size_t at) {
    end(walk, &walk->open[client][lock], at);
    end(walk, &walk->again[client][lock], at);
    walk->inside[lock] &= ~(1u << client);
}

// Its work is over, but not its hold.
static void end_work(struct walk *walk, int client, int lock, size_t at) {
    if (!(walk->inside[lock] & 1u << client))
        return;
    end_all(walk, client, lock, at);
    walk->open[client][lock] = begin(
        walk, (struct diagram_stay){client, lock, 1, at, 0, false});
}

static void get_in(struct walk *walk, const struct entry *entry, size_t at) {
    int client = entry->client, lock = entry->lock_number;

    if (!(walk->inside[lock] & 1u << client)) {
        end_all(walk, client, lock, at);
        walk->open[client][lock] = begin(
            walk, (struct diagram_stay){client, lock, 1, at, 0, true});
        walk->inside[lock] |= 1u << client;
    } else if (entry->depth > 1 && walk->again[client][lock] == NOWHERE) {
        walk->again[client][lock] = begin(
            walk, (struct diagram_stay){client, lock, 2, at, 0, true});
    }
}

static void hear(struct walk *walk, const struct entry *entry, size_t at) {
    int client = entry->client, lock = entry->lock_number;

    if (entry->operation == OPERATION_ENTER && entry->result == RESULT_OK)
        get_in(walk, entry, at);
    else if (!operation_writes(entry->operation) &&
             depth_is_lost(entry->operation, entry->result, entry->depth))
        end_all(walk, client, lock, at);
    else if (entry->operation == OPERATION_LEAVE && entry->result == RESULT_OK)
        end(walk, entry->depth > 0 ? &walk->again[client][lock]
                                   : &walk->open[client][lock], at);
}

static void follow(struct walk *walk, const struct entry *entry, size_t at) {
    int client = entry->client;

    for (int lock = 0; lock < walk->diagram->lock_count; lock++)
        if (event_ends_client(entry->kind))
            end_all(walk, client, lock, at);
        else if (entry->kind == EVENT_WORK_DONE || entry->kind == EVENT_HUNG)
            end_work(walk, client, lock, at);
    if (entry->kind == EVENT_RESULT)
        hear(walk, entry, at);
    if (entry->kind == EVENT_ASKED && entry->operation == OPERATION_LEAVE &&
        entry->depth <= 1)
        end_work(walk, client, entry->lock_number, at);
}

// --- several are inside ------------------------------------------------------

static void add_overlap(struct walk *walk, int lock, size_t at) {
    struct diagram *diagram = walk->diagram;
    struct diagram_overlap *overlap = &walk->overlap[lock];

    overlap->to = at;
    diagram->overlaps = list_grow(diagram->overlaps, diagram->overlap_count,
                                  sizeof *diagram->overlaps);
    diagram->overlaps[diagram->overlap_count++] = *overlap;
    overlap->clients = 0;
}

// One that says, when it is asked, that its lock is lost was not inside.
static void watch_overlap(struct walk *walk, int lock, size_t at) {
    const struct entry *entry = &walk->diagram->record->entries[at];
    struct diagram_overlap *overlap = &walk->overlap[lock];
    bool several = __builtin_popcount(walk->inside[lock]) > 1;

    if (several && !overlap->clients)
        overlap->from = at;
    if (several)
        overlap->clients |= walk->inside[lock];
    else if (entry->kind == EVENT_RESULT && entry->result == RESULT_LOST)
        overlap->clients = 0;
    else if (overlap->clients)
        add_overlap(walk, lock, at);
}

void diagram_find_stays(struct diagram *diagram) {
    const struct record *record = diagram->record;
    struct walk walk = {.diagram = diagram};

    for (int client = 0; client < JUDGE_CLIENTS; client++)
        for (int lock = 0; lock < JUDGE_LOCKS; lock++)
            walk.open[client][lock] = walk.again[client][lock] = NOWHERE;
    for (size_t i = 0; i < record->entry_count; i++) {
        if (record->entries[i].client >= 0)
            follow(&walk, &record->entries[i], i);
        for (int lock = 0; record->exclusion_lost &&
                           lock < diagram->lock_count; lock++)
            watch_overlap(&walk, lock, i);
    }
    for (int lock = 0; lock < diagram->lock_count; lock++)
        if (walk.overlap[lock].clients)
            add_overlap(&walk, lock, NOWHERE);
}

char *diagram_overlap_text(const struct diagram *diagram,
                           const struct diagram_overlap *overlap) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&text, &size));
    int count = __builtin_popcount(overlap->clients), left = count;

    for (int i = 0; i < diagram->record->client_count; i++)
        if (overlap->clients & 1u << i) {
            left--;
            fprintf(out, "%s%s", diagram->record->clients[i],
                    left == 0 ? "" : left == 1 ? " and " : ", ");
        }
    fprintf(out, " are %s inside", count == 2 ? "both" : "all");
    fclose(out);
    return text;
}
