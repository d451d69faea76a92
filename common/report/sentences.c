#include "sentences.h"

#include "cause_words.h"
#include "event_words.h"
#include "kept_facts.h"
#include "neighbours.h"

#include "base/fail.h"
#include "base/units.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The teller of one entry. Each of its words ends a sentence, or begins one.
struct teller {
    struct words words;
    const struct record *record;
    struct history *histories; // one for each lock
    size_t at;
    const struct entry *entry;
    const char *name; // of its client
};

// --- parts of a sentence -----------------------------------------------------

static const char *lock_name(const struct teller *teller, int lock) {
    return !teller->record->two_locks ? "the lock"
           : lock > 0                 ? "the second lock"
                                      : "the first lock";
}

// "Redis", and with several masters "server 3".
static void say_server(struct teller *teller, bool begins) {
    if (teller->record->masters > 1)
        say(&teller->words, "%cerver %d", begins ? 'S' : 's',
            teller->entry->server + 1);
    else
        say(&teller->words, "%s", teller->record->server_title);
}

// The full stop behind words that somebody else wrote, if they have none.
static const char *stop_after(const char *text) {
    size_t length = strlen(text);
    return length > 0 && strchr(".?!", text[length - 1]) ? "" : ".";
}

static void say_as_sentence(struct teller *teller, const char *text) {
    if (*text)
        say(&teller->words, "%c%s%s", toupper((unsigned char)*text), text + 1,
            stop_after(text));
}

// The end of a sentence, with the client's own reason if it gave one.
static void say_reason(struct teller *teller) {
    const char *reason = teller->entry->text;

    if (reason && *reason)
        say(&teller->words, ": %s%s", reason, stop_after(reason));
    else
        say(&teller->words, ".");
}

// --- what became of a lock ---------------------------------------------------

static void say_lease(struct teller *teller, const char *before,
                      const struct lock_state *lock, const char *for_ever) {
    if (lock->ttl_ms < 0) {
        say(&teller->words, "%s.", for_ever);
        return;
    }
    say(&teller->words, "%s", before);
    say_span(&teller->words, lock->ttl_ms);
    say(&teller->words, ".");
}

// Does the command that ran at `ran` leave a lock that its client wanted to
// release?
static bool releases_in_vain(const struct history *history, size_t ran) {
    size_t asked = history_operation(history, ran);

    return asked != NOWHERE && history_state(history, ran)->exists &&
           kept_entry(history, asked)->operation == OPERATION_LEAVE &&
           kept_is_about(history, kept_entry(history, asked));
}

// The effect of the command that ran at `ran` on one lock.
static void say_effect_on(struct teller *teller, const struct history *history,
                          size_t ran) {
    const struct lock_state *lock = history_state(history, ran);
    const char *name = lock_name(teller, history->lock);
    int owner = ran > 0 ? history->moments[ran - 1].owner : NOBODY;
    bool strangers = owner != NOBODY && owner != teller->entry->client;
    struct words *words = &teller->words;

    switch (history->moments[ran].change) {
    case MADE:
        say(words, " Now %s is taken", name);
        say_lease(teller, ", for ", lock, ", and has no lease");
        break;
    case GONE:
        if (strangers)
            say(words, " %s's lock is gone:", kept_name(history, owner));
        say(words, " %s %s is free.", strangers ? "now" : "Now", name);
        break;
    case OVERWRITTEN:
        if (strangers)
            say(words, " %s's lock is overwritten.", kept_name(history, owner));
        else
            say(words, " Now %s has another value.", name);
        break;
    case LEASED:
        say(words, " Now %s%s lease ", strangers ? kept_name(history, owner)
                                                 : "the",
            strangers ? "'s" : "");
        say_lease(teller, "ends in ", lock, "has no end");
        break;
    default:
        if (releases_in_vain(history, ran))
            say(words, " Nothing is removed.");
        break;
    }
}

// Of several masters each has a lock of its own, and the table beside the
// sentence shows them.
static void say_effect(struct teller *teller, size_t ran) {
    if (teller->record->masters > 1)
        return;
    for (int i = 0; i < (teller->record->two_locks ? 2 : 1); i++)
        say_effect_on(teller, &teller->histories[i], ran);
}

// --- on the wire -------------------------------------------------------------

static size_t number_of(const struct teller *teller, const struct entry *one) {
    return (size_t)(one - teller->record->entries);
}

// The entry before, or after, if it is of the same exchange and of this kind.
static const struct entry *before(const struct teller *teller,
                                  enum event_kind kind) {
    const struct entry *one = entry_before(teller->record, teller->entry);
    return same_exchange(teller->entry, one) && one->kind == kind ? one : NULL;
}

