#include "choice.h"

bool choice_names_connection(enum choice_kind kind) {
    switch (kind) {
    case CHOOSE_FORWARD:
    case CHOOSE_REFUSE:
    case CHOOSE_DELIVER:
    case CHOOSE_CUT:
    case CHOOSE_GIVE_UP:
        return true;
    default:
        return false;
    }
}

bool choice_names_client(enum choice_kind kind) {
    switch (kind) {
    case CHOOSE_ASK:
    case CHOOSE_WAKE:
    case CHOOSE_SKEW:
    case CHOOSE_KILL:
    case CHOOSE_STOP:
    case CHOOSE_SUSPEND:
    case CHOOSE_CONTINUE:
    case CHOOSE_ISOLATE:
    case CHOOSE_RECONNECT:
    case CHOOSE_ISOLATE_FROM:
    case CHOOSE_RECONNECT_TO:
    case CHOOSE_REACH:
        return true;
    default:
        return choice_names_connection(kind);
    }
}

bool choice_names_server(enum choice_kind kind) {
    return !choice_names_client(kind) && kind != CHOOSE_ADVANCE;
}

const char *operation_word(enum operation operation) {
    static const char *const words[] = {
        [OPERATION_ENTER] = "enter",
        [OPERATION_LEAVE] = "leave",
        [OPERATION_HELD] = "held",
        [OPERATION_WRITE] = "write",
        [OPERATION_WRITE_APART] = "write-apart",
        [OPERATION_REOPEN] = "reopen",
    };
    return words[operation];
}

bool operation_writes(enum operation operation) {
    return operation == OPERATION_WRITE || operation == OPERATION_WRITE_APART;
}
