// An event of a client, in the words of a trace and of a picture.
#ifndef EVENT_WORDS_H
#define EVENT_WORDS_H

#include "record.h"

enum { WORDS_SIZE = 64 };

// The meaning of a result for the client: "inside", "busy", "not its own".
const char *result_words(const struct entry *entry);

// " for 1 s" if a client got in with a lease for this one acquire.
const char *lease_words(const struct entry *entry, char words[WORDS_SIZE]);

// "killed", "stopped"; NULL if the event is of another kind.
const char *happening_words(const struct entry *entry);

// The beginning of an operation, where its commands do not show enough: "waits
// up to 2.5 s", "tries once", "thread 2 releases". Empty: they do.
void asked_words(const struct entry *entry, char words[WORDS_SIZE]);

#endif
