// A story told on standard input, a verb a line, of clients A and B:
//
//     enter A
//     advance 40
//     operate DEL KEY
//
// For what a lock owes its owner and is too small for a race of its own.
#include "base/arguments.h"
#include "race_more.h"
#include "race_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    void (*verb)(struct client *client);
} verbs[] = {
    {"ask", ask},
    {"begin_enter", begin_enter},
    {"begin_leave", begin_leave},
    {"begin_renewal", begin_renewal},
    {"cut_off", cut_off},
    {"finish", finish},
    {"kill", crash},
    {"lose_answer", lose_answer},
    {"run_command", run_command},
};

static void do_verb(const char *word, struct client *client) {
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(word, verbs[i].word) == 0) {
            verbs[i].verb(client);
            return;
        }
    if (strcmp(word, "enter") == 0)
        enter(client);
    else if (strcmp(word, "enter_on_thread_2") == 0)
        enter(second_thread_of(client));
    else if (strcmp(word, "enter_for_1") == 0)
        enter_for(client, 1 * SECOND);
    else if (strcmp(word, "leave") == 0)
        leave(client);
    else
        refuse("'%s' is not a verb that tests/story.c knows", word);
}

static void story(struct race *race) {
    struct client *a = race_client(race, "A");
    struct client *b = race_client(race, "B");
    char line[128];

    while (fgets(line, sizeof line, stdin)) {
        char *rest = line + strcspn(line, " ");
        line[strcspn(line, "\n")] = '\0';
        if (*rest == ' ')
            *rest++ = '\0';
        if (strcmp(line, "advance") == 0)
            advance(race, atoi(rest) * SECOND);
        else if (strcmp(line, "operate") == 0)
            operate(race, rest);
        else
            do_verb(line, strcmp(rest, "B") == 0 ? b : a);
    }
}

int main(int argc, char **argv) {
    const struct race_entry entry = {.name = "story", .tell = story};
    return race_main(&entry, argc, argv);
}
