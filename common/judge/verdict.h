// From losses to the verdict. The first loss gives it. But after an
// INCONCLUSIVE answer, a loss of entry, knowledge, wakeup or told is none: the
// same silence may have caused it.
#ifndef JUDGE_VERDICT_H
#define JUDGE_VERDICT_H

#include "judge.h"

// Notes a loss; `lost.at` is filled in here.
__attribute__((format(printf, 3, 4)))
void judge_find(struct judge *judge, struct lost_property lost,
                const char *format, ...);

// The same, but of several losses of one property the last one stands: its
// sentence counts them.
__attribute__((format(printf, 3, 4)))
void judge_find_more(struct judge *judge, struct lost_property lost,
                     const char *format, ...);

// A loss that concerns one client: its name and the words make the sentence.
__attribute__((format(printf, 4, 5)))
void judge_lose(struct judge *judge, enum property property, int client,
                const char *format, ...);

// The same, of a loss that a story does not ask for. A strict judge counts it
// at once. Any other judge leaves it to judge_count_beside(), because the
// story's own sentence says more.
__attribute__((format(printf, 4, 5)))
void judge_lose_beside(struct judge *judge, enum property property, int client,
                       const char *format, ...);

// Notes that the client has done what the story asked for.
void judge_meet(struct judge *judge, enum property property, int client);

// The verdict is INCONCLUSIVE, unless there is another one: "A hears nothing."
void judge_see_nothing(struct judge *judge, int client, const char *what);

#endif
