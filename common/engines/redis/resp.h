// RESP, the wire format of Redis, read by hiredis's own parser in both
// directions.
//
// A request is shown as one would type it into redis-cli, with one exception. A
// script is shown by its name, from its first line, "-- name": nobody can read
// its SHA-1, and its text is long. Another script with the same first line is
// "name#2".
#ifndef RESP_H
#define RESP_H

#include "engines/message.h"

#include <hiredis/hiredis.h>

extern const struct wire_format resp;

// A script has a name from the moment when SCRIPT LOAD was answered.
// resp_forget_scripts() forgets all names. resp_learn_scripts() says whether
// new ones are learned; at the start they are.
void resp_forget_scripts(void);
void resp_learn_scripts(bool on);

// From now on the number of a script depends on nothing but its text. (With
// "name#2" it would depend on the order in which scripts are met.) The name of
// one that looks at the server's clock ends with SCRIPT_CLOCK.
void resp_number_scripts_by_text(void);
#define SCRIPT_CLOCK "@clock"

// Does this text, of a command or of a script, name an instant, at which a
// lease ends by the server's clock?
bool resp_names_instant(const char *text);

// An answer as redis-cli would show it, but an error by its code alone, and an
// array in brackets.
// The caller frees it.
char *resp_answer(const redisReply *answer);

#endif
