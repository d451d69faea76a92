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

// The narrator of one entry. Each of its words ends a sentence, or begins one.
struct narrator {
    struct words words;
    const struct record *record;
    struct history *histories; // one for each lock
    size_t at;
    const struct entry *entry;
    const char *name; // of its client
};

// --- parts of a sentence -----------------------------------------------------

static const char *lock_name(const struct narrator *narrator, int lock) {
    return !narrator->record->two_locks ? "the lock"
           : lock > 0                 ? "the second lock"
                                      : "the first lock";
}

// "Redis", and with several masters "server 3".
static void say_server(struct narrator *narrator, bool begins) {
    if (narrator->record->masters > 1)
        say(&narrator->words, "%cerver %d", begins ? 'S' : 's',
            narrator->entry->server + 1);
    else
        say(&narrator->words, "%s", narrator->record->server_title);
}

// The full stop behind words that somebody else wrote, if they have none.
static const char *stop_after(const char *text) {
    size_t length = strlen(text);
    return length > 0 && strchr(".?!", text[length - 1]) ? "" : ".";
}

static void say_as_sentence(struct narrator *narrator, const char *text) {
    if (*text)
        say(&narrator->words, "%c%s%s", toupper((unsigned char)*text), text + 1,
            stop_after(text));
}

// The end of a sentence, with the client's own reason if it gave one.
static void say_reason(struct narrator *narrator) {
    const char *reason = narrator->entry->text;

    if (reason && *reason)
        say(&narrator->words, ": %s%s", reason, stop_after(reason));
    else
        say(&narrator->words, ".");
}

// --- what became of a lock ---------------------------------------------------

