// One race as one JSON document. docs/json.md describes the fields.
#ifndef JSON_H
#define JSON_H

#include "record.h"

#include <stdbool.h>
#include <stdio.h>

// `wire` adds the bytes of requests and answers.
void json_print(FILE *out, const struct record *record, bool wire);

#endif
