// A run as a sequence diagram in Mermaid's language, which GitHub and other
// places draw where it stands in a page.
#ifndef DIAGRAM_MERMAID_H
#define DIAGRAM_MERMAID_H

#include "report/record.h"

#include <stdio.h>

void diagram_mermaid_print(FILE *out, const struct record *record);

#endif