static void say_lease(struct narrator *narrator, const char *before,
                      const struct lock_state *lock, const char *for_ever) {
    if (lock->ttl_ms < 0) {
        say(&narrator->words, "%s.", for_ever);
        return;
    }
    say(&narrator->words, "%s", before);
    say_span(&narrator->words, lock->ttl_ms);
    say(&narrator->words, ".");
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
static void say_effect_on(struct narrator *narrator,
                          const struct history *history, size_t ran) {
    const struct lock_state *lock = history_state(history, ran);
    const char *name = lock_name(narrator, history->lock);
    int owner = kept_owner_before(history, ran);
    bool is_strangers = owner != NOBODY && owner != narrator->entry->client;
    int holder = is_strangers ? owner : narrator->entry->client;
    struct words *words = &narrator->words;

    switch (history->moments[ran].change) {
    case MADE:
        say(words, " Now %s is taken", name);
        say_lease(narrator, ", for ", lock, ", and has no lease");
        break;
    case GONE:
        if (is_strangers)
            say(words, " %s's lock is gone:", kept_name(history, holder));
        say(words, " %s %s is free.", is_strangers ? "now" : "Now", name);
        break;
    case OVERWRITTEN:
        if (is_strangers)
            say(words, " %s's lock is overwritten.",
                kept_name(history, holder));
        else
            say(words, " Now %s has another value.", name);
        break;
    case LEASED:
        say(words, " Now %s's lease%s%s", kept_name(history, holder),
            narrator->record->two_locks ? " on " : "",
            narrator->record->two_locks ? name : "");
        say_lease(narrator, " ends in ", lock, " has no end");
        break;
    default:
        if (releases_in_vain(history, ran))
            say(words, " Nothing is removed.");
        break;
    }
}

// Of several masters each has a lock of its own; what they hold together is not
// told.
static void say_effect(struct narrator *narrator, size_t ran) {
    if (narrator->record->masters > 1)
        return;
    for (int i = 0; i < (narrator->record->two_locks ? 2 : 1); i++)
        say_effect_on(narrator, &narrator->histories[i], ran);
}

// --- on the wire -------------------------------------------------------------

static size_t number_of(const struct narrator *narrator,
                        const struct entry *one) {
    return (size_t)(one - narrator->record->entries);
}

// This entry beside the narrator's, if it is of the same exchange and of this
// kind.
static const struct entry *of_kind(const struct narrator *narrator,
                                   const struct entry *beside,
                                   enum event_kind kind) {
    return same_exchange(narrator->entry, beside) && beside->kind == kind
               ? beside : NULL;
}

static const struct entry *before(const struct narrator *narrator,
                                  enum event_kind kind) {
    return of_kind(narrator, entry_before(narrator->record, narrator->entry),
                   kind);
}

static const struct entry *after(const struct narrator *narrator,
                                 enum event_kind kind) {
    return of_kind(narrator, entry_after(narrator->record, narrator->entry),
                   kind);
}

static void narrate_request(struct narrator *narrator) {
    bool held = !after(narrator, EVENT_RAN) && !after(narrator, EVENT_WAITS);

    say(&narrator->words, "%s asks ", narrator->name);
    say_server(narrator, false);
    say(&narrator->words, ": ");
    say_command(&narrator->words, narrator->entry->request);
    say(&narrator->words, held ? ". The command is on its way." : ".");
}

static void narrate_ran(struct narrator *narrator) {
    bool direct = before(narrator, EVENT_REQUEST) && !narrator->entry->waited;
    bool answered = after(narrator, EVENT_ANSWER);

    if (direct && answered)
        return;
    say_server(narrator, true);
    say(&narrator->words, " runs %s's ", narrator->name);
    say_command(&narrator->words, narrator->entry->request);
    say(&narrator->words,
        narrator->entry->waited ? ", which has waited there." : ".");
    say_effect(narrator, narrator->at);
    if (answered || after(narrator, EVENT_CUT))
        return;
    say(&narrator->words, " The answer, ");
    say_command(&narrator->words, narrator->entry->answer);
    say(&narrator->words, ", is on its way.");
}

static void narrate_answer(struct narrator *narrator) {
    const struct entry *ran = before(narrator, EVENT_RAN);

    if (!ran) {
        say(&narrator->words, "%s hears the answer to ", narrator->name);
        say_command(&narrator->words, narrator->entry->request);
        say(&narrator->words, ": ");
        say_command(&narrator->words, narrator->entry->answer);
        say(&narrator->words, ".");
        return;
    }
    say_server(narrator, true);
    say(&narrator->words, " answers %s: ", narrator->name);
    say_command(&narrator->words, narrator->entry->answer);
    say(&narrator->words, ".");
    const struct entry *sent = entry_before(narrator->record, ran);
    if (same_exchange(ran, sent) && sent->kind == EVENT_REQUEST)
        say_effect(narrator, number_of(narrator, ran));
}

static void narrate_waits(struct narrator *narrator) {
    if (before(narrator, EVENT_REQUEST))
        say(&narrator->words, "The command waits in ");
    else
        say(&narrator->words, "%s's command waits in ", narrator->name);
    say_server(narrator, false);
    say(&narrator->words, ".");
}

// Is a pushed message heard at once? Then that entry says all of it.
static bool is_heard_at_once(const struct narrator *narrator) {
    const struct record *record = narrator->record;

    for (size_t i = narrator->at + 1; i < record->entry_count; i++) {
        const struct entry *one = &record->entries[i];
        if (one->time_ns != narrator->entry->time_ns)
            return false;
        if (one->kind == EVENT_HEARD && same_exchange(narrator->entry, one))
            return true;
    }
    return false;
}

static void narrate_pushed(struct narrator *narrator) {
    if (is_heard_at_once(narrator))
        return;
    say_server(narrator, true);
    say(&narrator->words, " sends %s ", narrator->name);
    say_command(&narrator->words, narrator->entry->answer);
    say(&narrator->words, ", which is on its way.");
}

static void narrate_heard(struct narrator *narrator) {
    say(&narrator->words, "%s hears ", narrator->name);
    say_command(&narrator->words, narrator->entry->answer);
    say(&narrator->words, ".");
}

static void narrate_cut(struct narrator *narrator) {
    struct words *words = &narrator->words;

    say(words, "%s's connection breaks", narrator->name);
    if (narrator->entry->answer) {
        say(words, ", and the answer ");
        say_command(words, narrator->entry->answer);
        say(words, " is lost");
    } else if (narrator->entry->request) {
        say(words, ", and ");
        say_command(words, narrator->entry->request);
        say(words, " is lost");
    }
    say(words, ".");
}

static void narrate_refused(struct narrator *narrator) {
    say_server(narrator, true);
    say(&narrator->words, " refuses all writes for a moment.");
}

// --- operations --------------------------------------------------------------

// The beginning, where the commands do not show enough.
static void narrate_asked(struct narrator *narrator) {
    char deed[WORDS_SIZE];

    asked_words(narrator->entry, deed);
    if (*deed)
        say(&narrator->words, "%s%s %s.", narrator->name,
            narrator->entry->thread > 1 ? "'s" : "", deed);
}

// The client is inside; so are those that have not left before.
static void narrate_inside(struct narrator *narrator) {
    const struct entry *entry = narrator->entry;
    const struct history *history = &narrator->histories[entry->lock_number];

    say(&narrator->words, "%s is inside", narrator->name);
    if (narrator->record->two_locks)
        say(&narrator->words, " %s", lock_name(narrator, entry->lock_number));
    if (entry->depth > 1)
        say(&narrator->words, " again");
    if (entry->ns >= MILLISECOND) {
        say(&narrator->words, ", with a lease of ");
        say_span(&narrator->words, entry->ns / MILLISECOND);
    }
    say(&narrator->words, ".");
    for (int i = 0; i < narrator->record->client_count; i++)
        if (i != entry->client && kept_is_inside(history, narrator->at, i))
            say(&narrator->words, " %s is inside, too.", kept_name(history, i));
}

// Of an attempt that was not granted.
static void narrate_outside(struct narrator *narrator) {
    const struct entry *entry = narrator->entry;
    const struct history *history = &narrator->histories[entry->lock_number];
    const char *lock = lock_name(narrator, entry->lock_number);

    if (entry->result == RESULT_BUSY)
        say(&narrator->words, "%s %s: %s is busy.", narrator->name,
            entry->depth > 0 ? "does not get in again" : "stays outside", lock);
    else if (kept_is_inside(history, narrator->at, entry->client))
        say(&narrator->words, "%s hears that it has lost %s.", narrator->name,
            lock);
    else
        say(&narrator->words, "%s stays outside: %s came too late.",
            narrator->name, lock);
}

static void narrate_left(struct narrator *narrator) {
    const struct entry *entry = narrator->entry;
    const char *lock = lock_name(narrator, entry->lock_number);

    say(&narrator->words, "%s is %s", narrator->name,
        entry->depth > 0 ? "still inside" : "outside");
    if (narrator->record->two_locks && entry->result == RESULT_OK)
        say(&narrator->words, " %s", lock);
    if (entry->result == RESULT_LOST)
        say(&narrator->words, ", and hears that %s is not its own", lock);
    say(&narrator->words, ".");
}

// Of an operation that was answered with yes or no.
static void narrate_answered(struct narrator *narrator) {
    const struct entry *entry = narrator->entry;
    const char *lock = lock_name(narrator, entry->lock_number);
    bool ok = entry->result == RESULT_OK;

    switch (entry->operation) {
    case OPERATION_ENTER:
        if (ok)
            narrate_inside(narrator);
        else
            narrate_outside(narrator);
        break;
    case OPERATION_LEAVE:
        narrate_left(narrator);
        break;
    case OPERATION_HELD:
        say(&narrator->words, ok ? "%s says that it still holds %s."
                                 : "%s says that it has lost %s.",
            narrator->name, lock);
        break;
    case OPERATION_WRITE:
    case OPERATION_WRITE_APART:
        say(&narrator->words, "%s's write is %s.", narrator->name,
            ok ? "taken" : "refused");
        break;
    case OPERATION_REOPEN:
        say(&narrator->words, "%s has closed %s, and opened it anew.",
            narrator->name, lock);
        break;
    }
}

static void narrate_result(struct narrator *narrator) {
    static const char *const unknown[] = {
        [OPERATION_ENTER] = "it has the lock",
        [OPERATION_LEAVE] = "it has released the lock",
        [OPERATION_HELD] = "it holds the lock",
        [OPERATION_WRITE] = "its write was taken",
        [OPERATION_WRITE_APART] = "its write was taken",
        [OPERATION_REOPEN] = "its lock is open",
    };
    const struct entry *entry = narrator->entry;

    switch (entry->result) {
    case RESULT_CANNOT:
        say(&narrator->words, "%s cannot do that", narrator->name);
        break;
    case RESULT_UNKNOWN:
        say(&narrator->words, "%s does not know whether %s", narrator->name,
            unknown[entry->operation]);
        break;
    case RESULT_ERROR:
        say(&narrator->words, "%s hears that nothing has happened",
            narrator->name);
        break;
    default:
        narrate_answered(narrator);
        return;
    }
    say_reason(narrator);
}

// --- everything else ---------------------------------------------------------

// The time itself stands beside the sentence. The first lock's lease is told.
static void narrate_clock(struct narrator *narrator) {
    const struct history *history = &narrator->histories[0];
    const struct lock_state *now = history_state(history, narrator->at);
    const struct lock_state *then = history_before(history, narrator->at);
    int owner = kept_owner_before(history, narrator->at);
    const char *name = owner == NOBODY ? "the" : kept_name(history, owner);
    const char *of = owner == NOBODY ? "" : "'s";

    say(&narrator->words, "Time passes");
    if (narrator->record->masters > 1 || !then->exists || then->ttl_ms < 0) {
        say(&narrator->words, ".");
    } else if (!now->exists) {
        say(&narrator->words, ": %s%s lease has ended.", name, of);
    } else {
        say(&narrator->words, ": %s%s lease has ", name, of);
        say_span(&narrator->words, now->ttl_ms);
        say(&narrator->words, " left.");
    }
}

static void narrate_skew(struct narrator *narrator) {
    int64_t ns = narrator->entry->ns;

    say(&narrator->words, "%s's clock now is ", narrator->name);
    if (ns == 0) {
        say(&narrator->words, "right.");
        return;
    }
    say_span(&narrator->words, (ns < 0 ? -ns : ns) / MILLISECOND);
    say(&narrator->words, " %s.", ns < 0 ? "slow" : "fast");
}

static void narrate_reach(struct narrator *narrator, const char *can,
                       const char *all, const char *end) {
    say(&narrator->words, "%s %s reach ", narrator->name, can);
    if (narrator->entry->one_way || narrator->record->masters == 1)
        say_server(narrator, false);
    else
        say(&narrator->words, "%s", all);
    say(&narrator->words, "%s.", end);
}

static void narrate_woke(struct narrator *narrator) {
    const struct entry *next = entry_after(narrator->record, narrator->entry);
    bool sends = next && next->kind == EVENT_REQUEST &&
                 next->client == narrator->entry->client;

    say(&narrator->words, "%s wakes up%s.", narrator->name,
        sends ? "" : ", and sends nothing");
}

// An event for which its kind and its client's name are enough.
static void narrate_plainly(struct narrator *narrator) {
    static const char *const happenings[] = {
        [EVENT_SLEEPS] = "sleeps until it tries again",
        [EVENT_GAVE_UP] = "waits for the answer no longer",
        [EVENT_KILLED] = "is killed",
        [EVENT_CONTINUED] = "continues where it was",
        [EVENT_WORK_DONE] = "has done its work",
        [EVENT_HUNG] = "hangs for ever",
    };
    const char *happening = happenings[narrator->entry->kind];

    if (happening)
        say(&narrator->words, "%s %s.", narrator->name, happening);
}

static void narrate_end(struct narrator *narrator, const char *how) {
    say(&narrator->words, "%s %s (%s).", narrator->name, how,
        narrator->entry->text);
}

static void narrate(struct narrator *narrator) {
    switch (narrator->entry->kind) {
    case EVENT_ASKED:    narrate_asked(narrator); break;
    case EVENT_REQUEST:  narrate_request(narrator); break;
    case EVENT_REFUSED:  narrate_refused(narrator); break;
    case EVENT_RAN:      narrate_ran(narrator); break;
    case EVENT_WAITS:    narrate_waits(narrator); break;
    case EVENT_PUSHED:   narrate_pushed(narrator); break;
    case EVENT_HEARD:    narrate_heard(narrator); break;
    case EVENT_ANSWER:   narrate_answer(narrator); break;
    case EVENT_CUT:      narrate_cut(narrator); break;
    case EVENT_RESULT:   narrate_result(narrator); break;
    case EVENT_CLOCK:    narrate_clock(narrator); break;
    case EVENT_WOKE:     narrate_woke(narrator); break;
    case EVENT_SKEWED:   narrate_skew(narrator); break;
    case EVENT_CRASHED:  narrate_end(narrator, "crashes"); break;
    case EVENT_QUIT:     narrate_end(narrator, "ends its own process"); break;
    case EVENT_ENDLESS:
        say(&narrator->words, "%s comes to no end: it %s.", narrator->name,
            narrator->entry->text);
        break;
    case EVENT_ISOLATED:
        narrate_reach(narrator, "can no longer", "any server", "");
        break;
    case EVENT_RECONNECTED:
        narrate_reach(narrator, "can", "the servers", " again");
        break;
    case EVENT_STOPPED:
        say(&narrator->words, "%s%s is %s, and does not notice that time "
            "passes.", narrator->name,
            narrator->entry->text ? "'s machine" : "",
            happening_words(narrator->entry));
        break;
    case EVENT_SERVER:
    case EVENT_NOTE:
        say_as_sentence(narrator, narrator->entry->text);
        break;
    default:
        narrate_plainly(narrator);
        break;
    }
}

// --- all of them -------------------------------------------------------------

static char *sentence(struct narrator *narrator, size_t at) {
    const struct entry *entry = &narrator->record->entries[at];

    narrator->at = at;
    narrator->entry = entry;
    narrator->name = entry->client < 0 ? ""
                                     : narrator->record->clients[entry->client];
    words_open(&narrator->words);
    narrate(narrator);
    fclose(narrator->words.out);
    return narrator->words.text;
}

char **sentences_of(const struct record *record) {
    struct history histories[CLIENT_LOCKS];
    struct narrator narrator = {.record = record, .histories = histories};
    char **sentences = must_have(calloc(record->entry_count + 1,
                                        sizeof *sentences));

    for (int i = 0; i < CLIENT_LOCKS; i++)
        history_open(&histories[i], record, i, record->entry_count);
    for (size_t i = 0; i < record->entry_count; i++)
        sentences[i] = sentence(&narrator, i);
    for (int i = 0; i < CLIENT_LOCKS; i++)
        history_close(&histories[i]);
    return sentences;
}

void sentences_free(char **sentences, const struct record *record) {
    for (size_t i = 0; i < record->entry_count; i++)
        free(sentences[i]);
    free(sentences);
}
