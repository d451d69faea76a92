#include "print.h"

#include "base/arguments.h"
#include "base/fail.h"
#include "base/hash.h"
#include "catalogue/verdicts.h"
#include "director.h"
#include "picture/diagram_html.h"
#include "picture/diagram_mermaid.h"
#include "picture/diagram_svg.h"
#include "report/cause.h"
#include "report/cause_kept.h"
#include "report/json.h"
#include "report/question.h"
#include "report/trace.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The lines below a trace. The caller frees the cause.
static char *conclude_record(struct race *race, char answer[ANSWER_SIZE]) {
    struct record *record = &race->record;
    bool broken = race->judge.verdict == VERDICT_BROKEN;
    char *because = NULL;

    if (broken)
        because = cause_find(record, &race->judge.lost);
    else if (race->judge.verdict == VERDICT_HOLDS)
        because = cause_kept(record, &race->judge.met, &record->decided);

    *answer = '\0';
    if (broken)
        verdicts_answer(race->lock, record->race, answer);
    record->verdict = race->judge.verdict;
    record->sentence = race->judge.sentence;
    record->because = because ? because : "";
    record->answered_by = answer;
    record->exclusion_lost = race->judge.found & 1u << PROPERTY_EXCLUSION;
    return because;
}

static void print_record(const struct record *record,
                         const struct options *options) {
    switch (options->format) {
    case FORMAT_JSON:
        json_print(stdout, record,
                   (struct json_more){
                       options->wire,
                       options->drawn ? diagram_svg_print : NULL});
        break;
    case FORMAT_SVG:  diagram_svg_print(stdout, record); break;
    case FORMAT_MERMAID: diagram_mermaid_print(stdout, record); break;
    case FORMAT_HTML: diagram_html_print(stdout, record, options->wire); break;
    default:          trace_print(stdout, record, options->wire); break;
    }
}

void race_print(struct race *race) {
    char answer[ANSWER_SIZE];
    char *because = conclude_record(race, answer);
    bool broken = race->judge.verdict == VERDICT_BROKEN;

    if (race->options.ask)
        question_print(stdout, stdin, &race->record,
                       broken ? &race->judge.lost : NULL,
                       broken ? race->judge.inside_then
                              : judge_inside(&race->judge),
                       race->options.wire);
    else
        print_record(&race->record, &race->options);
    finish_output();
    free(because);
}

void race_write(struct race *race, const char *folder) {
    char answer[ANSWER_SIZE], path[PATHS_SIZE];
    char *because = conclude_record(race, answer);

    snprintf(path, sizeof path, "%s/%s.%s.json", folder, race->name,
             race->lock);
    FILE *out = fopen(path, "w");
    if (out)
        json_print(out, &race->record,
                   (struct json_more){.draw = diagram_svg_print});
    if (!out || fclose(out) != 0)
        fail("cannot write %s: %s", path, strerror(errno));
    free(because);
}

// The digest is of the document as jansson writes it, with sorted keys.
uint64_t race_digest(struct race *race) {
    char answer[ANSWER_SIZE], *text = NULL;
    char *because = conclude_record(race, answer);
    size_t length;
    FILE *out = must_have(open_memstream(&text, &length));

    json_print(out, &race->record, (struct json_more){.wire = true});
    fclose(out);
    json_t *document = must_have(json_loadb(text, length, 0, NULL));
    char *sorted = must_have(json_dumps(document, JSON_SORT_KEYS));
    uint64_t digest = hash_of(sorted);

    free(sorted);
    json_decref(document);
    free(text);
    free(because);
    return digest;
}
