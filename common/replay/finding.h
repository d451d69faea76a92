// The first loss of a run, described so that two runs can be compared.
#ifndef FINDING_H
#define FINDING_H

#include "race/director.h"

struct finding {
    bool lost;
    enum property property;
    char sentence[sizeof((struct judge *)0)->sentence]; // the verdict's
    uint64_t cause;   // a hash: how the lock was last taken from its owner, and
                      // how it was last changed; no times
    uint64_t setting; // where a step says what must be, a hash: the client, who
                      // was inside or on the way, the time, what was left of
                      // the lease; else 0
};

// Fills it in if this step, just played, has lost the lock for the first time.
// `letter` is the name of the step's client, `found` what the judge had found
// before the step.
void finding_note(struct finding *finding, const struct race *race,
                  const struct step *step, char letter, unsigned found);

// Call it after the last step: later steps may have said more of the loss.
void finding_end(struct finding *finding, const struct race *race);

// Are both losses the same: the same sentence, by the same cause?
bool finding_same(const struct finding *one, const struct finding *other);

#endif
