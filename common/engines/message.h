// A message on the wire: a request or an answer, whole.
//
// The gate moves bytes; what they mean is for a wire format to say. A server
// that speaks something other than RESP brings its own, and the rest of the
// world stays as it is.
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

struct message {
    char *bytes; // as sent; NULL: no message
    size_t length;
    char *text; // a request as one would type it, an answer as one would see it
    char **words;  // a request, cut into its words; with a NULL at the end
    bool is_error; // an answer: the server refuses
    bool misses_script; // because it does not know a script; nothing was done
    bool grants_nothing; // an answer: the time of a request that waited is over
    // Bytes that are other ones on each run, the time say: they are not shown.
    struct {
        size_t from, count;
    } varying[2];
};

void message_free(struct message *message);

// A text, cut into its words; what stands between words is listed in `between`.
// The list ends with NULL and becomes its message's.
char **message_words(const char *text, const char *between);

enum direction { REQUESTS, ANSWERS };
enum cut { CUT_MESSAGE, CUT_MORE, CUT_RUBBISH };

struct wire_format {
    // A parser for one direction of one connection.
    void *(*open)(enum direction direction);
    void (*close)(void *parser);
    // Adds bytes that came in.
    void (*feed)(void *parser, const char *bytes, size_t length);
    // Takes the next message, if it is there in full and understood; the
    // caller frees it.
    enum cut (*cut)(void *parser, struct message *message);
    // If the server speaks first, when a client has connected: given what the
    // server says, has it let the client in? Until then nothing is a request.
    // NULL: the client speaks first.
    bool (*lets_in)(void *parser, const char *bytes, size_t length);
    // Does a client take leave with this, and close the connection? NULL: there
    // is no such request.
    bool (*is_farewell)(const struct message *request);
    // Does the server undo something when a connection ends? Then it hears of
    // the end of a client while an answer to it is still on its way.
    bool ends_matter;
    // A request has been answered. Here names that later requests refer to are
    // learned (a script's, say), and the meaning of the answer. The answer may
    // get a text that fits the request better. True if what follows on this
    // connection is only noted and not done yet, as in a transaction.
    bool (*answered)(const struct message *request, struct message *answer);
    // Once this request is answered, does the server also send on its
    // connection what nobody asked for?
    bool (*subscribes)(const struct message *request);
    // Is this something that nobody asked for? On a connection without a
    // subscription an answer can look like that, but not if the server marks
    // its pushed messages. Then such a message may also come before the answer.
    bool (*is_pushed)(const struct message *answer);
    bool marks_pushed;
    // May this request wait in the server until something happens?
    bool (*may_wait)(const struct message *request);
};

#endif
