#include "arguments.h"

#include "fail.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

void refuse(const char *format, ...) {
    va_list args;
    fflush(stdout);
    va_start(args, format);
    complain(format, args);
    va_end(args);
    exit(EXIT_WRONG_USE);
}

void end_as_sigpipe(void) {
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
    exit(EXIT_WRONG_USE); // SIGPIPE was blocked
}

void finish_output(void) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    if (errno == EPIPE)
        end_as_sigpipe();
    refuse("cannot write the output: %s", strerror(errno));
}

static const char *const format_words[FORMATS] = {
    [FORMAT_TEXT] = "text", [FORMAT_TSV] = "tsv",         [FORMAT_JSON] = "json",
    [FORMAT_SVG] = "svg",   [FORMAT_MERMAID] = "mermaid", [FORMAT_HTML] = "html",
    [FORMAT_JUNIT] = "junit", [FORMAT_TAP] = "tap",
};

enum format arguments_format(const char *word, unsigned formats) {
    char list[64] = "";

    for (int i = 0; i < FORMATS; i++) {
        if (!(formats & 1u << i))
            continue;
        if (strcmp(word, format_words[i]) == 0)
            return (enum format)i;
        strcat(list, !*list ? "" : formats >> (i + 1) ? ", " : " or ");
        strcat(list, format_words[i]);
    }
    refuse("'%s' is not a format: say %s", word, list);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->input;
        return 0;
    case 'h':
        argp_help(state->root_argp, stdout, ARGP_HELP_STD_HELP,
                  program_invocation_short_name);
        finish_output();
        exit(EXIT_SUCCESS);
    case ARGP_KEY_ARG:
        if (state->root_argp->children->argp->args_doc)
            return ARGP_ERR_UNKNOWN; // the program's own parser takes words
        refuse("'%s' is one word too many; --help shows how to call this "
               "program", argument);
    case ARGP_KEY_ERROR:
        refuse("'%s' is not an option, or its value is missing; "
               "--help shows the options", state->argv[state->next - 1]);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void wipe(char *text) {
    if (text)
        memset(text, 0, strlen(text));
}

// The words stand in memory one after the other, and /proc shows that memory.
// The kernel and the shell have also written the program's name behind them.
void arguments_hide(int argc, char **argv) {
    static const char name[] = "lockstep";
    char *first = argv[0], *end = first;

    for (int i = 0; i < argc; i++) {
        end = argv[i] + strlen(argv[i]) + 1;
        argv[i] = must_have(strdup(argv[i]));
    }
    memset(first, 0, (size_t)(end - first));
    if ((size_t)(end - first) >= sizeof name)
        strcpy(first, name);
    program_invocation_name = argv[0];
    program_invocation_short_name = basename(argv[0]);
    wipe(getenv("_"));
    wipe((char *)getauxval(AT_EXECFN)); // NOLINT(performance-no-int-to-ptr)
    prctl(PR_SET_NAME, name);
    prctl(PR_SET_DUMPABLE, 0);
}

void arguments_parse(const struct argp *argp, int argc, char **argv,
                     void *input) {
    static const struct argp_option options[] = {
        {"help", 'h', NULL, 0, "show this text", -1},
        {0},
    };
    const struct argp_child children[] = {{argp, 0, NULL, 0}, {0}};
    const struct argp root = {
        .options = options,
        .parser = parse,
        .children = children,
    };
    argp_parse(&root, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP, NULL, input);
}
