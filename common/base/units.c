#include "units.h"

#include <stdio.h>

const char *span_words(int64_t ns, char words[SPAN_WORDS]) {
    long long ms = ns / MILLISECOND;

    if (ms % 1000 == 0)
        snprintf(words, SPAN_WORDS, "%lld s", ms / 1000);
    else
        snprintf(words, SPAN_WORDS, "%lld.%03lld s", ms / 1000, ms % 1000);
    return words;
}
