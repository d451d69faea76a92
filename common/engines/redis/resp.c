#include "resp.h"

#include "base/hash.h"
#include "base/fail.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct resp_parser {
    enum direction direction;
    redisReader *reader;
    char *bytes; // came in, and are not yet part of a message
    size_t length;
};

static void *parser_open(enum direction direction) {
    struct resp_parser *parser = must_have(calloc(1, sizeof *parser));
    parser->direction = direction;
    parser->reader = must_have(redisReaderCreate());
    return parser;
}

static void parser_close(void *argument) {
    struct resp_parser *parser = argument;
    redisReaderFree(parser->reader);
    free(parser->bytes);
    free(parser);
}

static void parser_feed(void *argument, const char *bytes, size_t length) {
    struct resp_parser *parser = argument;
    parser->bytes =
        must_have(realloc(parser->bytes, parser->length + length));
    memcpy(parser->bytes + parser->length, bytes, length);
    parser->length += length;
    redisReaderFeed(parser->reader, bytes, length);
}

// --- scripts ---------------------------------------------------------------

struct named_script {
    char *text;
    char *name;
    char *sha1; // the answer to SCRIPT LOAD; NULL before the answer
    struct named_script *next;
};

static struct named_script *scripts;
static bool numbered_by_text;

void resp_number_scripts_by_text(void) {
    numbered_by_text = true;
}

static bool is_taken(const char *name) {
    for (const struct named_script *script = scripts; script;
         script = script->next)
        if (strcmp(script->name, name) == 0)
            return true;
    return false;
}

bool resp_names_instant(const char *text) {
    return strcasestr(text, "PXAT") || strcasestr(text, "EXAT") ||
           strcasestr(text, "EXPIREAT");
}

// Does what the script does depend on the server's clock?
static bool looks_at_clock(const char *text) {
    return resp_names_instant(text) || strcasestr(text, "'TIME'") ||
           strcasestr(text, "\"TIME\"");
}

// "release#2"
static char *numbered(const char *line, size_t length, uint64_t number,
                      const char *mark) {
    char *name = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&name, &size));

    fprintf(out, "%.*s#%llu%s", (int)length, line, (unsigned long long)number,
            mark);
    fclose(out);
    return name;
}

static char *new_name(const char *text) {
    bool named = strncmp(text, "-- ", 3) == 0;
    char *line = must_have(named ? strndup(text + 3, strcspn(text + 3, "\n"))
                                 : strdup("script"));
    char *name;

    if (numbered_by_text) { // without a space: one word of a request
        name = numbered(line, strcspn(line, " "), hash_of(text),
                        looks_at_clock(text) ? SCRIPT_CLOCK : "");
    } else {
        name = must_have(strdup(line));
        for (unsigned number = 2; is_taken(name); number++) {
            free(name);
            name = numbered(line, strlen(line), number, "");
        }
    }
    free(line);
    return name;
}

static struct named_script *script_of(const char *text) {
    struct named_script *script = scripts;

    while (script && strcmp(script->text, text) != 0)
        script = script->next;
    if (!script) {
        script = must_have(malloc(sizeof *script));
        *script = (struct named_script){.text = must_have(strdup(text)),
                                  .name = new_name(text), .next = scripts};
        scripts = script;
    }
    return script;
}

static const char *known_as(const char *sha1) {
    for (const struct named_script *script = scripts; script;
         script = script->next)
        if (script->sha1 && strcasecmp(script->sha1, sha1) == 0)
            return script->name;
    return sha1;
}

// --- text ------------------------------------------------------------------

static void print_word(FILE *out, const char *word, size_t length) {
    bool plain = length > 0;

    for (size_t i = 0; i < length; i++)
        plain = plain && isgraph((unsigned char)word[i]) && word[i] != '"';
    if (plain) {
        fwrite(word, 1, length, out);
        return;
    }
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)word[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (isprint(c))
            fputc(c, out);
        else
            fprintf(out, "\\x%02x", c);
    }
    fputc('"', out);
}

