// Command lines, for every program here: GNU argp with one difference. Wrong
// use gets exactly one line on standard error (what was wrong, what would be
// right) and exit status 2; argp alone prints two lines and exits with 64.
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <argp.h>
#include <stdbool.h>

enum { EXIT_WRONG_USE = 2 };

// Parses argv by `argp`, whose parser gets `input`, and adds --help. Returns
// only if everything was understood.
void arguments_parse(const struct argp *argp, int argc, char **argv,
                     void *input);

// What is printed, after --format. Refuses another word; tsv is for tables.
enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_TSV };
enum format arguments_format(const char *word, bool is_table);

// Writes out what was printed; refuses if that fails. Where nobody reads any
// more it ends the program as SIGPIPE does, also where that is ignored.
void finish_output(void);
_Noreturn void nobody_reads(void);

// "program: message" on standard error, exit status 2.
_Noreturn void refuse(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif
