// Names for random tokens, so that two runs print the same: A1 is client A's
// first token, A2 its second.
#ifndef TOKEN_NAMES_H
#define TOKEN_NAMES_H

#include <stddef.h>

struct names;

struct names *names_open(void);
void names_close(struct names *names);

// This is a token of `client` too, though it does not look like one.
void names_add(struct names *names, const char *client, const char *word,
               size_t length);

// `text` with every token replaced by its name. A token is 32 hex digits on
// their own, a UUID, or one that was added. It is also a word of 16 or more
// letters of both cases and digits, such as base64. A token seen for the first
// time is the one of `client`. The caller frees it.
char *names_apply(struct names *names, const char *client, const char *text);

#endif