static const struct entry *after(const struct teller *teller,
                                 enum event_kind kind) {
    const struct entry *one = entry_after(teller->record, teller->entry);
    return same_exchange(teller->entry, one) && one->kind == kind ? one : NULL;
}

static void tell_request(struct teller *teller) {
    bool held = !after(teller, EVENT_RAN) && !after(teller, EVENT_WAITS);

    say(&teller->words, "%s asks ", teller->name);
    say_server(teller, false);
    say(&teller->words, ": ");
    say_command(&teller->words, teller->entry->request);
    say(&teller->words, held ? ". The command is on its way." : ".");
}

static void tell_ran(struct teller *teller) {
    bool direct = before(teller, EVENT_REQUEST) && !teller->entry->waited;
    bool answered = after(teller, EVENT_ANSWER);

    if (direct && answered)
        return;
    say_server(teller, true);
    say(&teller->words, " runs %s's ", teller->name);
    say_command(&teller->words, teller->entry->request);
    say(&teller->words, teller->entry->waited ? ", which has waited there."
                                              : ".");
    say_effect(teller, teller->at);
    if (answered || after(teller, EVENT_CUT))
        return;
    say(&teller->words, " The answer, ");
    say_command(&teller->words, teller->entry->answer);
    say(&teller->words, ", is on its way.");
}

static void tell_answer(struct teller *teller) {
    const struct entry *ran = before(teller, EVENT_RAN);

    if (!ran) {
        say(&teller->words, "%s hears the answer to ", teller->name);
        say_command(&teller->words, teller->entry->request);
        say(&teller->words, ": ");
        say_command(&teller->words, teller->entry->answer);
        say(&teller->words, ".");
        return;
    }
    say_server(teller, true);
    say(&teller->words, " answers %s: ", teller->name);
    say_command(&teller->words, teller->entry->answer);
    say(&teller->words, ".");
    const struct entry *sent = entry_before(teller->record, ran);
    if (same_exchange(ran, sent) && sent->kind == EVENT_REQUEST && !ran->waited)
        say_effect(teller, number_of(teller, ran));
}

static void tell_waits(struct teller *teller) {
    if (before(teller, EVENT_REQUEST))
        say(&teller->words, "The command waits in ");
    else
        say(&teller->words, "%s's command waits in ", teller->name);
    say_server(teller, false);
    say(&teller->words, ".");
}

// Is a pushed message heard at once? Then that entry says all of it.
static bool is_heard_at_once(const struct teller *teller) {
    const struct record *record = teller->record;

    for (size_t i = teller->at + 1; i < record->entry_count; i++) {
        const struct entry *one = &record->entries[i];
        if (one->time_ns != teller->entry->time_ns)
            return false;
        if (one->kind == EVENT_HEARD && same_exchange(teller->entry, one))
            return true;
    }
    return false;
}

static void tell_pushed(struct teller *teller) {
    if (is_heard_at_once(teller))
        return;
    say_server(teller, true);
    say(&teller->words, " sends %s ", teller->name);
    say_command(&teller->words, teller->entry->answer);
    say(&teller->words, ", which is on its way.");
}

static void tell_heard(struct teller *teller) {
    say(&teller->words, "%s hears ", teller->name);
    say_command(&teller->words, teller->entry->answer);
    say(&teller->words, ".");
}

static void tell_cut(struct teller *teller) {
    struct words *words = &teller->words;

    say(words, "%s's connection breaks", teller->name);
    if (teller->entry->answer) {
        say(words, ", and the answer ");
        say_command(words, teller->entry->answer);
        say(words, " is lost");
    } else if (teller->entry->request) {
        say(words, ", and ");
        say_command(words, teller->entry->request);
        say(words, " is lost");
    }
    say(words, ".");
}

static void tell_refused(struct teller *teller) {
    say_server(teller, true);
    say(&teller->words, " refuses all writes for a moment.");
}

// --- operations --------------------------------------------------------------

// The beginning, where the commands do not show enough.
static void tell_asked(struct teller *teller) {
    static const char *const deeds[] = {
        [OPERATION_ENTER] = "tries to get in",
        [OPERATION_LEAVE] = "releases the lock",
        [OPERATION_HELD] = "is asked whether it holds the lock",
        [OPERATION_WRITE] = "writes",
        [OPERATION_WRITE_APART] = "writes, in two steps",
        [OPERATION_REOPEN] = "opens the lock anew",
    };
    const struct entry *entry = teller->entry;
    struct words *words = &teller->words;

    if (entry->thread <= 1 && entry->patience_ns == 0)
        return;
    say(words, "%s", teller->name);
    if (entry->thread > 1)
        say(words, "'s thread %d", entry->thread);
    if (entry->patience_ns >= MILLISECOND) {
        say(words, " waits for the lock, up to ");
        say_span(words, entry->patience_ns / MILLISECOND);
    } else if (entry->patience_ns != 0) {
        say(words, " tries once");
    } else {
        say(words, " %s", deeds[entry->operation]);
    }
    say(words, ".");
}

