// One race as one JSON document. docs/json.md describes the fields.
#ifndef JSON_H
#define JSON_H

#include "record.h"

#include <stdbool.h>
#include <stdio.h>

// What a document has beyond the events themselves.
struct json_more {
    bool wire;  // the bytes of requests and answers
    bool drawn; // the trace and the picture
};

void json_print(FILE *out, const struct record *record, struct json_more more);

#endif
