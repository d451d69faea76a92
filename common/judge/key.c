// Key: if somebody else uses the key, its value stays as it is.
#include "facts.h"
#include "property.h"
#include "verdict.h"

#include <string.h>

static void after(struct judge *judge, const struct event *event) {
    struct key *key = &judge->key;

    if (key->kept && key->changer == NOBODY && event->kind == EVENT_RAN &&
        !judge_same_lock(&judge->lock, &key->value))
        key->changer = event->client;
}

const struct property_row property_key = {
    .property = PROPERTY_KEY, .after = after};

void judge_note_key(struct judge *judge) {
    int owner = judge->view.owner;

    judge->key = (struct key){
        .kept = true,
        .value = judge->lock,
        .owner = owner >= 0 && owner < judge->client_count ? owner : NOBODY,
        .changer = NOBODY,
    };
}

static const char *change_word(const struct judge *judge) {
    return !judge->lock.exists ? "removed"
           : strcmp(judge->lock.value, judge->key.value.value) != 0
               ? "overwrote" : "gave a new lease to";
}

// "A overwrote B's lock."
static void lose_key(struct judge *judge, const char *whose, const char *what) {
    struct lost_property lost = {PROPERTY_KEY, NOBODY, NOBODY, 0, 0};

    if (judge->key.changer == NOBODY)
        judge_find(judge, lost, "%s%s is not as it was.", whose, what);
    else
        judge_find(judge, lost, "%s %s %s%s.",
                   judge->names[judge->key.changer], change_word(judge), whose,
                   what);
}

void judge_require_key(struct judge *judge) {
    if (judge_same_lock(&judge->lock, &judge->key.value)) {
        judge_meet(judge, PROPERTY_KEY, NOBODY);
        return;
    }
    if (judge->key.owner == NOBODY)
        lose_key(judge, "", "what another program keeps under the key");
    else
        lose_key(judge, judge->names[judge->key.owner], "'s lock");
}
