// Command lines, for every program here: GNU argp with one difference. Wrong
// use gets exactly one line on standard error (what was wrong, what would be
// right) and exit status 2. The library argp alone prints two lines and exits
// with 64.
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <argp.h>

enum { EXIT_WRONG_USE = 2 };

// Parses argv with `argp`, whose parser gets `input`, and adds --help. Returns
// only if every word was understood; otherwise it ends the program.
void arguments_parse(const struct argp *argp, int argc, char **argv,
                     void *input);

// To be called first, in a program that starts clients. From then on neither
// the program's name nor its arguments can be read in /proc. Its environment,
// its memory and its files are closed to others (but not to root). A client
// must not know in which race it is. `argv` has copies afterwards.
void arguments_hide(int argc, char **argv);

// The output formats, and the programs that have them.
enum format {
    FORMAT_TEXT,
    FORMAT_TSV,
    FORMAT_JSON,
    FORMAT_SVG,
    FORMAT_MERMAID,
    FORMAT_HTML,
    FORMAT_JUNIT,
    FORMAT_TAP,
    FORMATS
};
enum {
    FORMATS_OF_SEARCH = 1 << FORMAT_TEXT | 1 << FORMAT_JSON,
    FORMATS_OF_TABLE = FORMATS_OF_SEARCH | 1 << FORMAT_TSV,
    FORMATS_OF_MATRIX = FORMATS_OF_TABLE | 1 << FORMAT_JUNIT | 1 << FORMAT_TAP,
    FORMATS_OF_RUN = FORMATS_OF_SEARCH | 1 << FORMAT_SVG | 1 << FORMAT_MERMAID |
                     1 << FORMAT_HTML,
};

// The format that stands after --format. Refuses any but these `formats`.
enum format arguments_format(const char *word, unsigned formats);

// Flushes standard output. Ends the program with an error line if the output
// cannot be written. If standard output is a pipe that nobody reads any more,
// it calls end_as_sigpipe().
void finish_output(void);

// Ends the program quietly, as SIGPIPE would; also where SIGPIPE is ignored.
_Noreturn void end_as_sigpipe(void);

// Wrong use: prints "program: message" on standard error and ends the program
// with status 2.
_Noreturn void refuse(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif
