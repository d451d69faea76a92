#include "event.h"

bool event_ends_client(enum event_kind kind) {
    return kind == EVENT_KILLED || kind == EVENT_CRASHED || kind == EVENT_QUIT;
}

const char *result_word(enum result result) {
    static const char *const words[] = {
        [RESULT_OK] = "ok",           [RESULT_BUSY] = "busy",
        [RESULT_LOST] = "lost",       [RESULT_UNKNOWN] = "unknown",
        [RESULT_ERROR] = "error",     [RESULT_CANNOT] = "cannot",
    };
    return words[result];
}
