// A run as one page: the story, the picture and the trace. It needs nothing
// from elsewhere and no script.
#ifndef DIAGRAM_HTML_H
#define DIAGRAM_HTML_H

#include "report/record.h"

#include <stdbool.h>
#include <stdio.h>

// `wire` adds the bytes to the trace.
void diagram_html_print(FILE *out, const struct record *record, bool wire);

#endif
