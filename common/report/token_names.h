// Names for random tokens, so that two runs print the same: A1 is client A's
// first token, A2 its second.
#ifndef TOKEN_NAMES_H
#define TOKEN_NAMES_H

struct names;

struct names *names_open(void);
void names_close(struct names *names);

// `text` with every token (32 hex digits on their own, or a UUID) replaced by
// its name. A token seen for the first time is the one of `client`. The caller
// frees it.
char *names_apply(struct names *names, const char *client, const char *text);

#endif
