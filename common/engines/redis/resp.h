// RESP, the wire format of Redis, read by hiredis's own parser in both
// directions.
//
// A request is shown as one would type it into redis-cli, with one liberty: a
// script stands there by its name (its first line, "-- name"), not by its text
// or its SHA-1, which nobody can read. Another script with the same first line
// is "name#2".
#ifndef RESP_H
#define RESP_H

#include "engines/message.h"

#include <hiredis/hiredis.h>

extern const struct wire_format resp;

// A script is known by the name in its first line once SCRIPT LOAD has been
// answered. Forgets them all; and whether new ones are learned (they are).
void resp_forget_scripts(void);
void resp_learn_scripts(bool on);

// From now on every script has a number that depends on nothing but its text:
// "name#2" would be another script where they are met in another order.
void resp_number_scripts_by_text(void);

// An answer as one would see it: an error by its code, an array in brackets.
// The caller frees it.
char *resp_answer(const redisReply *answer);

#endif
