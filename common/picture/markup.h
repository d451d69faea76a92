// Text for a document in XML or HTML, and text that is broken into lines.
#ifndef MARKUP_H
#define MARKUP_H

#include <stdio.h>

// Writes text that may come from a guest: "<" as "&lt;", and forbidden bytes
// (control characters, bytes that are not UTF-8) as \xNN.
void markup_text(FILE *out, const char *text);

// The number of characters.
int markup_length(const char *text);

// The next line of `*text`, of at most `width` characters: it ends at a space,
// or in a word that is longer than that. `*text` moves on behind it. The caller
// frees the line; NULL if nothing is left.
char *markup_line(const char **text, int width);

// Cuts the text to `width` characters if it is longer; then the last one is
// "…". The text must have room for that.
void markup_cut(char *text, int width);

#endif
