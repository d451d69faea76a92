// The verdict that is expected of every lock in every race: matrix.txt beside
// this file, the table that `make test` asserts. It is read when it is needed,
// so that "stage 5 answers this" is never said of a stage that does not.
#ifndef VERDICTS_H
#define VERDICTS_H

enum { ANSWER_SIZE = 160 };

// The rung of the ladder that answers a lost race of this lock, and the command
// to show it. It is the first later rung that holds; for a detour, the first
// from its own rung on. If there is none: from which rung on the race cannot
// happen, or that no later one answers it. Empty for a lock or a race that the
// table does not list.
void verdicts_answer(const char *lock, const char *race,
                     char answer[ANSWER_SIZE]);

#endif
