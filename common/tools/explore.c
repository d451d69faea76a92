// Tries every schedule within bounds, and prints the shortest that loses each
// property.
#include "arguments.h"
#include "locks.h"
#include "replay.h"
#include "search/crew.h"
#include "search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    struct search_options options = {
        .bounds = {.clients = 2, .rounds = 1, .nested = 0, .leases = 2, .depth = 1000, .fault_total=1, .faults={[FAULT_CRASH]=1}},
        .jobs = 2, .most_positions = 5000000, .times = 1, .progress=true};
    struct search_result r;
    char name[LOCK_NAME_SIZE], program[PATHS_SIZE];
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i],"-c")) options.bounds.clients=atoi(argv[++i]);
        else if (!strcmp(argv[i],"-n")) options.bounds.nested=atoi(argv[++i]);
        else if (!strcmp(argv[i],"-r")) options.bounds.rounds=atoi(argv[++i]);
        else if (!strcmp(argv[i],"-e")) options.every_step=true;
        else if (!strcmp(argv[i],"-j")) options.jobs=atoi(argv[++i]);
        else if (!strcmp(argv[i],"-t")) options.bounds.fault_total=atoi(argv[++i]);
        else if (!strcmp(argv[i],"-f")) { i++; for (int f=0;f<FAULTS;f++) if (!strcmp(argv[i],fault_word(f))) options.bounds.faults[f]=1; }
        else locks_find(argv[i], name);
    }
    locks_client(name, program);
    options.program = program;
    crew_open(program, options.jobs);
    search(&options, &r);
    printf("%s: end %d, %zu positions, %zu transitions, %zu runs, %zu steps, depth %d, %zu KB\n", name, r.end, r.positions, r.transitions, r.runs, r.steps_seen, r.depth, r.table_bytes/1024);
    for (int w=0;w<WITNESSES;w++) if (r.seen[w]) printf("  seen: %s\n", witness_meaning(w));
    for (int l=0;l<LOSSES;l++) { if (!r.schedules[l]) {printf("  %-10s clean\n", loss_word(l)); continue;} printf("  %-10s %d: %s\n", loss_word(l), r.lengths[l], search_schedule(r.schedules[l], r.lengths[l], name, l, &options.bounds)); }
    crew_close();
    return 0;
}
