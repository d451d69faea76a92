#include "diagram_build.h"

#include "base/fail.h"

#include <stdlib.h>

void diagram_open(struct diagram *diagram, const struct record *record) {
    size_t size = (record->entry_count + 1) * sizeof *diagram->places;

    *diagram = (struct diagram){
        .record = record,
        .places = must_have(malloc(size)),
        .lock_count = record->two_locks ? 2 : 1,
    };
    for (int lock = 0; lock < diagram->lock_count; lock++)
        history_open(&diagram->histories[lock], record, lock,
                     record->entry_count);
    diagram_find_stays(diagram);
    diagram_find_arrows(diagram);
    diagram_write_rows(diagram);
}

void diagram_close(struct diagram *diagram) {
    for (int lock = 0; lock < diagram->lock_count; lock++)
        history_close(&diagram->histories[lock]);
    for (size_t i = 0; i < diagram->row_count; i++) {
        free(diagram->rows[i].text);
        free(diagram->rows[i].meaning);
    }
    free(diagram->rows);
    free(diagram->places);
    free(diagram->arrows);
    free(diagram->stays);
    free(diagram->overlaps);
}
