// Text that comes from elsewhere (a server's log, a client's answer, the value
// of a key) and goes to a terminal, a table or a document.
#ifndef TEXT_H
#define TEXT_H

#include <stdarg.h>
#include <stdio.h>

// How many bytes the UTF-8 character at the start of `text` has; 0: what stands
// there is none.
size_t text_character(const char *text);

// Writes it, with \xNN for each byte of a control character (a terminal would
// obey it) and for each byte that is no UTF-8.
void text_print(FILE *out, const char *text);

// The same into memory. The caller frees it.
char *text_escaped(const char *text);

// "program: message" and a line's end on standard error, printed as above.
void text_complain(const char *format, va_list args);

#endif
