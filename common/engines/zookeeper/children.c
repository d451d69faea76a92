#include "children.h"

#include "base/list.h"

#include <stdlib.h>
#include <string.h>

long children_number(const char *name) {
    enum { DIGITS = 10 };
    size_t length = strlen(name);

    if (length < DIGITS)
        return -1;
    const char *digits = name + length - DIGITS;
    return strspn(digits, "0123456789") == DIGITS ? atol(digits) : -1;
}

static int by_number(const void *one, const void *other) {
    const char *first = *(char *const *)one, *second = *(char *const *)other;
    long difference = children_number(first) - children_number(second);

    return difference < 0 ? -1 : difference > 0 ? 1 : strcmp(first, second);
}

char **children_read(struct jute_reader *record) {
    char **names = NULL, *name;
    size_t count = 0;

    for (int32_t left = jute_read_int(record);
         left > 0 && (name = jute_read_text(record)); left--) {
        names = list_grow(names, count, sizeof *names);
        names[count++] = name;
    }
    names = list_grow(names, count, sizeof *names);
    names[count] = NULL;
    qsort(names, count, sizeof *names, by_number);
    return names;
}

void children_free(char **names) {
    for (char **name = names; name && *name; name++)
        free(*name);
    free(names);
}
