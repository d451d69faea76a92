#include "diagram_html.h"

#include "base/fail.h"
#include "catalogue/races.h"
#include "diagram_svg.h"
#include "markup.h"
#include "report/trace.h"

#include <stdlib.h>
#include <string.h>

static const char style[] =
    "<style>\n"
    ":root{color-scheme:light dark}\n"
    "body{font:16px/1.5 system-ui,-apple-system,'Segoe UI',Helvetica,Arial,"
    "sans-serif;max-width:1032px;margin:2rem auto;padding:0 1rem;"
    "color:#1b1f24;background:#ffffff}\n"
    "h1{font-size:1.5rem}\n"
    "svg{max-width:100%;height:auto}\n"
    "pre{overflow-x:auto;font:13px/1.35 ui-monospace,SFMono-Regular,Menlo,"
    "Consolas,monospace}\n"
    ".story{max-width:42rem}\n"
    "@media (prefers-color-scheme:dark){body{color:#e6edf3;"
    "background:#0d1117}}\n"
    "</style>\n";

static void print_element(FILE *out, const char *name, const char *text) {
    fprintf(out, "<%s>", name);
    markup_text(out, text);
    fprintf(out, "</%s>\n", name);
}

static void print_story(FILE *out, const struct record *record) {
    char *story = races_story(record->race);

    fputs("<div class=\"story\">\n", out);
    for (char *line = story; line && *line;) {
        char *end = strstr(line, "\n\n");
        if (end)
            *end = '\0';
        for (char *c = line; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        print_element(out, "p", line);
        line = end ? end + 2 : NULL;
    }
    fputs("</div>\n", out);
    free(story);
}

// Prints the trace in lines of their own length, with forbidden bytes escaped.
static void print_trace(FILE *out, const struct record *record, bool wire) {
    char *text = NULL, *rest;
    size_t size = 0;
    FILE *lines = must_have(open_memstream(&text, &size));

    trace_print(lines, record, wire);
    fclose(lines);
    rest = text;
    fputs("<pre>", out);
    for (char *line; (line = strsep(&rest, "\n"));) {
        markup_text(out, line);
        if (rest)
            fputc('\n', out);
    }
    fputs("</pre>\n", out);
    free(text);
}

void diagram_html_print(FILE *out, const struct record *record, bool wire) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
          "<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
          out);
    markup_text(out, record->race);
    fputs(" on ", out);
    markup_text(out, record->lock);
    fprintf(out, "</title>\n%s</head>\n<body>\n<h1>", style);
    markup_text(out, record->race);
    fputs(" on ", out);
    markup_text(out, record->lock);
    fprintf(out, "</h1>\n<p><strong>%s</strong>%s",
            verdict_word(record->verdict), *record->sentence ? ": " : "");
    markup_text(out, record->sentence);
    fputs("</p>\n", out);
    print_story(out, record);
    diagram_svg_print(out, record);
    print_element(out, "h2", "The trace");
    print_trace(out, record, wire);
    fputs("</body>\n</html>\n", out);
}
