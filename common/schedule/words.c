#include "words.h"

#include <stddef.h>

const struct word words[] = {
    {"enter", OF_CLIENT, OPERATION, STEP_CHOICE, CHOOSE_ASK, OPERATION_ENTER},
    {"enter-for", OF_CLIENT, LEASED, STEP_CHOICE, CHOOSE_ASK, OPERATION_ENTER},
    {"wait", OF_CLIENT, PATIENT, STEP_CHOICE, CHOOSE_ASK, OPERATION_ENTER},
    {"leave", OF_CLIENT, OPERATION, STEP_CHOICE, CHOOSE_ASK, OPERATION_LEAVE},
    {"held", OF_CLIENT, OPERATION, STEP_CHOICE, CHOOSE_ASK, OPERATION_HELD},
    {"write", OF_CLIENT, OPERATION, STEP_CHOICE, CHOOSE_ASK, OPERATION_WRITE},
    {"write-apart", OF_CLIENT, OPERATION, STEP_CHOICE, CHOOSE_ASK,
     OPERATION_WRITE_APART},
    {"reopen", OF_CLIENT, OPERATION, STEP_CHOICE, CHOOSE_ASK, OPERATION_REOPEN},
    {"reopen-for", OF_CLIENT, LEASED, STEP_CHOICE, CHOOSE_ASK, OPERATION_REOPEN},
    {"refuse", OF_CONNECTION, NOTHING, STEP_CHOICE, CHOOSE_REFUSE, 0},
    {"cut", OF_CONNECTION, NOTHING, STEP_CHOICE, CHOOSE_CUT, 0},
    {"gives-up", OF_CONNECTION, NOTHING, STEP_CHOICE, CHOOSE_GIVE_UP, 0},
    {"wake", OF_CLIENT, NOTHING, STEP_CHOICE, CHOOSE_WAKE, 0},
    {"ahead", OF_CLIENT, SECONDS, STEP_CHOICE, CHOOSE_SKEW, 0},
    {"crash", OF_CLIENT, NOTHING, STEP_CHOICE, CHOOSE_KILL, 0},
    {"stop", OF_CLIENT, NOTHING, STEP_CHOICE, CHOOSE_STOP, 0},
    {"suspend", OF_CLIENT, NOTHING, STEP_CHOICE, CHOOSE_SUSPEND, 0},
    {"continue", OF_CLIENT, NOTHING, STEP_CHOICE, CHOOSE_CONTINUE, 0},
    {"cut-off", OF_CLIENT, NOTHING, STEP_CHOICE, CHOOSE_ISOLATE, 0},
    {"reachable", OF_CLIENT, NOTHING, STEP_CHOICE, CHOOSE_RECONNECT, 0},
    {"reaches", OF_CLIENT, SERVER, STEP_CHOICE, CHOOSE_REACH, 0},
    {"cut-off-from", OF_CLIENT, SERVER, STEP_CHOICE, CHOOSE_ISOLATE_FROM, 0},
    {"reaches-again", OF_CLIENT, SERVER, STEP_CHOICE, CHOOSE_RECONNECT_TO, 0},
    {"opens", OF_CLIENT, NOTHING, STEP_OPENS, 0, 0},
    {"opens-two", OF_CLIENT, NOTHING, STEP_OPENS_TWO, 0, 0},
    {"opens-turned", OF_CLIENT, NOTHING, STEP_OPENS_TURNED, 0, 0},
    {"must-be-inside", OF_CLIENT, NOTHING, STEP_MUST_BE_INSIDE, 0, 0},
    {"must-be-outside", OF_CLIENT, NOTHING, STEP_MUST_BE_OUTSIDE, 0, 0},
    {"must-know", OF_CLIENT, NOTHING, STEP_MUST_KNOW, 0, 0},
    {"must-believe", OF_CLIENT, NOTHING, STEP_MUST_BELIEVE, 0, 0},
    {"must-hold", OF_CLIENT, NOTHING, STEP_MUST_HOLD, 0, 0},
    {"must-hear-lost", OF_CLIENT, NOTHING, STEP_MUST_HEAR_LOST, 0, 0},
    {"connections-are-counted", OF_CLIENT, NOTHING, STEP_COUNT_CONNECTIONS, 0, 0},
    {"must-have-no-more", OF_CLIENT, NOTHING, STEP_MUST_HAVE_NO_MORE, 0, 0},
    {"work-done", OF_CLIENT, NOTHING, STEP_WORK_DONE, 0, 0},
    {"hangs", OF_CLIENT, NOTHING, STEP_HANGS, 0, 0},
    {"options", OF_SERVER, TEXT, STEP_OPTIONS, 0, 0},
    {"replicates", OF_SERVER, NOTHING, STEP_REPLICA, 0, 0},
    {"does", OF_SERVER, TEXT, STEP_CHOICE, CHOOSE_OPERATE, 0},
    {"does-in-vain", OF_SERVER, TEXT, STEP_CHOICE, CHOOSE_OPERATE_IN_VAIN, 0},
    {"key-is-kept", OF_SERVER, NOTHING, STEP_KEEP_KEY, 0, 0},
    {"key-must-be-kept", OF_SERVER, NOTHING, STEP_MUST_KEEP_KEY, 0, 0},
    {"writes-count", OF_SERVER, NOTHING, STEP_JUDGE_WRITES, 0, 0},
    {"order-counts", OF_SERVER, NOTHING, STEP_KEEP_ORDER, 0, 0},
    {"one-may-wake", OF_SERVER, NOTHING, STEP_COUNT_WOKEN, 0, 0},
    {"crash", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_KILL_SERVER, 0},
    {"start", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_START_SERVER, 0},
    {"stop", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_STOP_SERVER, 0},
    {"continue", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_CONTINUE_SERVER, 0},
    {"ahead", OF_SERVER, SECONDS, STEP_CHOICE, CHOOSE_SKEW_SERVER, 0},
    {"sync-disk", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_SYNC_DISK, 0},
    {"lose-unsynced", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_LOSE_UNSYNCED, 0},
    {"wipe-disk", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_WIPE_DISK, 0},
    {"hears-nothing", OF_SERVER, NOTHING, STEP_CHOICE, CHOOSE_HOLD_REPLICATION,
     0},
};

const int word_count = sizeof words / sizeof *words;

const struct word *word_of(const struct step *step) {
    for (int i = 0; i < word_count; i++)
        if (words[i].step == step->kind &&
            (step->kind != STEP_CHOICE ||
             (words[i].choice == step->choice.kind &&
              (step->choice.kind != CHOOSE_ASK ||
               (words[i].operation == step->choice.operation &&
                (words[i].object == PATIENT) ==
                    (step->choice.patience_ns > 0) &&
                (words[i].object == LEASED) == (step->choice.ns > 0))))))
            return &words[i];
    return NULL;
}
