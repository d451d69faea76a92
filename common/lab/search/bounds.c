// The words for faults, assumptions and losses.
#include "position.h"

static const char *const faults[FAULTS] = {
    [FAULT_CRASH] = "crash",     [FAULT_STOP] = "stop",
    [FAULT_CUT] = "cut",         [FAULT_LOSE_ANSWER] = "lose-answer",
    [FAULT_AHEAD] = "ahead",     [FAULT_HANG] = "hang",
    [FAULT_STRANGER] = "stranger", [FAULT_AGAIN] = "again",
    [FAULT_REFUSE] = "refuse",   [FAULT_GIVE_UP] = "give-up",
    [FAULT_RESTART] = "restart", [FAULT_JUMP] = "jump",
};

static const struct {
    const char *word, *meaning;
} assumptions[ASSUMPTIONS] = {
    [ASSUME_WORK_FITS_LEASE] = {"work-fits-lease",
                                "nobody is inside for as long as a lease"},
    [ASSUME_PROMPT_WIRE] = {"prompt-wire",
                            "no time passes while something is on its way"},
    [ASSUME_NO_STOPS] = {"no-stops", "no client is stopped"},
    [ASSUME_NO_CRASH_MID_ACQUIRE] = {"no-crash-mid-acquire",
                                     "no client is killed while it acquires"},
    [ASSUME_NO_CRASHES] = {"no-crashes", "no client is killed at all"},
    [ASSUME_NO_HANGS] = {"no-hangs", "no worker hangs"},
    [ASSUME_EQUAL_CLOCKS] = {"equal-clocks", "all clocks show the same"},
    [ASSUME_NOTHING_LOST] = {"nothing-lost", "no connection breaks"},
    [ASSUME_SERVER_KEEPS_MEMORY] = {"server-keeps-memory",
                                    "the server forgets nothing"},
    [ASSUME_OWN_RELEASES] = {"own-releases",
                             "nobody releases who is not inside"},
    [ASSUME_NO_REFUSALS] = {"no-refusals", "the server refuses no command"},
    [ASSUME_NO_GIVE_UPS] = {"no-give-ups",
                            "no command runs after its client has given up"},
    [ASSUME_NEW_HOLDER_WRITES] = {"new-holder-writes",
                                  "who gets in has written before an older "
                                  "write arrives"},
}, losses[LOSSES] = {
    [LOSS_EXCLUSION] = {"exclusion", "at most one client is inside"},
    [LOSS_RECOVERY] = {"recovery", "when all have left or died and a lease has "
                                   "passed, somebody new gets in"},
    [LOSS_ENTRY] = {"entry", "a free lock lets in who asks, and an owner "
                               "gets in again"},
    [LOSS_LOSER] = {"loser", "who is told busy has changed nothing"},
    [LOSS_FOREIGN] = {"foreign", "no release or renewal changes the lock of "
                                 "another who is inside"},
    [LOSS_COUNT] = {"count", "the lock is gone exactly with its owner's last "
                             "release"},
    [LOSS_KEPT] = {"kept", "who is inside and is not hindered keeps a lock that "
                           "renews itself"},
    [LOSS_TOLD] = {"told", "what a client is told is true"},
    [LOSS_BOUNDED] = {"bounded", "what the dead left is no hindrance a lease "
                                 "after their last command"},
    [LOSS_WAKEUP] = {"wakeup", "who waits is let in within a second when the "
                               "lock is free"},
    [LOSS_RESOURCE] = {"resource", "no write is accepted after another has got "
                                   "in"},
    [LOSS_PROGRESS] = {"progress", "a client ends its operation, or waits"},
};

int losses_sought(const struct bounds *bounds) {
    return bounds->wait_s > 0 ? LOSS_WAKEUP + 1 : USUAL_LOSSES;
}

unsigned losses_looked_for(const struct bounds *bounds) {
    if (bounds->writes > 0)
        return 1u << LOSS_RESOURCE | 1u << LOSS_PROGRESS;
    return ((1u << USUAL_LOSSES) - 1) | 1u << LOSS_PROGRESS |
           (unsigned)(bounds->wait_s > 0) << LOSS_WAKEUP;
}

const char *fault_word(enum fault fault) {
    return fault < FAULTS ? faults[fault] : NULL;
}

const char *assumption_word(enum assumption assumption) {
    return assumption < ASSUMPTIONS ? assumptions[assumption].word : NULL;
}

const char *assumption_meaning(enum assumption assumption) {
    return assumptions[assumption].meaning;
}

const char *loss_word(enum loss loss) {
    return loss < LOSSES ? losses[loss].word : NULL;
}

const char *loss_meaning(enum loss loss) {
    return losses[loss].meaning;
}

enum property loss_property(enum loss loss) {
    static const enum property properties[LOSSES] = {
        [LOSS_EXCLUSION] = PROPERTY_EXCLUSION,
        [LOSS_RECOVERY] = PROPERTY_ENTRY,
        [LOSS_ENTRY] = PROPERTY_ENTRY,
        [LOSS_LOSER] = PROPERTY_LOSER,
        [LOSS_FOREIGN] = PROPERTY_FOREIGN,
        [LOSS_COUNT] = PROPERTY_COUNT,
        [LOSS_KEPT] = PROPERTY_KEPT,
        [LOSS_TOLD] = PROPERTY_TOLD,
        [LOSS_BOUNDED] = PROPERTY_BOUNDED,
        [LOSS_WAKEUP] = PROPERTY_WAKEUP,
        [LOSS_RESOURCE] = PROPERTY_RESOURCE,
        [LOSS_PROGRESS] = PROPERTY_PROGRESS,
    };
    return properties[loss];
}

// (Recovery and progress, a search finds by itself.)
unsigned losses_found(const struct judge *judge) {
    unsigned found = 0;

    for (enum loss loss = 0; loss < LOSSES; loss++)
        if (loss != LOSS_RECOVERY && judge->found >> loss_property(loss) & 1)
            found |= 1u << loss;
    return found;
}