static bool is(const redisReply *request, size_t n, const char *word) {
    return n < request->elements &&
           strcasecmp(request->element[n]->str, word) == 0;
}

static void print_request(FILE *out, const redisReply *request) {
    size_t text = is(request, 0, "EVAL") ? 1 : 0;
    size_t sha1 = is(request, 0, "EVALSHA") ? 1 : 0;

    if (is(request, 0, "SCRIPT") && is(request, 1, "LOAD"))
        text = 2;
    for (size_t i = 0; i < request->elements; i++) {
        const redisReply *word = request->element[i];
        if (i > 0)
            fputc(' ', out);
        if (i > 0 && i == text) {
            fputs(script_of(word->str)->name, out);
        } else if (i > 0 && i == sha1) {
            fputs(known_as(word->str), out);
        } else {
            print_word(out, word->str, word->len);
        }
    }
}

static void print_list(FILE *out, const redisReply *answer);

static void print_answer(FILE *out, const redisReply *answer) {
    switch (answer->type) {
    case REDIS_REPLY_STATUS:  fputs(answer->str, out); break;
    case REDIS_REPLY_ERROR:   // only its code: the words differ by version
        fwrite(answer->str, 1, strcspn(answer->str, " "), out);
        break;
    case REDIS_REPLY_INTEGER: fprintf(out, "%lld", answer->integer); break;
    case REDIS_REPLY_NIL:     fputs("nil", out); break;
    case REDIS_REPLY_STRING:  print_word(out, answer->str, answer->len); break;
    case REDIS_REPLY_ARRAY:   print_list(out, answer); break;
    default: // RESP3's types, where hiredis knows them, are made like those
        if (answer->str)
            print_word(out, answer->str, answer->len);
        else if (answer->elements > 0)
            print_list(out, answer);
        else
            fprintf(out, "%lld", answer->integer);
    }
}

// A published message, without its channel: a lock has one.
static bool print_message(FILE *out, const redisReply *answer) {
    if (answer->elements != 3 || !answer->element[0]->str)
        return false;
    if (strcmp(answer->element[0]->str, "subscribe") == 0) {
        fputs("subscribed", out);
        return true;
    }
    if (strcmp(answer->element[0]->str, "message") != 0 ||
        !answer->element[2]->str)
        return false;
    fputs("message ", out);
    print_word(out, answer->element[2]->str, answer->element[2]->len);
    return true;
}

static void print_list(FILE *out, const redisReply *answer) {
    if (print_message(out, answer))
        return;
    fputc('[', out);
    for (size_t i = 0; i < answer->elements; i++) {
        fputs(i > 0 ? ", " : "", out);
        print_answer(out, answer->element[i]);
    }
    fputc(']', out);
}

static bool well_formed(const redisReply *parsed, enum direction direction) {
    if (direction == ANSWERS)
        return true;
    if (parsed->type != REDIS_REPLY_ARRAY || parsed->elements == 0)
        return false;
    for (size_t i = 0; i < parsed->elements; i++)
        if (parsed->element[i]->type != REDIS_REPLY_STRING)
            return false;
    return true;
}

// An error, or one in an answer to EXEC.
static bool has_error(const redisReply *parsed) {
    size_t parts = parsed->type == REDIS_REPLY_ARRAY ? parsed->elements : 0;
    bool some = parsed->type == REDIS_REPLY_ERROR;

    for (size_t i = 0; i < parts; i++)
        some = some || parsed->element[i]->type == REDIS_REPLY_ERROR;
    return some;
}

static char *text_of(const redisReply *parsed, enum direction direction) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&text, &size));

    if (direction == REQUESTS)
        print_request(out, parsed);
    else
        print_answer(out, parsed);
    fclose(out);
    return text;
}

char *resp_answer(const redisReply *answer) {
    return text_of(answer, ANSWERS);
}

static char **words_of(const redisReply *request) {
    char **words = must_have(calloc(request->elements + 1, sizeof *words));

    for (size_t i = 0; i < request->elements; i++)
        words[i] = must_have(strdup(request->element[i]->str));
    return words;
}

// --- the wire format -------------------------------------------------------