// The client is inside; so are those that have not left before.
static void tell_inside(struct teller *teller) {
    const struct entry *entry = teller->entry;
    const struct history *history = &teller->histories[entry->lock_number];

    say(&teller->words, "%s is inside%s", teller->name,
        entry->depth > 1 ? " again" : "");
    if (entry->ns >= MILLISECOND) {
        say(&teller->words, ", with a lease of ");
        say_span(&teller->words, entry->ns / MILLISECOND);
    }
    say(&teller->words, ".");
    for (int i = 0; i < teller->record->client_count; i++)
        if (i != entry->client && kept_is_inside(history, teller->at, i))
            say(&teller->words, " %s is inside, too.", kept_name(history, i));
}

static void tell_entered(struct teller *teller) {
    switch (teller->entry->result) {
    case RESULT_OK:
        tell_inside(teller);
        break;
    case RESULT_BUSY:
        say(&teller->words, "%s stays outside: the lock is busy.",
            teller->name);
        break;
    case RESULT_LOST:
        say(&teller->words, "%s stays outside: the lock came too late.",
            teller->name);
        break;
    default:
        say(&teller->words, "%s does not know whether it has the lock",
            teller->name);
        say_reason(teller);
        break;
    }
}

static void tell_left(struct teller *teller) {
    switch (teller->entry->result) {
    case RESULT_OK:
        say(&teller->words, "%s is %s.", teller->name,
            teller->entry->depth > 0 ? "still inside" : "outside");
        break;
    case RESULT_LOST:
        say(&teller->words, "%s is outside, and hears that the lock was not "
            "its own any more.", teller->name);
        break;
    default:
        say(&teller->words, "%s does not know whether it has released the lock",
            teller->name);
        say_reason(teller);
        break;
    }
}

static void tell_held(struct teller *teller) {
    switch (teller->entry->result) {
    case RESULT_OK:
        say(&teller->words, "%s says that it still holds the lock.",
            teller->name);
        break;
    case RESULT_LOST:
        say(&teller->words, "%s says that it has lost the lock.", teller->name);
        break;
    default:
        say(&teller->words, "%s does not know whether it holds the lock",
            teller->name);
        say_reason(teller);
        break;
    }
}

static void tell_written(struct teller *teller) {
    switch (teller->entry->result) {
    case RESULT_OK:
        say(&teller->words, "%s's write is taken.", teller->name);
        break;
    case RESULT_LOST:
        say(&teller->words, "%s's write is refused.", teller->name);
        break;
    default:
        say(&teller->words, "%s does not know whether its write was taken",
            teller->name);
        say_reason(teller);
        break;
    }
}

static void tell_result(struct teller *teller) {
    if (teller->entry->result == RESULT_CANNOT) {
        say(&teller->words, "%s cannot do that", teller->name);
        say_reason(teller);
        return;
    }
    switch (teller->entry->operation) {
    case OPERATION_ENTER:
        tell_entered(teller);
        break;
    case OPERATION_LEAVE:
        tell_left(teller);
        break;
    case OPERATION_HELD:
        tell_held(teller);
        break;
    case OPERATION_WRITE:
    case OPERATION_WRITE_APART:
        tell_written(teller);
        break;
    case OPERATION_REOPEN:
        say(&teller->words, "%s has closed the lock, and opened it anew",
            teller->name);
        say_reason(teller);
        break;
    }
}

// --- everything else ---------------------------------------------------------

// The time itself stands beside the sentence. The first lock's lease is told.
static void tell_clock(struct teller *teller) {
    const struct history *history = &teller->histories[0];
    const struct lock_state *now = history_state(history, teller->at);
    const struct lock_state *then = history_before(history, teller->at);
    int owner = teller->at > 0 ? history->moments[teller->at - 1].owner
                               : NOBODY;
    const char *name = owner == NOBODY ? "the" : kept_name(history, owner);
    const char *of = owner == NOBODY ? "" : "'s";

    say(&teller->words, "Time passes");
    if (teller->record->masters > 1 || !then->exists || then->ttl_ms < 0) {
        say(&teller->words, ".");
    } else if (!now->exists) {
        say(&teller->words, ": %s%s lease has ended.", name, of);
    } else {
        say(&teller->words, ": %s%s lease has ", name, of);
        say_span(&teller->words, now->ttl_ms);
        say(&teller->words, " left.");
    }
}

