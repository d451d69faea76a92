#include "verdict.h"

#include <stdarg.h>
#include <stdio.h>

const char *verdict_word(enum verdict verdict) {
    static const char *const words[] = {
        [VERDICT_HOLDS] = "HOLDS",
        [VERDICT_BROKEN] = "BROKEN",
        [VERDICT_CANNOT_HAPPEN] = "CANNOT HAPPEN",
        [VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
    };
    return words[verdict];
}

int verdict_status(enum verdict verdict) {
    static const int statuses[] = {
        [VERDICT_HOLDS] = 0,
        [VERDICT_BROKEN] = 1,
        [VERDICT_CANNOT_HAPPEN] = 0,
        [VERDICT_INCONCLUSIVE] = 3,
    };
    return statuses[verdict];
}

const char *property_word(enum property property) {
    static const char *const words[] = {
        [PROPERTY_EXCLUSION] = "exclusion", [PROPERTY_ENTRY] = "entry",
        [PROPERTY_KNOWLEDGE] = "knowledge", [PROPERTY_RESOURCE] = "resource",
        [PROPERTY_LOSER] = "loser",         [PROPERTY_FOREIGN] = "foreign",
        [PROPERTY_COUNT] = "count",         [PROPERTY_KEY] = "key",
        [PROPERTY_KEPT] = "kept",           [PROPERTY_TOLD] = "told",
        [PROPERTY_BOUNDED] = "bounded",     [PROPERTY_WAKEUP] = "wakeup",
        [PROPERTY_ORDER] = "order",         [PROPERTY_HERD] = "herd",
        [PROPERTY_LEAK] = "leak",           [PROPERTY_PROGRESS] = "progress",
    };
    return words[property];
}

static void conclude(struct judge *judge, enum verdict verdict,
                     const char *sentence) {
    judge->verdict = verdict;
    snprintf(judge->sentence, sizeof judge->sentence, "%s", sentence);
}

unsigned judge_inside(const struct judge *judge) {
    unsigned inside = 0;

    for (int i = 0; i < judge->client_count; i++)
        if (judge->view.clients[i].inside[0])
            inside |= 1u << i;
    return inside;
}

static size_t last_event(const struct judge *judge) {
    return judge->watched > 0 ? judge->watched - 1 : 0;
}

// May it be lost where something else has told nothing about the lock? If a
// client got in and nothing was seen under the key, its lock is in another
// place. Then only the clients' answers and the writes to the resource are
// known.
static bool is_conclusive(const struct judge *judge, enum property property) {
    if (judge->blind)
        return property == PROPERTY_EXCLUSION || property == PROPERTY_RESOURCE;
    return property != PROPERTY_ENTRY && property != PROPERTY_KNOWLEDGE &&
           property != PROPERTY_WAKEUP && property != PROPERTY_TOLD;
}

static void find(struct judge *judge, struct lost_property lost,
                 const char *sentence) {
    bool conclusive = is_conclusive(judge, lost.property);

    judge->found |= 1u << lost.property;
    if (judge->gave_up)
        return;
    if (judge->verdict != VERDICT_HOLDS &&
        (judge->verdict != VERDICT_INCONCLUSIVE || !conclusive))
        return;
    judge->lost = lost;
    judge->lost.at = last_event(judge);
    judge->inside_then = judge_inside(judge);
    conclude(judge, VERDICT_BROKEN, sentence);
}

static void find_args(struct judge *judge, struct lost_property lost,
                      const char *format, va_list args) {
    char sentence[sizeof judge->sentence];

    vsnprintf(sentence, sizeof sentence, format, args);
    find(judge, lost, sentence);
}

void judge_find(struct judge *judge, struct lost_property lost,
                const char *format, ...) {
    va_list args;

    va_start(args, format);
    find_args(judge, lost, format, args);
    va_end(args);
}

void judge_find_more(struct judge *judge, struct lost_property lost,
                     const char *format, ...) {
    va_list args;

    if (judge->verdict == VERDICT_BROKEN &&
        judge->lost.property == lost.property)
        judge->verdict = VERDICT_HOLDS; // until the next lines
    va_start(args, format);
    find_args(judge, lost, format, args);
    va_end(args);
}

// "A " and the words.
static void name_and_words(const struct judge *judge, int client,
                           char sentence[sizeof judge->sentence],
                           const char *format, va_list args) {
    size_t size = sizeof judge->sentence;
    size_t length =
        (size_t)snprintf(sentence, size, "%s ", judge->names[client]);

    if (length < size)
        vsnprintf(sentence + length, size - length, format, args);
}

void judge_lose(struct judge *judge, enum property property, int client,
                const char *format, ...) {
    char sentence[sizeof judge->sentence];
    va_list args;

    va_start(args, format);
    name_and_words(judge, client, sentence, format, args);
    va_end(args);
    find(judge, (struct lost_property){property, client, NOBODY, 0, 0},
         sentence);
}

void judge_meet(struct judge *judge, enum property property, int client) {
    judge->met = (struct lost_property){property, client, NOBODY, 0,
                                        last_event(judge)};
}

static void defer(const struct judge *judge, struct deferred *found,
                  struct lost_property lost, const char *sentence) {
    if (*found->sentence)
        return;
    found->lost = lost;
    found->lost.at = last_event(judge);
    found->inside_then = judge_inside(judge);
    snprintf(found->sentence, sizeof found->sentence, "%s", sentence);
}

void judge_lose_beside(struct judge *judge, enum property property, int client,
                       const char *format, ...) {
    struct lost_property lost = {property, client, NOBODY, 0, 0};
    char sentence[sizeof judge->sentence];
    va_list args;

    va_start(args, format);
    name_and_words(judge, client, sentence, format, args);
    va_end(args);
    if (judge->strict) {
        find(judge, lost, sentence);
        return;
    }
    defer(judge, &judge->beside, lost, sentence);
    if (property == PROPERTY_TOLD || property == PROPERTY_KEPT)
        defer(judge, &judge->untrue, lost, sentence);
}

void judge_count_beside(struct judge *judge) {
    const struct deferred *found =
        judge->verdict == VERDICT_HOLDS           ? &judge->beside
        : judge->verdict == VERDICT_CANNOT_HAPPEN ? &judge->untrue
                                                  : NULL;

    if (!found || !*found->sentence)
        return;
    judge->found |= 1u << found->lost.property;
    judge->lost = found->lost;
    judge->inside_then = found->inside_then;
    conclude(judge, VERDICT_BROKEN, found->sentence);
}

void judge_see_nothing(struct judge *judge, int client, const char *what) {
    char sentence[sizeof judge->sentence];

    snprintf(sentence, sizeof sentence, "%s %s", judge->names[client], what);
    if (judge->verdict == VERDICT_HOLDS)
        conclude(judge, VERDICT_INCONCLUSIVE, sentence);
}

void judge_give_up(struct judge *judge, const char *why) {
    conclude(judge, VERDICT_INCONCLUSIVE, why);
    judge->gave_up = true;
}

void judge_cannot_happen(struct judge *judge, const char *why) {
    if (judge->verdict == VERDICT_HOLDS)
        conclude(judge, VERDICT_CANNOT_HAPPEN, why);
}
