// The words of the client protocol.
#include "choice.h"
#include "event.h"

const char *operation_word(enum operation operation) {
    static const char *const words[] = {
        [OPERATION_ENTER] = "enter",
        [OPERATION_LEAVE] = "leave",
        [OPERATION_HELD] = "held",
        [OPERATION_WRITE] = "write",
    };
    return words[operation];
}

const char *result_word(enum result result) {
    static const char *const words[] = {
        [RESULT_OK] = "ok",           [RESULT_BUSY] = "busy",
        [RESULT_LOST] = "lost",       [RESULT_UNKNOWN] = "unknown",
        [RESULT_ERROR] = "error",     [RESULT_CANNOT] = "cannot",
    };
    return words[result];
}
