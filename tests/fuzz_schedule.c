// libFuzzer: any text as a schedule. It is read, or refused; what is read can
// be written and read again. See tests/test_fuzz.py.
#include "base/fail.h"
#include "schedule/schedule.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
_Noreturn void fuzz_refuse(const char *format, ...);

static jmp_buf refused;
static char *text;
static struct schedule schedule, again;

// schedule.c is built with this in place of refuse(), which ends the program.
void fuzz_refuse(const char *format, ...) {
    (void)format;
    longjmp(refused, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char *line;

    line = must_have(calloc(size + 1, 1));
    if (size > 0)
        memcpy(line, data, size);
    memset(&schedule, 0, sizeof schedule);
    memset(&again, 0, sizeof again);
    text = NULL;
    if (setjmp(refused) == 0) {
        schedule_parse(&schedule, line);
        text = schedule_text(&schedule);
        schedule_parse(&again, text);
    } else if (text) {
        abort(); // refused what it has written itself
    }
    schedule_clear(&schedule);
    schedule_clear(&again);
    free(text);
    free(line);
    return 0;
}
