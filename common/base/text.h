// Prints foreign text: a server's log, a client's answer, the value of a key.
// It is safe then on a terminal, in a table or in a document.
#ifndef TEXT_H
#define TEXT_H

#include <stdio.h>

// The number of bytes of the UTF-8 character at the start of `text`; 0 if there
// is no valid character.
size_t text_character(const char *text);

// Writes the text. Each byte of a control character (a terminal would obey it)
// and each byte that is not valid UTF-8 is written as \xNN.
void text_print(FILE *out, const char *text);

// Returns what text_print() would write; NULL: no memory is left. The caller
// frees it.
char *text_escaped(const char *text);

#endif
