// A token: a value that differs for every hold of a lock.
#ifndef TOKEN_H
#define TOKEN_H

// 128 random bits in hex and a terminating zero.
#define TOKEN_SIZE 33

// Fills `token` from getrandom(). Ends the process if the kernel has no
// randomness to give: a lock with a guessable owner is worse than none.
void token_new(char token[TOKEN_SIZE]);

#endif
