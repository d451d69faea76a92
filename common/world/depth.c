#include "depth.h"

void depth_conclude(int *depth, bool *leaving, enum operation operation,
                    enum result result) {
    bool anew = operation == OPERATION_REOPEN && result == RESULT_OK;

    if (operation == OPERATION_ENTER && result == RESULT_OK)
        ++*depth;
    else if (anew ||
             (result == RESULT_LOST && (operation == OPERATION_ENTER ||
                                        operation == OPERATION_LEAVE)))
        *depth = 0;
    else if (operation == OPERATION_LEAVE && *depth > 0 &&
             !(result == RESULT_ERROR && *depth > 1))
        *depth -= !*leaving;
    if (operation == OPERATION_LEAVE)
        *leaving = result == RESULT_UNKNOWN ||
                   (*leaving && result == RESULT_ERROR);
    else if (operation == OPERATION_ENTER || anew)
        *leaving = false;
}

bool depth_is_lost(enum operation operation, enum result result, int depth) {
    bool changes_depth = operation == OPERATION_ENTER ||
                         operation == OPERATION_LEAVE;
    return result == RESULT_LOST && (depth == 0 || !changes_depth);
}
