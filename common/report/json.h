// One race as one JSON document. docs/json.md describes the fields.
#ifndef JSON_H
#define JSON_H

#include "record.h"

#include <stdbool.h>
#include <stdio.h>

typedef void picture(FILE *out, const struct record *record);

// The contents of a document beyond the events themselves.
struct json_more {
    bool wire;     // the bytes of requests and answers
    picture *draw; // NULL: neither the trace nor the picture
};

void json_print(FILE *out, const struct record *record, struct json_more more);

#endif
