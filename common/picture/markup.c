#include "markup.h"

#include "base/fail.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// U+FFFE and U+FFFF are valid UTF-8, and no document may have them.
static bool is_forbidden(const char *text) {
    return strncmp(text, "\xef\xbf\xbe", 3) == 0 ||
           strncmp(text, "\xef\xbf\xbf", 3) == 0;
}

void markup_text(FILE *out, const char *text) {
    char *safe = must_have(text_escaped(text));

    for (const char *c = safe; *c; c++)
        switch (*c) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default:
            if (is_forbidden(c)) {
                fputs("\\xef\\xbf", out);
                fprintf(out, "\\x%02x", (unsigned char)c[2]);
                c += 2;
            } else {
                fputc(*c, out);
            }
        }
    free(safe);
}

static size_t step(const char *text) {
    size_t length = text_character(text);
    return length > 0 ? length : 1;
}

int markup_length(const char *text) {
    int length = 0;

    for (; *text; text += step(text))
        length++;
    return length;
}

char *markup_line(const char **text, int width) {
    const char *start = *text + strspn(*text, " "), *c = start, *space = NULL;

    for (int i = 0; *c && i < width; i++, c += step(c))
        if (*c == ' ')
            space = c;
    if (!*start)
        return NULL;
    const char *end = !*c || *c == ' ' || !space ? c : space;
    *text = end;
    return must_have(strndup(start, (size_t)(end - start)));
}

void markup_cut(char *text, int width) {
    char *end = text;

    if (markup_length(text) <= width)
        return;
    for (int i = 0; i < width - 1; i++)
        end += step(end);
    strcpy(end, "…");
}
