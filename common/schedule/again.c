// The command that replays a schedule, as a reader copies it into a shell.
#include "schedule.h"

#include "machine/host.h"

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

static void write_option(const char *option, const char *value, FILE *out) {
    fprintf(out, "%s ", option);
    write_quoted(value, out);
    fputc(' ', out);
}

void schedule_print_again(const struct schedule *schedule, struct guest guest,
                          FILE *out) {
    char *line = schedule_text(schedule);

    fputs("Again: ./scenarios/replay ", out);
    if (guest.command)
        write_option("--client", guest.command, out);
    if (guest.engine)
        write_option("--engine", guest.engine, out);
    if (strcmp(guest.key, USUAL_KEY) != 0 && !schedule->key[0])
        write_option("--key", guest.key, out);
    if (guest.at)
        write_option("--at", guest.at, out);
    if (guest.command && hosts_chosen() == HOSTS_NONE)
        fputs("--machines one ", out);
    if (!guest.command && hosts_chosen() == HOSTS_FOR_ALL)
        fputs("--machines own ", out);
    write_quoted(line, out);
    fputc('\n', out);
    free(line);
}