static void tell_skew(struct teller *teller) {
    int64_t ns = teller->entry->ns;

    say(&teller->words, "%s's clock now is ", teller->name);
    if (ns == 0) {
        say(&teller->words, "right.");
        return;
    }
    say_span(&teller->words, (ns < 0 ? -ns : ns) / MILLISECOND);
    say(&teller->words, " %s.", ns < 0 ? "slow" : "fast");
}

static void tell_reach(struct teller *teller, const char *can,
                       const char *all, const char *end) {
    say(&teller->words, "%s %s reach ", teller->name, can);
    if (teller->entry->one_way || teller->record->masters == 1)
        say_server(teller, false);
    else
        say(&teller->words, "%s", all);
    say(&teller->words, "%s.", end);
}

static void tell_woke(struct teller *teller) {
    const struct entry *next = entry_after(teller->record, teller->entry);
    bool sends = next && next->kind == EVENT_REQUEST &&
                 next->client == teller->entry->client;

    say(&teller->words, "%s wakes up%s.", teller->name,
        sends ? "" : ", and sends nothing");
}

// An event that its kind and its client's name tell.
static void tell_plainly(struct teller *teller) {
    static const char *const happenings[] = {
        [EVENT_SLEEPS] = "sleeps until it tries again",
        [EVENT_GAVE_UP] = "waits for the answer no longer",
        [EVENT_KILLED] = "is killed",
        [EVENT_CONTINUED] = "continues, and knows nothing of that time",
        [EVENT_WORK_DONE] = "has done its work",
        [EVENT_HUNG] = "hangs for ever",
    };
    const char *happening = happenings[teller->entry->kind];

    if (happening)
        say(&teller->words, "%s %s.", teller->name, happening);
}

static void tell(struct teller *teller) {
    switch (teller->entry->kind) {
    case EVENT_ASKED:    tell_asked(teller); break;
    case EVENT_REQUEST:  tell_request(teller); break;
    case EVENT_REFUSED:  tell_refused(teller); break;
    case EVENT_RAN:      tell_ran(teller); break;
    case EVENT_WAITS:    tell_waits(teller); break;
    case EVENT_PUSHED:   tell_pushed(teller); break;
    case EVENT_HEARD:    tell_heard(teller); break;
    case EVENT_ANSWER:   tell_answer(teller); break;
    case EVENT_CUT:      tell_cut(teller); break;
    case EVENT_RESULT:   tell_result(teller); break;
    case EVENT_CLOCK:    tell_clock(teller); break;
    case EVENT_WOKE:     tell_woke(teller); break;
    case EVENT_SKEWED:   tell_skew(teller); break;
    case EVENT_CRASHED:
        say(&teller->words, "%s crashes (%s).", teller->name,
            teller->entry->text);
        break;
    case EVENT_ENDLESS:
        say(&teller->words, "%s comes to no end: it %s.", teller->name,
            teller->entry->text);
        break;
    case EVENT_ISOLATED:
        tell_reach(teller, "can no longer", "any server", "");
        break;
    case EVENT_RECONNECTED:
        tell_reach(teller, "can", "the servers", " again");
        break;
    case EVENT_STOPPED:
        say(&teller->words, "%s%s is %s, and does not notice that time passes.",
            teller->name, teller->entry->text ? "'s machine" : "",
            happening_words(teller->entry));
        break;
    case EVENT_SERVER:
    case EVENT_NOTE:
        say_as_sentence(teller, teller->entry->text);
        break;
    default:
        tell_plainly(teller);
        break;
    }
}

// --- all of them -------------------------------------------------------------

static char *sentence(struct teller *teller, size_t at) {
    const struct entry *entry = &teller->record->entries[at];

    teller->at = at;
    teller->entry = entry;
    teller->name = entry->client < 0 ? ""
                                     : teller->record->clients[entry->client];
    words_open(&teller->words);
    tell(teller);
    fclose(teller->words.out);
    return teller->words.text;
}

char **sentences_of(const struct record *record) {
    struct history histories[CLIENT_LOCKS];
    struct teller teller = {.record = record, .histories = histories};
    char **sentences = must_have(calloc(record->entry_count + 1,
                                        sizeof *sentences));

    for (int i = 0; i < CLIENT_LOCKS; i++)
        history_open(&histories[i], record, i, record->entry_count);
    for (size_t i = 0; i < record->entry_count; i++)
        sentences[i] = sentence(&teller, i);
    for (int i = 0; i < CLIENT_LOCKS; i++)
        history_close(&histories[i]);
    return sentences;
}

void sentences_free(char **sentences, const struct record *record) {
    for (size_t i = 0; i < record->entry_count; i++)
        free(sentences[i]);
    free(sentences);
}