static enum cut parser_cut(void *argument, struct message *message) {
    struct resp_parser *parser = argument;
    redisReader *reader = parser->reader;
    void *result = NULL;

    if (redisReaderGetReply(reader, &result) != REDIS_OK)
        return CUT_RUBBISH;
    if (!result)
        return CUT_MORE;

    redisReply *parsed = result;
    if (!well_formed(parsed, parser->direction)) {
        freeReplyObject(parsed);
        return CUT_RUBBISH;
    }
    *message = (struct message){0};
    // The bytes that the reader has not looked at belong to the next message.
    size_t rest = reader->len - reader->pos;
    message->length = parser->length - rest;
    message->bytes = must_have(malloc(message->length));
    memcpy(message->bytes, parser->bytes, message->length);
    memmove(parser->bytes, parser->bytes + message->length, rest);
    parser->length = rest;
    message->text = text_of(parsed, parser->direction);
    if (parser->direction == REQUESTS)
        message->words = words_of(parsed);
    message->is_error = has_error(parsed);
    freeReplyObject(parsed);
    return CUT_MESSAGE;
}

static bool learning = true;

void resp_learn_scripts(bool on) {
    learning = on;
}

void resp_forget_scripts(void) {
    while (scripts) {
        struct named_script *script = scripts;
        scripts = script->next;
        free(script->text);
        free(script->name);
        free(script->sha1);
        free(script);
    }
}

static void learn_script(const struct message *request,
                         const struct message *answer) {
    char *const *words = request->words;

    if (!learning || strcasecmp(words[0], "SCRIPT") != 0 || !words[1] ||
        strcasecmp(words[1], "LOAD") != 0 || !words[2] ||
        strcmp(known_as(answer->text), answer->text) != 0)
        return;
    struct named_script *script = script_of(words[2]);
    free(script->sha1);
    script->sha1 = must_have(strdup(answer->text));
}

static bool answered(const struct message *request, struct message *answer) {
    learn_script(request, answer);
    answer->misses_script =
        answer->is_error && strncmp(answer->text, "NOSCRIPT", 8) == 0;
    answer->grants_nothing = strcmp(answer->text, "nil") == 0 ||
                             strcmp(answer->text, "0") == 0;
    return strcasecmp(request->words[0], "MULTI") == 0 ||
           strcmp(answer->text, "QUEUED") == 0;
}

// Is the word one of these? They are separated by spaces, and end with one.
static bool is_one_of(const char *word, const char *list) {
    size_t length = strlen(word);

    for (; *list; list += strcspn(list, " ") + 1)
        if (strcspn(list, " ") == length &&
            strncasecmp(list, word, length) == 0)
            return true;
    return false;
}

static bool subscribes(const struct message *request) {
    return is_one_of(request->words[0], "SUBSCRIBE PSUBSCRIBE SSUBSCRIBE ");
}

// RESP2 has no type of its own for what is pushed: it is a list that begins
// with one of three words. An answer can look like that, too; but not on a
// connection that listens.
static bool is_pushed(const struct message *answer) {
    static const char *const beginnings[] = {
        "*3\r\n$7\r\nmessage\r\n", "*4\r\n$8\r\npmessage\r\n",
        "*3\r\n$8\r\nsmessage\r\n", ">"};

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(answer->bytes, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static bool may_wait(const struct message *request) {
    static const char block[] = "BLOCK ";
    char *const *words = request->words;

    if (is_one_of(words[0], "XREAD XREADGROUP "))
        for (int i = 1; words[i]; i++)
            if (is_one_of(words[i], block))
                return true;
    return is_one_of(words[0], "BLPOP BRPOP BLMOVE BRPOPLPUSH BLMPOP BZPOPMIN "
                               "BZPOPMAX BZMPOP ");
}

const struct wire_format resp = {
    .open = parser_open,
    .close = parser_close,
    .feed = parser_feed,
    .cut = parser_cut,
    .answered = answered,
    .subscribes = subscribes,
    .is_pushed = is_pushed,
    .may_wait = may_wait,
};
