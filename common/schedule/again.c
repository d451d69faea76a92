// The command that replays a schedule, as a reader copies it into a shell.
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

// Quotes a text for a shell: in single quotes only a single quote is special.
static void write_quoted(const char *text, FILE *out) {
    fputc('\'', out);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    fputc('\'', out);
}

void schedule_print_again(const struct schedule *schedule, const char *client,
                          const char *key, FILE *out) {
    char *line = schedule_text(schedule);

    fputs("Again: ./scenarios/replay ", out);
    if (client) {
        fputs("--client ", out);
        write_quoted(client, out);
        fputc(' ', out);
    }
    if (strcmp(key, "lock") != 0) {
        fputs("--key ", out);
        write_quoted(key, out);
        fputc(' ', out);
    }
    write_quoted(line, out);
    fputc('\n', out);
    free(line);
}
